#!/usr/bin/env bats
# Uploads against servers that refuse them early, are silent or break off (HTTP.md, "Uploads"; CASES.md).
# What becomes of a source that is removed or changed is experiment 4.
load test_helper

identity_of() { stat -c '%i %s %y %a' "$1"; }
sha256_of() { sha256sum "$1" | cut -d ' ' -f 1; }

# refused_early STATUS   the answer comes before the body is read, and is what the owner hears.
refused_early() {
    server_start --interval 0
    make_file photo.jpg 5000000
    before=$(identity_of photo.jpg; sha256_of photo.jpg)
    run_bgtool upload photo.jpg "$SERVER/uploads?early=$1" --name photo
    assert_status 0
    run_bgtool resume
    assert_status 1
    assert_in_order "^answer 1 photo status=$1 $1 " '^complete 1 nil$'
    assert_equal "$(server_requests POST /uploads)" 1 "requests at the server"
    assert_equal "$(server_values end POST /uploads received)" 0 "bytes that the server read"
    assert_equal "$(identity_of photo.jpg; sha256_of photo.jpg)" "$before" "the user's file"
}

@test "a 413 that comes before the body is read is delivered as such, and the file stays" {
    refused_early 413
}

@test "a 401 that comes before the body is read is delivered as such, and the file stays" {
    refused_early 401
}

@test "an early refusal that a reset took with it ends in an answer all the same" {
    server_start --interval 0
    make_file photo.jpg 5000000
    run_bgtool upload photo.jpg "$SERVER/uploads?early=413&rst=1&times=1" --name photo
    run_bgtool resume
    # Either the answer came through before the reset, or the file was sent again.
    assert_line_matching '^answer 1 photo status=(413 |200 POST /uploads 5000000 bytes$)'
    assert_line "complete 1 nil"
}

@test "a server that says nothing to Expect is not waited for: no Expect is sent" {
    server_start --interval 0
    make_file photo.jpg 2000000
    run_bgtool upload photo.jpg "$SERVER/uploads?silent100=1" --name photo
    run_bgtool resume
    assert_status 0
    assert_line "answer 1 photo status=200 POST /uploads 2000000 bytes"
    assert_equal "$(server_values start POST /uploads expect)" null "Expect"
}

@test "the body is exactly the file, and no Content-Type is added" {
    server_start --interval 0
    make_file photo.jpg 1234567
    run_bgtool upload photo.jpg "$SERVER/plain" --name plain
    run_bgtool upload photo.jpg "$SERVER/typed" --name typed -H "Content-Type: image/jpeg"
    : >nothing
    run_bgtool upload nothing "$SERVER/empty" --name empty
    run_bgtool resume
    assert_status 0
    for place in /plain /typed; do
        assert_equal "$(server_values end POST "$place" sha256)" "$(sha256_of photo.jpg)" "the SHA-256"
    done
    assert_equal "$(server_values end POST /empty sha256)" "$(sha256_of nothing)" "the SHA-256 of nothing"
    assert_equal "$(server_values start POST /plain contentType)" null "Content-Type"
    assert_equal "$(server_values start POST /typed contentType)" image/jpeg "Content-Type"
}

@test "an upload that breaks off is sent again from 0, whole" {
    server_start --interval 0
    make_file photo.jpg 3000000
    before=$(identity_of photo.jpg)
    run_bgtool upload photo.jpg "$SERVER/uploads?drop=1000000" --name photo
    run_bgtool resume
    assert_status 0
    assert_line "answer 1 photo status=200 POST /uploads 3000000 bytes"
    assert_equal "$(server_values start POST /uploads range | tr '\n' ' ')" "null null " "ranges"
    assert_equal "$(server_value end POST /uploads sha256 2)" "$(sha256_of photo.jpg)" "the SHA-256"
    assert_equal "$(identity_of photo.jpg)" "$before" "the user's file"
}

@test "a file changed between two attempts is not sent" {
    server_start --interval 0
    make_file photo.jpg 3000000
    # The first attempt breaks off when the gate is opened.
    run_bgtool upload photo.jpg "$SERVER/uploads?hold=gate&holdat=1000000&drop=1000000" --name photo
    wait_until 20 server_was_asked POST /uploads
    echo more >>photo.jpg
    server_release gate
    run_bgtool resume
    assert_status 1
    assert_line_matching '^complete 1 NSURLErrorDomain -3001 .*photo\.jpg.*changed'
    refute_line_matching '^answer '
    assert_between 0 "$(server_values end POST /uploads received | sort -n | tail -1)" 2999999 "bytes received"
}

@test "an error of the server is an upload's answer, not a reason to send again" {
    server_start --interval 0
    make_file photo.jpg 100000
    run_bgtool upload photo.jpg "$SERVER/uploads?status=503&retry=1" --name photo
    run_bgtool resume
    assert_status 1
    assert_in_order '^answer 1 photo status=503 ' '^complete 1 nil$'
    assert_equal "$(server_requests POST /uploads)" 1 "requests at the server"
}

@test "more than 2 GB are sent, to the last byte, in memory that does not grow" {
    background sink python3 "$HELPERS/sink_server.py"
    wait_until 20 grep -q '^listening on ' "$WORLD/sink.out"
    truncate -s 2147483649 large.img
    run_bgtool upload large.img "$(sed -n 's/^listening on //p' "$WORLD/sink.out")/large" --name large
    assert_status 0
    wait_until 60 task_reaches sent large 300000000
    memory=$(service_memory)
    wait_until 120 task_is large finished
    assert_between -100000 $(($(service_memory) - memory)) 16384 "kB more at the end"
    run_bgtool resume
    assert_status 0
    assert_line "answer 1 large status=200 2147483649 bytes"
}
