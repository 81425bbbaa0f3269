#!/usr/bin/env bats
# Data tasks on a background session run while their process is there, and not a moment longer.
load test_helper

PROGRAM=lesson-what-it-accepts

setup() {
    world_begin
    server_start
    : >file
}

next_process() { run_program "$BIN/$PROGRAM" "$SERVER" file --next; }

@test "a data task stops with its process, is never continued, and the next process hears -997" {
    background owner "$BIN/$PROGRAM" "$(standing_at 100000)" file --data
    wait_until 30 grep -qx 'response state 200' "$WORLD/owner.out"
    kill -KILL "$BACKGROUND_PID"
    wait_until 30 server_has_ended GET /audiobook
    next_process
    assert_status 0
    assert_line_matching '^complete state NSURLErrorDomain -997 '
    assert_last_line "events finished"
    next_process
    assert_output "nothing waited"
    assert_equal "$(server_requests GET /audiobook)" 1 "requests"
}

@test "a data task whose answer had not begun is not begun again either" {
    background owner "$BIN/$PROGRAM" "$SERVER/audiobook?slowheaders=60" file --data
    wait_until 30 server_was_asked GET /audiobook
    kill -KILL "$BACKGROUND_PID"
    wait_until 30 task_is state failed --all
    next_process
    assert_line_matching '^complete state NSURLErrorDomain -997 '
    assert_equal "$(server_requests GET /audiobook)" 1 "requests"
}

@test "a data task of a process that died with its service ends too" {
    background owner "$BIN/$PROGRAM" "$(standing_at 100000)" file --data
    wait_until 30 grep -qx 'response state 200' "$WORLD/owner.out"
    kill -STOP "$BACKGROUND_PID"
    kill -KILL "$(service_pid)"
    kill -KILL "$BACKGROUND_PID"
    next_process
    assert_line_matching '^complete state NSURLErrorDomain -997 '
    assert_equal "$(server_requests GET /audiobook)" 1 "requests"
}

@test "a service that is killed under a data task takes the answer with it, and the process hears so" {
    background owner "$BIN/$PROGRAM" "$(standing_at 100000)" file --data
    wait_until 30 grep -qx 'response state 200' "$WORLD/owner.out"
    kill -KILL "$(service_pid)"
    wait_exit "$BACKGROUND_PID" 60
    read_output owner
    assert_line_matching '^complete state NSURLErrorDomain -997 '
    assert_equal "$(server_requests GET /audiobook)" 1 "requests"
}

@test "no pipe and no body of a data task is left behind" {
    run_program "$BIN/$PROGRAM" "$SERVER/bytes/1000000?interval=0.01" file --data
    assert_line_matching '^answer state 1000000 '
    assert_line "complete state nil"
    assert_equal "$(find "$URLSESSIOND_HOME/incoming" "$URLSESSIOND_HOME/bodies" ! -type d)" "" "files"
}
