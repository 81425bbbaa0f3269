#!/usr/bin/env bats
# Experiment 10: the user ends the app on purpose. Everything of it is cancelled, it is not woken, and its next
# process hears why. The system's two other reasons stand beside it.
load test_helper

setup() {
    world_begin
    export URLSESSIOND_WAKE_SECONDS=0
}

reason='^complete 1 NSURLErrorDomain -999 cancelled: '

@test "force-quit cancels everything, and the next process hears that the user did it" {
    server_start
    run_bgtool start "$SERVER/audiobook" -o "$HERE/book" --on-finish touch ran
    run_bgtool upload "$BGTOOL" "$SERVER/uploads" --name photo
    run_bgtool force-quit
    assert_status 0
    assert_output "quit bgtool cancelled=2 ended=none"
    wait_until 20 task_is audiobook failed
    wait_until 20 server_has_ended GET /audiobook
    run_bgtool status --all
    refute_line_matching '^wakes '

    run_bgtool resume
    assert_status 1
    assert_line_matching "$reason.*the user quit"
    assert_line_matching '^complete 2 NSURLErrorDomain -999 cancelled: .*the user quit'
    refute_line_matching '^(finished|saved|resumed) '
    assert_no_file "$HERE/book"
    assert_no_file "$HERE/ran"

    # The person is there again: the next transfer is an ordinary one.
    run_bgtool start "$SERVER/audiobook?rate=0" --name again -o "$HERE/again" --on-finish touch ran
    wait_until 60 test -e "$HERE/ran"
}

@test "--end kills the client's processes, and what ended the transfers is heard by the next one" {
    server_start
    run_bgtool start "$SERVER/audiobook" -o "$HERE/book"
    background owner "$BGTOOL" resume
    owner=$BACKGROUND_PID
    wait_until 20 grep -q '^relaunch sees' "$WORLD/owner.out"
    kill -STOP "$owner"
    run_bgtool force-quit --end
    assert_output "quit bgtool cancelled=1 ended=$owner"
    wait_until 20 has_ended "$owner"
    read_output owner
    refute_line_matching '^complete '
    run_bgtool resume
    assert_line_matching "$reason.*the user quit"
}

@test "Ctrl-C, a closed terminal and kill -9 are no force-quit: they cancel nothing" {
    server_start --interval 0.05
    run_bgtool start "$SERVER/audiobook" -o "$HERE/book"
    for signal in INT HUP KILL; do
        background owner "$BGTOOL" resume
        wait_until 20 grep -q '^relaunch sees: \["1 ' "$WORLD/owner.out"
        kill "-$signal" "$BACKGROUND_PID"
        wait_exit "$BACKGROUND_PID" 20
    done
    run_bgtool resume
    assert_status 0
    assert_in_order '^finished 1 audiobook 2000000$' '^complete 1 nil$'
    assert_equal "$(server_requests GET /audiobook)" 1 "requests at the server"
}

@test "another client's transfers are not touched, and a client nobody knows has none" {
    server_start
    run_bgtool start "$SERVER/audiobook" -o "$HERE/book"
    run_bgtool force-quit --client somebody
    assert_output "quit somebody cancelled=0 ended=none"
    wait_until 20 task_is audiobook running
}

@test "background work that is switched off ends, and does not begin, until it is switched on" {
    server_start
    run_bgtool start "$SERVER/audiobook" -o "$HERE/book"
    run_bgtool service background off
    assert_output "background off client=bgtool cancelled=1"
    wait_until 20 task_is audiobook failed
    run_bgtool start "$SERVER/audiobook" --name other -o "$HERE/other"
    assert_refused 1 "other" "switched off" "bgtool service background on"
    wait_until 20 task_is other failed
    run_bgtool service restart
    run_bgtool service background
    assert_output "background off client=bgtool"
    run_bgtool resume
    assert_line_matching "$reason.*switched off"
    assert_line_matching '^complete 2 NSURLErrorDomain -999 cancelled: .*switched off'
    run_bgtool service background on
    assert_output "background on client=bgtool cancelled=0"
    run_bgtool start "$SERVER/audiobook" --name third -o "$HERE/third"
    wait_until 20 task_is third running
    run_bgtool service background sideways
    assert_refused 64 "sideways" "on" "off"
}

@test "a client may hold so many tasks and so many bytes, and no more" {
    export URLSESSIOND_CLIENT_TASKS=2 URLSESSIOND_CLIENT_BYTES=3000000
    server_start
    for name in a b c; do run_bgtool start "$SERVER/audiobook" --name "$name" -o "$HERE/$name"; done
    wait_until 20 task_is c failed
    assert_equal "$(task_state a)" running "the first one's state"
    run_bgtool status
    assert_line_matching '^3 c failed .*limit'
    run_bgtool force-quit
    run_bgtool resume
    run_bgtool service stop

    export URLSESSIOND_CLIENT_TASKS=10 URLSESSIOND_CLIENT_BYTES=2000000
    run_bgtool start "$SERVER/audiobook?rate=0" --name d -o "$HERE/d"
    wait_until 30 task_is d finished
    run_bgtool start "$SERVER/audiobook" --name e -o "$HERE/e"
    wait_until 20 task_is e failed
    run_bgtool resume
    assert_line_matching '^complete 4 nil$'
    assert_line_matching '^complete 5 NSURLErrorDomain -999 cancelled: .*limit'
}
