#!/usr/bin/env bats
# Experiment 12: the service killed in mid-transfer; the next start of it goes on from the bytes on disk.
load test_helper

kill_service() {
    local pid
    pid=$(service_pid)
    kill -KILL "$pid"
    # Not until there is none: an owner that is there starts the next one at once.
    wait_until 10 has_ended "$pid"
}

# The length of the one body file there is.
bytes_on_disk() { find "$URLSESSIOND_HOME/bodies" -type f -printf '%s\n'; }

@test "after kill -9 of the service the next one asks for the rest, and the file's hash is right" {
    server_start --interval 0
    # The second answer stands half-way too, so that who looks sees it run.
    run_bgtool start "$(standing_at 800000)" --name audiobook-42
    wait_until 30 task_reaches received audiobook-42 800000
    kill_service
    held=$(bytes_on_disk)
    assert_between 1 "$held" 800000 "bytes on disk"

    background owner "$BGTOOL" resume
    owner=$BACKGROUND_PID
    wait_until 30 grep -q '^relaunch sees' "$WORLD/owner.out"
    server_release gate
    wait_exit "$owner" 60
    read_output owner
    assert_status 0
    assert_in_order '^relaunch sees: \["1 audiobook-42 received=' '^finished 1 audiobook-42 2000000$' \
        '^saved 1 ' '^complete 1 nil$'
    # It was the service that went on: for its owner the transfer never stopped.
    refute_line_matching '^resumed '
    assert_same_bytes audiobook /audiobook
    assert_equal "$(server_requests GET /audiobook)" 2 "requests at the server"
    assert_equal "$(server_value start GET /audiobook range 2)" "bytes=$held-" "the second Range"
    [[ $(server_value start GET /audiobook ifRange 2) == \"*\" ]] || fail "no strong ETag in If-Range"
    assert_equal "$(server_value end GET /audiobook sent 2)" $((2000000 - held)) "bytes sent then"
}

@test "an owner that is attached when the service is killed starts the next one and hears the end" {
    server_start --interval 0
    run_bgtool start "$(standing_at 1000000)" --name audiobook-42
    wait_until 30 task_reaches received audiobook-42 1000000
    background owner "$BGTOOL" resume
    owner=$BACKGROUND_PID
    wait_until 20 grep -q '^relaunch sees' "$WORLD/owner.out"
    kill_service
    server_release gate
    wait_exit "$owner" 60
    read_output owner
    assert_status 0
    assert_in_order '^relaunch sees' '^finished 1 audiobook-42 2000000$' '^saved 1 ' '^complete 1 nil$'
    assert_same_bytes audiobook /audiobook
}

@test "killed five times on its way, the file has the right bytes and each byte was held once" {
    server_start --chunk 20000 --interval 0.05
    run_bgtool start "$SERVER/audiobook" --name audiobook-42
    local held=0
    for _ in 1 2 3 4 5; do
        wait_until 30 task_reaches received audiobook-42 $((held + 60000))
        kill_service
        held=$(bytes_on_disk)
        run_bgtool status
    done
    run_bgtool resume
    assert_status 0
    assert_line "finished 1 audiobook-42 2000000"
    assert_same_bytes audiobook /audiobook
    assert_equal "$(server_requests GET /audiobook)" 6 "requests at the server"
}

@test "an upload that was under way when the service was killed is sent again, and whole" {
    server_start --interval 0
    make_file photo.jpg 3000000
    run_bgtool upload photo.jpg "$SERVER/uploads?hold=gate&holdat=1000000" --name photo
    wait_until 20 server_was_asked POST /uploads
    kill_service
    server_release gate
    run_bgtool resume
    assert_status 0
    assert_line "answer 1 photo status=200 POST /uploads 3000000 bytes"
    assert_equal "$(server_requests POST /uploads)" 2 "requests at the server"
    assert_equal "$(server_values end POST /uploads sha256 | grep -v null | sort -u)" \
        "$(sha256sum photo.jpg | cut -d ' ' -f 1)" "the SHA-256 of what came whole"
}

@test "an upload that had its answer is not sent again" {
    server_start --interval 0
    make_file photo.jpg 100000
    run_bgtool upload photo.jpg "$SERVER/uploads" --name photo
    wait_until 20 task_is photo finished
    kill_service
    run_bgtool resume
    assert_status 0
    assert_line "answer 1 photo status=200 POST /uploads 100000 bytes"
    assert_equal "$(server_requests POST /uploads)" 1 "requests at the server"
}
