#!/usr/bin/env bats
# Experiment 7: where resuming would not be safe, a paused download starts again: right bytes, no mixed file.
load test_helper

# pause_and_start_again PARAMETERS   paused at 500,000 of 2,000,000 bytes, then started again to its end.
pause_and_start_again() {
    server_start --interval 0
    run_bgtool start "$(standing_at 500000 "$1")" --name audiobook-42
    wait_until 30 task_reaches received audiobook-42 500000
    run_bgtool cancel audiobook-42 --keep
    assert_status 0
    server_release gate
    run_bgtool start "$(standing_at 500000 "$1")" --name audiobook-42
    assert_status 0
    run_bgtool resume
    assert_status 0
    refute_line_matching '^resumed '
    assert_in_order '^finished 2 audiobook-42 2000000$' '^saved 2 ' '^complete 2 nil$'
    assert_equal "$(server_requests GET /audiobook)" 2 "requests at the server"
    assert_equal "$(server_value end GET /audiobook status 2)" 200 "the second answer"
    assert_equal "$(server_value end GET /audiobook sent 2)" 2000000 "bytes sent the second time"
}

@test "without ETag and Last-Modified nothing is kept, and the whole is asked for" {
    pause_and_start_again validators=none
    assert_same_bytes audiobook /audiobook
    assert_equal "$(server_values start GET /audiobook range | tr '\n' ' ')" "null null " "the ranges"
}

@test "a weak ETag is as good as none" {
    pause_and_start_again etag=weak
    assert_same_bytes audiobook /audiobook
    assert_equal "$(server_values start GET /audiobook ifRange | tr '\n' ' ')" "null null " "If-Range"
}

@test "a changed ETag brings the new version, whole" {
    pause_and_start_again flip=1
    assert_same_bytes audiobook "/audiobook?version=2"
    assert_equal "$(server_value start GET /audiobook range 2)" "bytes=500000-" "the second Range"
}

@test "a server that ignores ranges brings the whole" {
    pause_and_start_again ranges=ignore
    assert_same_bytes audiobook /audiobook
    assert_equal "$(server_value start GET /audiobook range 2)" "bytes=500000-" "the second Range"
}

@test "a server that says it has no ranges is not asked for one" {
    pause_and_start_again ranges=none
    assert_same_bytes audiobook /audiobook
    assert_equal "$(server_values start GET /audiobook range | tr '\n' ' ')" "null null " "the ranges"
}
