#!/usr/bin/env bats
# Programs and services of different versions, and a service that is replaced under running transfers.
load test_helper

rpc() { timeout -k 1 60 python3 "$HELPERS/rpc.py" "$URLSESSIOND_HOME/socket" "$@"; }

# other_service VERSION   in place of ours
other_service() {
    background other python3 "$HELPERS/versioned_service.py" "$URLSESSIOND_HOME" "$1"
    OTHER=$BACKGROUND_PID
    wait_until 10 grep -q listening "$WORLD/other.out"
}

start_held_download() {
    server_start --interval 0
    run_bgtool start "$SERVER/audiobook?hold=gate&holdat=500000" --name audiobook-42
    wait_until 20 task_reaches received audiobook-42 500000
}

finish_download() {
    server_release gate
    run_bgtool resume
    assert_status 0
    assert_line "finished 1 audiobook-42 2000000"
    assert_same_bytes audiobook /audiobook
    assert_equal "$(server_requests GET /audiobook)" 2 "requests at the server"
    [[ $(server_value start GET /audiobook range 2) =~ ^bytes=[0-9]+-$ ]] || fail "it began at 0 again"
}

@test "an older service is asked to leave and replaced, and its transfers go on" {
    start_held_download
    run_bgtool service stop
    wait_until 10 service_is_gone
    other_service 0
    run_bgtool status
    assert_status 0
    assert_line_matching '^1 audiobook-42 '
    wait_exit "$OTHER" 10
    read_output other
    assert_output listening "hello 1" "shutdown None"
    finish_download
}

@test "a newer service is left alone: the program says that it is too old, and loses nothing" {
    start_held_download
    run_bgtool service stop
    wait_until 10 service_is_gone
    other_service 2
    for command in "start $SERVER/bytes/1000 --name moon" status resume "service status"; do
        # shellcheck disable=SC2086  # words
        run_bgtool $command
        assert_refused 69 "version 2" "version 1" "update this program"
    done
    ! has_ended "$OTHER" || fail "the newer service was sent away"
    ! grep -q shutdown "$WORLD/other.out" || fail "a newer service was asked to leave"
    kill -TERM "$OTHER"
    wait_until 10 has_ended "$OTHER"
    finish_download
}

@test "a newer program is told our version, may send us away, and transfers go on in the next service" {
    start_held_download
    first=$(service_pid)
    rpc version 2 shutdown
    wait_until 20 has_ended "$first"
    finish_download
}

@test "an older program is told our version, and disturbs nobody" {
    start_held_download
    first=$(service_pid)
    rpc version 0
    assert_equal "$(service_pid)" "$first" "the service"
    task_is audiobook-42 running || fail "the transfer stopped"
    assert_equal "$(server_requests GET /audiobook)" 1 "requests at the server"
}

@test "every call of version 1, as it was written down, is understood" {
    run_bgtool service start
    rpc golden "$ROOT/Tests/Fixtures/wire-v1.jsonl"
    service_runs || fail "the service has ended"
}

@test "a service that is replaced under running transfers: each goes on, and its owner does not notice" {
    server_start --interval 0
    local number
    for number in 1 2 3; do
        run_bgtool start "$SERVER/bytes/2000000/$number?hold=gate&holdat=500000" --name "book-$number" -o "book-$number"
        assert_status 0
    done
    background owner "$BGTOOL" resume
    owner=$BACKGROUND_PID
    wait_until 30 grep -q '^relaunch sees' "$WORLD/owner.out"
    for number in 1 2 3; do wait_until 30 task_reaches received "book-$number" 500000; done
    first=$(service_pid)
    run_bgtool service restart
    assert_status 0
    wait_until 20 has_ended "$first"
    server_release gate
    wait_exit "$owner" 60
    read_output owner
    assert_status 0
    for number in 1 2 3; do
        assert_line "finished $number book-$number 2000000"
        assert_same_bytes "book-$number" "/bytes/2000000/$number"
        assert_equal "$(server_requests GET "/bytes/2000000/$number")" 2 "requests for book-$number"
        [[ $(server_value start GET "/bytes/2000000/$number" range 2) =~ ^bytes=[0-9]+-$ ]] ||
            fail "book-$number began at 0 again"
    done
}
