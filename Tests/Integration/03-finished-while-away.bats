#!/usr/bin/env bats
# Experiment 3: a transfer that ends while nobody is there is told once, to the next process.
load test_helper

finish_while_away() {
    server_start --interval 0.01
    run_bgtool start "$SERVER/audiobook" --name audiobook-42 "$@"
    assert_status 0
    wait_until 30 server_has_ended GET /audiobook
    wait_until 20 task_is audiobook-42 finished --all
}

@test "the result is kept, told once, and then the session says that its events are finished" {
    finish_while_away
    assert_no_file "$HERE/audiobook"

    run_bgtool resume
    assert_status 0
    # A task that has ended may or may not be among those a session lists; its events come either way.
    assert_line_matching '^relaunch sees: \[("1 audiobook-42 received=2000000")?\]$'
    assert_in_order '^relaunch sees' '^finished 1 audiobook-42 2000000$' '^saved 1 .*/audiobook$' \
        '^complete 1 nil$' '^events finished$'
    assert_last_line "events finished"
    assert_same_bytes "$HERE/audiobook" /audiobook

    run_bgtool resume
    assert_status 0
    assert_output "relaunch sees: []"
    assert_equal "$(server_requests GET /audiobook)" 1 "requests at the server"
}

@test "a result waits through the service's own end" {
    export URLSESSIOND_IDLE_SECONDS=1
    server_start --interval 0.01
    run_bgtool start "$SERVER/audiobook" --name audiobook-42
    wait_until 30 server_has_ended GET /audiobook
    wait_until 30 service_is_gone
    run_bgtool resume
    assert_status 0
    assert_in_order '^finished 1 audiobook-42 2000000$' '^saved 1 ' '^complete 1 nil$' '^events finished$'
    assert_same_bytes "$HERE/audiobook" /audiobook
    assert_equal "$(server_requests GET /audiobook)" 1 "requests at the server"
}

@test "looking does not use a result up" {
    finish_while_away
    run_bgtool status
    run_bgtool sessions
    run_bgtool status --all --json
    run_bgtool resume
    assert_status 0
    assert_in_order '^finished 1 ' '^saved 1 ' '^complete 1 nil$' '^events finished$'
}

@test "a new identifier at each launch sees nothing, and sessions lists what was left" {
    finish_while_away --session com.example.launch-1
    run_bgtool resume --session com.example.launch-2
    assert_status 0
    assert_output "relaunch sees: []"
    run_bgtool sessions
    assert_status 0
    assert_line_matching 'com\.example\.launch-1'
    run_bgtool resume --session com.example.launch-1
    assert_in_order '^finished 1 audiobook-42 2000000$' '^saved 1 ' '^complete 1 nil$'
}
