#!/usr/bin/env bats
# `bgtool cancel`: end a transfer, or with --keep pause it and keep its bytes.
load test_helper

@test "cancel ends the transfer, by name" {
    server_start --interval 0
    run_bgtool start "$(standing_at 500000)" --name audiobook-42
    wait_until 20 task_reaches received audiobook-42 500000
    run_bgtool cancel audiobook-42
    assert_status 0
    wait_until 10 server_has_ended GET /audiobook
    assert_between 1 "$(server_values end GET /audiobook sent)" 1999999 "bytes sent before the end"
    ! task_is audiobook-42 running || fail "it still runs"
    assert_no_file "$HERE/audiobook"
    assert_equal "$(find "$URLSESSIOND_HOME" -type f -path '*bodies*')" "" "partial files"
}

@test "cancel ends the transfer, by identifier, and leaves the others" {
    server_start --interval 0
    run_bgtool start "$SERVER/bytes/1000/a?hold=gate" --name one -o one
    run_bgtool start "$SERVER/bytes/1000/b?hold=gate" --name two -o two
    run_bgtool start "$SERVER/bytes/1000/c?hold=gate" --name three -o three
    run_bgtool cancel 1 three
    assert_status 0
    server_release gate
    wait_until 20 task_is two finished
    run_bgtool resume
    assert_line "finished 2 two 1000"
    refute_line_matching '^(finished|saved) [13] '
}

@test "what was cancelled may be asked for again, from the start" {
    server_start --interval 0
    run_bgtool start "$(standing_at 500000)" --name audiobook-42
    wait_until 20 task_reaches received audiobook-42 500000
    run_bgtool cancel audiobook-42
    server_release gate
    run_bgtool start "$(standing_at 500000)" --name audiobook-42
    assert_status 0
    assert_first_line "started 2 audiobook-42"
    run_bgtool resume
    assert_line "finished 2 audiobook-42 2000000"
    assert_same_bytes audiobook /audiobook
    assert_equal "$(server_value start GET /audiobook range 2)" null "the second request's Range"
}

@test "cancel uses up no result of another task" {
    server_start --interval 0
    run_bgtool start "$SERVER/bytes/1000" --name ready
    wait_until 20 task_is ready finished
    run_bgtool start "$SERVER/audiobook?hold=gate" --name audiobook-42
    run_bgtool cancel audiobook-42
    assert_status 0
    run_bgtool resume
    assert_in_order '^finished 1 ready 1000$' '^saved 1 ' '^complete 1 nil$'
}

@test "a result that nobody comes for is listed, and a person can remove it" {
    server_start --interval 0
    run_bgtool start "$SERVER/bytes/1000" --name ready -o ready
    wait_until 20 task_is ready finished
    run_bgtool cancel ready
    assert_status 1
    assert_stderr_says ready --discard
    run_bgtool cancel ready --discard
    assert_status 0
    run_bgtool status --all
    assert_no_output
    assert_equal "$(find "$URLSESSIOND_HOME" -type f -size 1000c)" "" "files of the result"
    run_bgtool resume
    assert_output "relaunch sees: []"
}
