#!/usr/bin/env bats
# Experiment 2: an upload goes on with no process of ours alive.
load test_helper

# What the server has read and what the service says is sent differ by what is on the way; the kernel's
# queues hold millions of bytes (HTTP.md), and those must not be called sent.
ON_THE_WAY=1000000

@test "an upload goes on while nobody is there, and its answer reaches the next process" {
    server_start --interval 0.1
    make_file photo.jpg 5000000
    run_bgtool upload photo.jpg "$SERVER/uploads" --name photo-upload-7 --wait 1
    assert_status 0
    assert_output "started 1 photo-upload-7" "start process exiting"
    assert_equal "$(clients_alive)" "" "processes of ours while the upload goes on"

    first=$(task_value sent photo-upload-7)
    read_1=$(server_has_read /uploads)
    sleep 1  # the experiment's own pause
    second=$(task_value sent photo-upload-7)
    read_2=$(server_has_read /uploads)
    assert_between 1 "$first" $((read_1 + ON_THE_WAY)) "sent, beside $read_1 bytes read"
    assert_between $((first + 1)) "$second" $((read_2 + ON_THE_WAY)) "sent a second later, beside $read_2"
    assert_between $((second - ON_THE_WAY)) "$read_2" 5000000 "read by the server, beside $second sent"
    assert_equal "$(task_value expected photo-upload-7)" 5000000 "expected bytes"

    wait_until 60 server_has_ended POST /uploads
    wait_until 20 task_is photo-upload-7 finished
    run_bgtool resume
    assert_status 0
    assert_in_order '^relaunch sees' \
        '^answer 1 photo-upload-7 status=200 POST /uploads 5000000 bytes$' \
        '^complete 1 nil$' '^events finished$'
    assert_equal "$(server_requests POST /uploads)" 1 "requests at the server"
    assert_equal "$(server_values end POST /uploads received)" 5000000 "bytes the server received"
}

@test "an upload that runs is seen by the next process with what it has sent" {
    server_start --interval 0.1
    make_file photo.jpg 5000000
    run_bgtool upload photo.jpg "$SERVER/uploads" --name photo-upload-7
    wait_until 20 task_reaches sent photo-upload-7 1
    run_bgtool resume
    assert_status 0
    sent=$(seen_at_relaunch photo-upload-7 sent)
    assert_first_line "relaunch sees: [\"1 photo-upload-7 sent=$sent\"]"
    assert_between 1 "$sent" 4999999 "sent at relaunch"
    assert_in_order '^answer 1 photo-upload-7 status=200 ' '^complete 1 nil$'
}

@test "upload without a file makes the lesson's, of five million bytes" {
    server_start --interval 0
    run_bgtool upload "$SERVER/uploads"
    assert_status 0
    assert_output "started 1 photo-upload-7" "start process exiting"
    run_bgtool resume
    assert_status 0
    assert_line "answer 1 photo-upload-7 status=200 POST /uploads 5000000 bytes"
}

@test "PUT sends exactly the file" {
    server_start --interval 0
    make_file photo.jpg 1234567
    run_bgtool upload photo.jpg "$SERVER/uploads/photo.jpg" --method PUT
    assert_status 0
    assert_first_line "started 1 photo.jpg"
    run_bgtool resume
    assert_status 0
    assert_line "answer 1 photo.jpg status=201 PUT /uploads/photo.jpg 1234567 bytes"
}

@test "an upload the server refuses shows its status and answer, and is no success" {
    server_start --interval 0
    make_file photo.jpg 100000
    run_bgtool upload photo.jpg "$SERVER/uploads?status=403" --name photo
    assert_status 0
    run_bgtool resume
    assert_status 1
    assert_in_order '^answer 1 photo status=403 ' '^complete 1 nil$'
    assert_equal "$(server_requests POST /uploads)" 1 "requests at the server"
}
