#!/usr/bin/env bats
# The service itself: one a home, born clean, gone when idle, there again after every kind of end.
load test_helper

# --- for people

@test "start, status, restart, log and stop do what they say" {
    run_bgtool service status
    service_is_gone || fail "status started the service"

    run_bgtool service start
    assert_status 0
    wait_until 10 service_runs
    first=$(service_pid)
    run_bgtool service start
    assert_status 0
    assert_equal "$(service_pid)" "$first" "the service after a second start"

    run_bgtool service status
    assert_status 0
    assert_line_matching "$first"
    assert_line_matching "$URLSESSIOND_HOME"

    run_bgtool service restart
    assert_status 0
    wait_until 10 service_runs
    [[ $(service_pid) != "$first" ]] || fail "restart kept the old service"

    run_bgtool service log
    assert_status 0
    [[ -n $output ]] || fail "the log is empty"

    run_bgtool service stop
    assert_status 0
    wait_until 10 service_is_gone
}

@test "status --json is JSON, and holds pid and home" {
    run_bgtool service start
    run_bgtool service status --json
    assert_status 0
    said=$(python3 -c 'import json, sys; s = json.load(sys.stdin); print(s["running"], s["pid"], s["home"])' \
        <<<"$output") || fail "not the JSON expected"
    assert_equal "$said" "True $(service_pid) $URLSESSIOND_HOME" "running, pid, home"
}

@test "a number in its environment that is none is said once, in the log and to who starts it by hand" {
    local log=$URLSESSIOND_HOME/log/urlsessiond.log place
    URLSESSIOND_VISIT_SECONDS=soon run_bgtool service start
    assert_status 0
    wait_until 20 grep -q "URLSESSIOND_VISIT_SECONDS='soon' is not a number from 0 to" "$log"
    assert_equal "$(grep -c "='soon'" "$log")" 1 "times it is said"
    run_bgtool service stop
    wait_until 20 service_is_gone

    background byhand env URLSESSIOND_CLIENT_TASKS=many URLSESSIOND_IDLE_SECONDS=0 "$BIN/urlsessiond"
    wait_exit "$BACKGROUND_PID" 30
    for place in "$WORLD/byhand.err" "$log"; do
        assert_equal "$(grep -c "URLSESSIOND_CLIENT_TASKS='many' is not a number from 0 to" "$place")" 1 "$place"
    done
}

@test "stop in mid-transfer loses nothing: the next start goes on" {
    server_start --interval 0
    run_bgtool start "$SERVER/audiobook?hold=gate&holdat=500000" --name audiobook-42
    wait_until 20 task_reaches received audiobook-42 500000
    run_bgtool service stop
    assert_status 0
    wait_until 10 service_is_gone
    server_release gate
    run_bgtool service start
    wait_until 20 server_was_asked GET /audiobook 2
    run_bgtool resume
    assert_status 0
    assert_in_order '^finished 1 audiobook-42 2000000$' '^saved 1 ' '^complete 1 nil$'
    assert_same_bytes audiobook /audiobook
    assert_went_on 500000
}

# assert_went_on BYTES   the second request asked for the rest, from at least BYTES on.
assert_went_on() {
    local range
    range=$(server_value start GET /audiobook range 2)
    [[ $range =~ ^bytes=([0-9]+)-$ ]] || fail "the second request's Range is '$range'" || return 1
    assert_between "$1" "${BASH_REMATCH[1]}" 1999999 "where it went on"
    [[ $(server_value start GET /audiobook ifRange 2) == \"*\" ]] || fail "no strong ETag in If-Range"
    assert_equal "$(server_value end GET /audiobook status 2)" 206 "the second answer"
    assert_equal "$(server_requests GET /audiobook)" 2 "requests at the server"
}

# --- one service

@test "ten clients at once give one service, and every wish is kept" {
    server_start --interval 0
    local number pids=()
    for number in {1..10}; do
        background "start-$number" "$BGTOOL" start "$SERVER/bytes/1000/$number?hold=gate" \
            --name "moon-$number" -o "moon-$number"
        pids+=("$BACKGROUND_PID")
    done
    for number in {1..10}; do
        wait_exit "${pids[$((number - 1))]}" 60
        read_output "start-$number"
        assert_status 0
        assert_line_matching "^started [0-9]+ moon-$number\$"
    done
    assert_equal "$(service_pid | wc -l)" 1 "services of this home"
    assert_equal "$(processes_of_this_world | wc -l)" 1 "processes of this world"
    run_bgtool status
    assert_equal "${#lines[@]}" 10 "tasks"
    assert_equal "$(cut -d ' ' -f 1 <<<"$output" | sort -n | tr '\n' ' ')" "1 2 3 4 5 6 7 8 9 10 " identifiers
}

@test "it leaves when it has been idle, and the next client starts it again" {
    export URLSESSIOND_IDLE_SECONDS=1
    server_start --interval 0
    run_bgtool start "$SERVER/bytes/1000" --name one
    run_bgtool resume
    assert_status 0
    wait_until 30 service_is_gone
    run_bgtool start "$SERVER/bytes/2000" --name two
    assert_status 0
    assert_first_line "started 2 two"
    run_bgtool resume
    assert_line "finished 2 two 2000"
}

@test "it stays while a task runs or waits to retry" {
    export URLSESSIOND_IDLE_SECONDS=1
    server_start --interval 0
    run_bgtool start "$SERVER/audiobook?hold=gate" --name audiobook-42
    pid=$(service_pid)
    sleep 3  # three times what it would take to leave
    assert_equal "$(service_pid)" "$pid" "the service"
    server_release gate
    wait_until 30 service_is_gone
    run_bgtool resume
    assert_line "finished 1 audiobook-42 2000000"
}

# --- what comes on its socket

@test "garbage, half a line and a huge line end their connection, and the service lives" {
    server_start --interval 0
    run_bgtool start "$SERVER/audiobook?hold=gate" --name audiobook-42
    pid=$(service_pid)
    memory=$(service_memory)
    for what in garbage wrong-json wrong-version half binary huge; do
        timeout 30 python3 "$HELPERS/raw_client.py" "$URLSESSIOND_HOME/socket" "$what" ||
            fail "after $what the connection stays open"
        assert_equal "$(service_pid)" "$pid" "the service after $what"
        BGTOOL_SECONDS=10 run_bgtool status
        assert_status 0
        assert_line_matching '^1 audiobook-42 running '
    done
    assert_between -100000 $(($(service_memory) - memory)) 32768 "kB more in the service"
    server_release gate
    run_bgtool resume
    assert_status 0
    assert_line "finished 1 audiobook-42 2000000"
}

@test "its socket and folder are its user's alone" {
    run_bgtool service start
    assert_equal "$(stat -c %a "$URLSESSIOND_HOME")" 700 "the mode of the home"
    assert_between 0 "$((8#$(stat -c %a "$URLSESSIOND_HOME/socket") & 8#022))" 0 "others' right to connect"
}

# --- how it is born

@test "it keeps nothing of whoever started it" {
    ( # A careless starter: an open file, a loose umask, an ignored signal, a folder.
        umask 000
        trap '' USR1 HUP
        exec 7>"$WORLD/open-file"
        "$BGTOOL" service start >/dev/null 2>&1
    )
    wait_until 10 service_runs
    pid=$(service_pid)
    assert_equal "$(find "/proc/$pid/fd" -lname "$WORLD/open-file")" "" "the starter's descriptors"
    assert_equal "$(find "/proc/$pid/fd" -lname '*pipe*' -o -lname '*/dev/pts/*' | wc -l)" 0 "pipes and terminals" ||
        ls -l "/proc/$pid/fd" >&2
    [[ $(readlink "/proc/$pid/cwd") != "$HERE" ]] || fail "it stands in its starter's folder"
    assert_equal "$(sed -n 's/^Umask:\t//p' "/proc/$pid/status")" 0077 "its umask"
    ignored=$((16#$(sed -n 's/^SigIgn:\t//p' "/proc/$pid/status")))
    assert_equal $((ignored >> 9 & 1)) 0 "whether it ignores SIGUSR1, as its starter did"
    read -r session terminal < <(sed 's/.*) //' "/proc/$pid/stat" | cut -d ' ' -f 4,5)
    [[ $session != "$(sed 's/.*) //' /proc/$$/stat | cut -d ' ' -f 4)" ]] || fail "it is in its starter's session"
    assert_equal "$terminal" 0 "its terminal"
}

@test "whoever reads a client's output sees its end, though the service lives on" {
    begun=$(milliseconds)
    said=$(timeout 20 "$BGTOOL" service start 2>&1; echo end)
    assert_between 0 $(($(milliseconds) - begun)) 15000 "ms until the output ended"
    [[ $said == *end ]]
    wait_until 10 service_runs
}

# --- how it ends

@test "killed in mid-transfer, the next start resumes from the bytes on disk, and the hash is right" {
    server_start --interval 0.05
    run_bgtool start "$SERVER/audiobook?hold=gate&holdat=500000" --name audiobook-42
    wait_until 20 task_reaches received audiobook-42 500000
    kill -KILL "$(service_pid)"
    wait_until 10 service_is_gone
    server_release gate
    run_bgtool resume
    assert_status 0
    assert_in_order '^relaunch sees: \["1 audiobook-42 received=[0-9]+"\]$' \
        '^finished 1 audiobook-42 2000000$' '^saved 1 ' '^complete 1 nil$'
    assert_same_bytes audiobook /audiobook
    assert_went_on 500000
}

@test "killed under a waiting owner, it is started again and the owner does not notice" {
    server_start --interval 0
    run_bgtool start "$SERVER/audiobook?hold=gate&holdat=500000" --name audiobook-42
    background owner "$BGTOOL" resume
    owner=$BACKGROUND_PID
    wait_until 20 grep -q '^relaunch sees' "$WORLD/owner.out"
    wait_until 20 task_reaches received audiobook-42 500000
    kill -KILL "$(service_pid)"
    server_release gate
    wait_exit "$owner" 60
    read_output owner
    assert_status 0
    assert_in_order '^finished 1 audiobook-42 2000000$' '^saved 1 ' '^complete 1 nil$'
    assert_same_bytes audiobook /audiobook
    assert_went_on 500000
}

# --- where it lives

@test "a home longer than a socket's address works" {
    server_start --interval 0
    long=$(printf 'long%.0s' {1..50})
    export URLSESSIOND_HOME=$WORLD/$long/home
    run_bgtool start "$SERVER/bytes/1000" --name moon
    assert_status 0
    run_bgtool resume
    assert_status 0
    assert_line "finished 1 moon 1000"
    run_bgtool service stop
    assert_status 0
    wait_until 10 service_is_gone
}

@test "without URLSESSIOND_HOME it lives under XDG_STATE_HOME" {
    export XDG_STATE_HOME=$WORLD/state
    local home=$URLSESSIOND_HOME
    unset URLSESSIOND_HOME
    run_bgtool service start
    assert_status 0
    [[ -S $XDG_STATE_HOME/urlsessiond/socket ]] || fail "no socket in $XDG_STATE_HOME/urlsessiond"
    run_bgtool service stop
    assert_status 0
    wait_until 10 service_is_gone
    export URLSESSIOND_HOME=$home
}
