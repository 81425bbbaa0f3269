#!/usr/bin/env bats
# Experiment 8: a background session belongs to one process, and in it to one session object.
load test_helper

@test "a second process hears -996, and a second object in one process hears nothing" {
    server_start
    run_program "$BIN/lesson-one-owner" "$SERVER"
    assert_status 0
    assert_first_line "first process: owns com.example.one-owner"
    assert_line_matching '^second process: complete 1 NSURLErrorDomain -996 .*in use by another process \(pid [0-9]+\)'
    assert_line "second process: exit status 0"
    assert_line "first object: heard the ends of [1, 2]"
    assert_line "second object: heard the ends of []"
    refute_line_matching '^second object: complete'
    assert_stderr_says "background URLSession with identifier com.example.one-owner already exists"
    assert_equal "$(server_requests GET /bytes/1000)" 2 "requests: none of the second process"
}
