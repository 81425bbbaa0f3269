#!/usr/bin/env bats
# Uploads by PUT, taken and refused.
load interop_helper

send() {
    make_file "$HERE/photo" "$1"
    run_bgtool upload photo "$SERVER/$2" --method PUT --name it
    assert_status 0
    run_bgtool resume
}

@test "PUT: the server has the file's bytes" {
    needs put
    send 5000001 put/photo.bin
    assert_status 0
    assert_same_file "$WWW/put/photo.bin" "$HERE/photo"
    wait_until 10 requests_reach 1 /put/photo.bin
    assert_equal "$(fields status /put/photo.bin)" 201
}

@test "PUT: an empty file is an empty file there" {
    needs put
    send 0 put/empty.bin
    assert_status 0
    assert_same_file "$WWW/put/empty.bin" "$HERE/photo"
}

@test "PUT: what is there is replaced" {
    needs put
    echo old >"$WWW/put/photo.bin"
    chmod 666 "$WWW/put/photo.bin"
    send 100000 put/photo.bin
    assert_status 0
    assert_same_file "$WWW/put/photo.bin" "$HERE/photo"
}

@test "PUT of more than the server takes: its refusal is shown" {
    send 20000000 small/photo.bin
    assert_status 1
    assert_line_matching "^answer 1 it status=${REFUSAL:-413}"
    assert_no_file "$WWW/small/photo.bin"
}

@test "PUT where nothing is taken: the server's refusal is shown" {
    send 3000000 files/photo.bin
    assert_status 1
    assert_line_matching '^answer 1 it status=4(03|04|05|13)'
    assert_no_file "$WWW/store/photo.bin"
}
