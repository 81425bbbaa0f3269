#!/usr/bin/env bats
# Experiment 4: the file of an upload must stay as it was. Removed or changed, the task ends with a
# defined error, and never with a torn body that looks like a success.
load test_helper

start_upload() {
    server_start --interval 0.1
    make_file photo.jpg 5000000
    run_bgtool upload photo.jpg "$SERVER/uploads" --name photo-upload-7
    assert_status 0
    wait_until 20 task_reaches sent photo-upload-7 500000
}

@test "a source removed midway ends the upload with -1100 and a sentence that helps" {
    start_upload
    rm photo.jpg
    wait_until 30 task_is photo-upload-7 failed
    run_bgtool resume
    assert_status 1
    assert_in_order '^relaunch sees' '^complete 1 NSURLErrorDomain -1100 .*/here/photo\.jpg'
    # What happened, and what to do about it.
    assert_line_matching '^complete 1 NSURLErrorDomain -1100 .*(removed|no longer|does not exist|gone)'
    assert_line_matching '^complete 1 NSURLErrorDomain -1100 .*(again|until|put|restore|keep)'
    refute_line_matching '^answer '
    wait_until 10 server_has_ended POST /uploads
    assert_between 0 "$(server_values end POST /uploads received)" 4999999 "bytes the server received"
    run_bgtool resume
    assert_output "relaunch sees: []"
}

@test "a source removed while the upload waits for its server ends it too" {
    port=$(free_port)
    make_file photo.jpg 1000
    run_bgtool upload photo.jpg "http://127.0.0.1:$port/uploads" --name photo-upload-7
    assert_status 0
    wait_until 20 task_is photo-upload-7 waiting
    rm photo.jpg
    run_bgtool resume
    assert_status 1
    assert_line_matching '^complete 1 NSURLErrorDomain -1100 .*/here/photo\.jpg'
}

@test "a source changed midway ends the upload with an error that says so" {
    start_upload
    make_file photo.jpg 5000000
    wait_until 30 task_is photo-upload-7 failed
    run_bgtool resume
    assert_status 1
    assert_line_matching '^complete 1 NSURLErrorDomain -[0-9]+ .*photo\.jpg.*chang|chang.*photo\.jpg'
    refute_line_matching '^answer '
}

@test "the service never touches the source" {
    start_upload
    before=$(stat -c '%i %s %y %a' photo.jpg; sha256sum photo.jpg)
    run_bgtool cancel photo-upload-7
    assert_status 0
    assert_equal "$(stat -c '%i %s %y %a' photo.jpg; sha256sum photo.jpg)" "$before" "the source"
}
