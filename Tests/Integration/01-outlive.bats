#!/usr/bin/env bats
# Experiment 1: a transfer goes on when the process that asked for it ends, and a new process with the
# same session identifier picks it up.
load test_helper

@test "a new process with the same identifier picks up the transfer that the first one left" {
    server_start
    run_bgtool start "$SERVER/audiobook" --name audiobook-42 --wait 2
    assert_status 0
    assert_output "started 1 audiobook-42" "start process exiting"
    at_exit=$(task_value received audiobook-42)
    assert_between 200000 "$at_exit" 700000 "received when start exited (about 400,000)"
    assert_equal "$(clients_alive)" "" "processes of ours between start and resume"

    sleep 1  # the experiment's own pause

    run_bgtool resume
    assert_status 0
    at_relaunch=$(seen_at_relaunch audiobook-42 received)
    assert_first_line "relaunch sees: [\"1 audiobook-42 received=$at_relaunch\"]"
    assert_between $((at_exit + 1)) "$at_relaunch" 1200000 "received at relaunch (about 650,000)"
    assert_in_order '^finished 1 audiobook-42 2000000$' '^saved 1 .*/audiobook$' '^complete 1 nil$'
    assert_same_bytes "$HERE/audiobook" /audiobook

    assert_equal "$(server_requests GET /audiobook)" 1 "requests at the server"
    assert_equal "$(server_values start GET /audiobook range)" null "the request's Range"
    assert_equal "$(server_values end GET /audiobook sent)" 2000000 "bytes sent"
}

@test "start without an address is the lesson's: watched for two seconds, no file kept" {
    # As proxy the slow server stands for 127.0.0.1:8765, whoever listens there.
    server_start
    export http_proxy=$SERVER
    run_bgtool start
    assert_status 0
    assert_output "started 1 audiobook-42" "start process exiting"
    run_bgtool resume
    assert_status 0
    at_relaunch=$(seen_at_relaunch audiobook-42 received)
    assert_output "relaunch sees: [\"1 audiobook-42 received=$at_relaunch\"]" \
        "finished 1 audiobook-42 2000000" "complete 1 nil"
    assert_equal "$(ls -A "$HERE")" "" "files in the folder where start ran"
    audiobook=http://127.0.0.1:8765/audiobook
    assert_equal "$(server_requests GET "$audiobook")" 1 "requests at the server"
    assert_equal "$(server_value start GET "$audiobook" host 1)" 127.0.0.1:8765 "the request's Host"
}

@test "a stopped owner holds nothing up, is not woken, and hears everything when it goes on" {
    server_start --interval 0.05
    run_bgtool start "$SERVER/audiobook" --name audiobook-42
    assert_status 0
    background owner "$BGTOOL" resume
    owner=$BACKGROUND_PID
    wait_until 20 grep -q '^relaunch sees' "$WORLD/owner.out"
    kill -STOP "$owner"
    at_stop=$(task_value received audiobook-42)
    memory=$(service_memory)

    wait_until 30 task_reaches received audiobook-42 $((at_stop + 1))
    wait_until 60 server_has_ended GET /audiobook
    wait_until 20 task_is audiobook-42 finished
    assert_between -100000 $(($(service_memory) - memory)) 8192 "kB more in the service, for news unheard"
    assert_equal "$(clients_alive)" "$owner" "processes of ours while the owner was stopped"

    kill -CONT "$owner"
    wait_exit "$owner" 30
    read_output owner
    assert_status 0
    assert_in_order '^relaunch sees' '^finished 1 audiobook-42 2000000$' '^saved 1 ' '^complete 1 nil$'
    assert_equal "$(server_requests GET /audiobook)" 1 "requests at the server"
    assert_same_bytes "$HERE/audiobook" /audiobook
}

@test "a start killed as soon as it has said 'started' has lost nothing" {
    server_start --interval 0.05
    background start "$BGTOOL" start "$SERVER/audiobook" --name audiobook-42 --wait 60
    wait_until 20 grep -q '^started 1 audiobook-42$' "$WORLD/start.out"
    kill -KILL "$BACKGROUND_PID"
    wait_exit "$BACKGROUND_PID" 10
    run_bgtool resume
    assert_status 0
    assert_in_order '^relaunch sees: \["1 audiobook-42 ' '^finished 1 ' '^saved 1 ' '^complete 1 nil$'
    assert_equal "$(server_requests GET /audiobook)" 1 "requests at the server"
}

@test "Ctrl-C on resume says that the transfers go on, and they do" {
    server_start --interval 0.1
    run_bgtool start "$SERVER/audiobook" --name audiobook-42
    background owner "$BGTOOL" resume
    wait_until 20 grep -q '^relaunch sees' "$WORLD/owner.out"
    kill -INT "$BACKGROUND_PID"
    wait_exit "$BACKGROUND_PID" 10
    read_output owner
    assert_stderr_says "go on"
    at_exit=$(task_value received audiobook-42)
    wait_until 20 task_reaches received audiobook-42 $((at_exit + 1))
    run_bgtool resume
    assert_status 0
    assert_in_order '^relaunch sees' '^finished 1 audiobook-42 2000000$' '^complete 1 nil$'
    assert_equal "$(server_requests GET /audiobook)" 1 "requests at the server"
}

@test "resume leaves after its timeout, and the transfer goes on" {
    server_start --interval 0.2
    run_bgtool start "$SERVER/audiobook" --name audiobook-42
    run_bgtool resume --timeout 1
    assert_status 75
    refute_line_matching '^(finished|complete) '
    at_exit=$(task_value received audiobook-42)
    wait_until 20 task_reaches received audiobook-42 $((at_exit + 1))
}
