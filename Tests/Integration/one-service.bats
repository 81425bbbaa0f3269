#!/usr/bin/env bats
# One service for each home, whoever starts it, whenever; and nobody who comes at the wrong moment is turned away.
load test_helper

rpc() { timeout -k 1 60 python3 "$HELPERS/rpc.py" "$URLSESSIOND_HOME/socket" "$@"; }

# From the service's log: each service began when the one before had said that it leaves.
assert_one_at_a_time() {
    local log="$URLSESSIOND_HOME/log/urlsessiond.log" order
    order=$(grep -oE 'urlsessiond [0-9.]+ begins|leaving because' "$log" | cut -c 1-7 | uniq -c |
        awk '$1 > 1 { print }')
    assert_equal "$order" "" "services that began or left twice in a row"
    began=$(grep -c 'urlsessiond .* begins' "$log")
}

# visits COUNT   as many programs one after the other; each must find a service.
visits() {
    local number
    for ((number = 0; number < $1; number++)); do
        "$BGTOOL" service start >>"$WORLD/visits.out" 2>&1 || echo "visit ended with $?" >>"$WORLD/visits.out"
        "$BGTOOL" status >>"$WORLD/visits.out" 2>&1 || echo "visit ended with $?" >>"$WORLD/visits.out"
    done
}

# Four at once, in services that leave as soon as they are alone.
crowd_of_visitors() {
    local pids=() number
    : >"$WORLD/visits.out"
    for number in 1 2 3 4; do
        visits "$1" 3>&- &
        pids+=("$!")
    done
    wait "${pids[@]}"
    ! grep -E 'visit ended|rror' "$WORLD/visits.out" || fail "$(sort "$WORLD/visits.out" | uniq -c)"
}

ten_at_once() {
    local number pids=()
    for number in {1..10}; do
        background "ten-$number" "$BGTOOL" service start
        pids+=("$BACKGROUND_PID")
    done
    for number in {1..10}; do
        wait_exit "${pids[$((number - 1))]}" 60
        read_output "ten-$number"
        assert_status 0
    done
}

@test "programs that come while the service leaves are served, and services never overlap" {
    export URLSESSIOND_IDLE_SECONDS=0
    crowd_of_visitors 6
    assert_one_at_a_time
    ((began >= 3)) || fail "only $began services: nobody came while one left"
}

@test "ten at once, and as it leaves: the same with a socket that systemd listens at" {
    export URLSESSIOND_IDLE_SECONDS=0
    background unit python3 "$HELPERS/socket_unit.py" "$BIN/urlsessiond" "$URLSESSIOND_HOME/socket"
    wait_until 10 grep -q listening "$WORLD/unit.out"
    ten_at_once
    crowd_of_visitors 4
    assert_one_at_a_time
    # Every one of them was systemd's: no program has put a socket of its own there.
    assert_equal "$(grep -c started "$WORLD/unit.out")" "$began" "services that the unit started"
    ((began >= 3)) || fail "only $began services: nobody came while one left"
}

@test "a service that systemd starts takes over from a program's, with its transfers" {
    server_start --interval 0
    run_bgtool start "$SERVER/audiobook?hold=gate&holdat=500000" --name audiobook-42
    wait_until 20 task_reaches received audiobook-42 500000
    first=$(service_pid)
    rm "$URLSESSIOND_HOME/socket"
    background unit python3 "$HELPERS/socket_unit.py" "$BIN/urlsessiond" "$URLSESSIOND_HOME/socket"
    wait_until 10 grep -q listening "$WORLD/unit.out"
    run_bgtool status
    assert_line_matching '^1 audiobook-42 '
    wait_until 20 has_ended "$first"
    server_release gate
    run_bgtool resume
    assert_status 0
    assert_line "finished 1 audiobook-42 2000000"
    assert_one_at_a_time
    assert_equal "$(server_requests GET /audiobook)" 2 "requests at the server"
}

# --- who owns a session

@test "a session that is handed over at this very moment is never said to be in use" {
    run_bgtool service start
    rpc hand-over
}

@test "owners that are killed under their successor never make it hear -996" {
    server_start --interval 0
    run_bgtool start "$SERVER/audiobook?hold=gate" --name audiobook-42
    background owner-0 "$BGTOOL" resume
    wait_until 30 grep -q '^relaunch sees' "$WORLD/owner-0.out"
    local round before
    for round in 1 2 3 4; do
        before=$BACKGROUND_PID
        background "owner-$round" "$BGTOOL" resume
        kill -KILL "$before"
        wait_until 30 grep -q '^relaunch sees' "$WORLD/owner-$round.out"
    done
    server_release gate
    wait_exit "$BACKGROUND_PID" 60
    ! grep -l -e '-996' -e 'in use' "$WORLD"/owner-*.err "$WORLD"/owner-*.out ||
        fail "$(cat "$WORLD"/owner-*.err)"
    assert_equal "$(server_requests GET /audiobook)" 1 "requests at the server"
}

# --- what stands where lock and socket should be

@test "a lock file that names a living process, or is old, is in nobody's way" {
    (umask 077 && mkdir -p "$URLSESSIOND_HOME")
    # What other programs write into theirs: here the lock counts, and nobody holds it.
    echo $$ >"$URLSESSIOND_HOME/service.lock"
    echo 1 >"$URLSESSIOND_HOME/start.lock"
    touch -d '3 days ago' "$URLSESSIOND_HOME"/*.lock
    run_bgtool service start
    assert_status 0
    wait_until 10 service_runs
    # The process the file names is somebody else's, and lives.
    run_bgtool service restart
    assert_status 0
    wait_until 10 service_runs
    assert_equal "$(processes_of_this_world | wc -l)" 1 "processes of this world"
}

@test "what is no socket stays where it is, and is named" {
    (umask 077 && mkdir -p "$URLSESSIOND_HOME")
    local socket=$URLSESSIOND_HOME/socket what
    for what in file folder link dangling; do
        case $what in
            file) echo precious >"$socket" ;;
            folder) mkdir "$socket" ;;
            link) echo precious >"$WORLD/precious" && ln -s "$WORLD/precious" "$socket" ;;
            dangling) ln -s "$WORLD/nothing" "$socket" ;;
        esac
        run_bgtool service start
        assert_refused 69 "$socket" "in the way" "move it away"
        run_program "$BIN/urlsessiond"
        assert_refused 69 "$socket" "not a socket"
        [[ -e $socket || -L $socket ]] || fail "the $what is gone"
        service_is_gone || fail "a service runs beside the $what"
        rm -r "$socket"
    done
    assert_equal "$(<"$WORLD/precious")" precious "the file that the link named"
    run_bgtool service start
    assert_status 0
}

@test "a lock that is a folder or a link is named" {
    (umask 077 && mkdir -p "$URLSESSIOND_HOME/start.lock")
    run_bgtool service start
    assert_refused 69 "$URLSESSIOND_HOME/start.lock"
    rmdir "$URLSESSIOND_HOME/start.lock"
    ln -s "$WORLD/elsewhere" "$URLSESSIOND_HOME/start.lock"
    run_bgtool service start
    assert_refused 69 "$URLSESSIOND_HOME/start.lock"
    [[ ! -e $WORLD/elsewhere ]] || fail "a file was made where the link points"
}

@test "a home of another user's, or a link to one, is refused by name and left alone" {
    [[ $EUID -eq 0 ]] || skip "only root can give a folder away"
    install -d -m 700 -o nobody "$URLSESSIOND_HOME"
    run_bgtool service start
    assert_refused 69 "$URLSESSIOND_HOME" "another user" "URLSESSIOND_HOME"
    run_program "$BIN/urlsessiond"
    assert_refused 69 "$URLSESSIOND_HOME" "another user"
    assert_equal "$(find "$URLSESSIOND_HOME" | wc -l)" 1 "what is in it, itself included"
    ln -s "$URLSESSIOND_HOME" "$WORLD/link"
    URLSESSIOND_HOME=$WORLD/link run_bgtool service start
    assert_refused 69 "$WORLD/link" "another user"
}
