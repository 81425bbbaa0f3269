#!/usr/bin/env bats
# Experiment 13: an error page is not a file.
load test_helper

error_page_is_no_file() {
    server_start --interval 0
    run_bgtool start "$SERVER/audiobook?status=$1" --name audiobook-42 -o audiobook.m4b
    assert_status 0
    run_bgtool resume
    assert_status 1
    assert_in_order '^relaunch sees' "^refused 1 audiobook-42 status=$1\$" '^complete 1 nil$'
    refute_line_matching '^(finished|saved) '
    assert_equal "$(ls -A "$HERE")" "" "files in the folder where start ran"
    assert_equal "$(server_requests GET /audiobook)" 1 "requests at the server"
    run_bgtool resume
    assert_output "relaunch sees: []"
}

@test "a 404 completes without a transport error, shows its status, and leaves no file" {
    error_page_is_no_file 404
}

@test "a 500 completes without a transport error, shows its status, and leaves no file" {
    error_page_is_no_file 500
}

@test "an error page does not replace the file that --force would replace" {
    server_start --interval 0
    echo "the old one" >audiobook.m4b
    run_bgtool start "$SERVER/audiobook?status=404" --name audiobook-42 -o audiobook.m4b --force
    assert_status 0
    run_bgtool resume
    assert_status 1
    assert_line "refused 1 audiobook-42 status=404"
    assert_equal "$(<audiobook.m4b)" "the old one"
}

@test "a wish that was refused may be asked for again" {
    server_start --interval 0
    run_bgtool start "$SERVER/audiobook?status=503&times=1" --name audiobook-42 -o audiobook.m4b
    run_bgtool resume
    assert_status 1
    assert_line "refused 1 audiobook-42 status=503"
    run_bgtool start "$SERVER/audiobook?status=503&times=1" --name audiobook-42 -o audiobook.m4b
    assert_status 0
    assert_first_line "started 2 audiobook-42"
    run_bgtool resume
    assert_status 0
    assert_in_order '^finished 2 audiobook-42 2000000$' '^saved 2 ' '^complete 2 nil$'
    assert_same_bytes audiobook.m4b /audiobook
}
