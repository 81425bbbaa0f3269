#!/usr/bin/env bats
# Experiment 11: the tasks of a session end while no process of its owner is there, and the service starts the
# program that the owner has registered. Here the owner is bgtool, with a command to run at the end.
load test_helper

# The delay after the first wake, and the length of a visit, in seconds.
setup() {
    world_begin
    export URLSESSIOND_WAKE_SECONDS=600
}

wakes() { timeout -k 1 20 "$BGTOOL" status --all 3>&- | grep '^wakes '; }

wakes_say() {
    local line
    line=$(wakes) || return 1
    echo "$line"
    [[ $line =~ $1 ]]
}

# A program for a session that a raw client registers: rpc.py launch SESSION URL COMMAND…
wish_with_program() {
    timeout -k 1 30 python3 "$HELPERS/rpc.py" "$URLSESSIOND_HOME/socket" launch "$@" 3>&-
}

is_there() { [[ -e $1 ]]; }

# The command's own variables, for its shell to expand.
# shellcheck disable=SC2016
@test "a download without anybody waiting for it is put in place, and its command is run once" {
    server_start --interval 0.02
    run_bgtool start "$SERVER/audiobook" -o "$HERE/book" --on-finish sh -c 'echo "$BGTOOL_FILE" >>ran'
    assert_status 0
    assert_output "started 1 audiobook" "start process exiting"
    wait_until 60 is_there "$HERE/ran"
    wait_until 30 wakes_say 'started=1 last=closed next=now'
    assert_equal "$(<"$HERE/ran")" "$HERE/book" "what the command was told"
    assert_same_bytes "$HERE/book" /audiobook
    assert_equal "$(server_requests GET /audiobook)" 1 "requests at the server"
    run_bgtool resume
    assert_output "relaunch sees: []"
    assert_equal "$(wc -l <"$HERE/ran")" 1 "runs of the command"
    grep -q '^saved 1 ' "$URLSESSIOND_HOME/log/launches.log" || fail "the log has not what the woken program said"
}

@test "a command that takes longer than a visit is neither ended nor run again" {
    export URLSESSIOND_VISIT_SECONDS=1
    server_start --interval 0.01
    run_bgtool start "$SERVER/audiobook" -o "$HERE/book" --on-finish sh -c 'echo 1 >>ran; sleep 3; echo 2 >>ran'
    assert_status 0
    wait_until 60 grep -q 2 "$HERE/ran"
    wait_until 30 wakes_say 'started=1 last=closed'
    assert_equal "$(tr '\n' ' ' <"$HERE/ran")" "1 2 " "what the command wrote"
}

@test "a command whose starter is killed at once is not run again" {
    server_start --interval 0
    run_bgtool start "$SERVER/audiobook?hold=gate" -o "$HERE/book" --on-finish sh -c 'echo 1 >>ran'
    wait_until 20 server_was_asked GET /audiobook
    background first env BGTOOL_CRASH_POINT=afterCommand "$BGTOOL" resume
    wait_until 20 grep -q '^relaunch' "$WORLD/first.out"
    server_release gate
    wait_exit "$BACKGROUND_PID" 60
    assert_status 137
    # What was not acknowledged wakes the next one, which finds the file in place.
    wait_until 60 wakes_say 'started=1 last=closed'
    grep -q '^saved 1 ' "$URLSESSIOND_HOME/log/launches.log" || fail "the woken one heard nothing of the file"
    wait_until 30 is_there "$HERE/ran"
    assert_equal "$(wc -l <"$HERE/ran")" 1 "runs of the command"
}

@test "a woken program gets the identifier and nothing secret, and its end closes the visit" {
    server_start --interval 0.01
    run_bgtool service start
    SECRET=hidden wish_with_program films "$SERVER/audiobook?rate=0" /bin/sh -c "env >$HERE/environment"
    wait_until 60 wakes_say 'wakes films client=rpc started=1 last=exited'
    assert_equal "$(grep -c '^URLSESSION_IDENTIFIER=films$' "$HERE/environment")" 1 "the identifier"
    assert_equal "$(grep -c '^URLSESSION_VISIT=' "$HERE/environment")" 1 "the visit"
    assert_equal "$(grep -c SECRET "$HERE/environment")" 0 "secrets"
    # Not started again for what it left, and nothing is lost.
    wait_until 20 wakes_say 'started=1'
    run_bgtool status --all
    assert_line_matching '^1 film finished .*session=films client=rpc'
}

@test "a visit beyond its time is ended with its whole group, noted, and counts twice" {
    export URLSESSIOND_VISIT_SECONDS=1
    server_start --interval 0.01
    run_bgtool service start
    wish_with_program films "$SERVER/audiobook" /bin/sh -c "sleep 300 & echo \$! >$HERE/child; wait"
    wait_until 60 wakes_say 'started=1 last=overran next=1(2|1)[0-9][0-9]s did not close its visit within 1 s'
    wait_until 20 has_ended "$(<"$HERE/child")"
}

@test "a command that cannot be started is noted, tried again in its time, and nothing is lost" {
    server_start --interval 0.01
    run_bgtool service start
    wish_with_program films "$SERVER/audiobook" "$HERE/not-there"
    wait_until 60 wakes_say 'started=1 last=notStarted next=[56][0-9][0-9]s .*not-there'
    run_bgtool status --all
    assert_line_matching '^1 film finished '
}

@test "a program that fails is tried again after the delay, and a visit survives the service" {
    export URLSESSIOND_WAKE_SECONDS=1
    server_start --interval 0.01
    run_bgtool service start
    wish_with_program films "$SERVER/audiobook" \
        /bin/sh -c "echo run >>$HERE/runs; [ -e $HERE/good ] || exit 3; touch $HERE/waits; while [ ! -e $HERE/go ]; do sleep 0.1; done"
    wait_until 60 wakes_say 'last=failed .*exit status 3'
    touch "$HERE/good"
    wait_until 60 is_there "$HERE/waits"
    kill -KILL "$(service_pid)"
    wait_until 20 service_is_gone
    run_bgtool service start
    wait_until 20 wakes_say 'last=visiting'
    touch "$HERE/go"
    # It was another service's child, so that nobody knows how it ended.
    wait_until 30 wakes_say 'last=failed .*while no service ran'
}

@test "a person's attachment takes the spacing back" {
    server_start --interval 0.01
    run_bgtool service start
    wish_with_program films "$SERVER/audiobook" /bin/sh -c 'exit 1'
    wait_until 60 wakes_say 'last=failed next=[56][0-9][0-9]s'
    timeout -k 1 30 python3 "$HELPERS/rpc.py" "$URLSESSIOND_HOME/socket" person films 3>&-
    wait_until 30 wakes_say 'started=2 last=failed next=[56][0-9][0-9]s'
}
