#!/usr/bin/env bats
# The lesson's program as a page prints it, and code of other habits, built in a package of their own from
# this one's library. They know nothing of bgtool and of Linux; `make integration` builds them beforehand.
load test_helper

PROGRAMS=$ROOT/.build/packages/debug

setup() {
    world_begin
    [[ -x $PROGRAMS/lesson-program ]] ||
        fail "$PROGRAMS/lesson-program is not there; run 'make integration', which builds it."
    export URLSESSIOND_PATH=$BIN/urlsessiond
}

# The number of a line that ends with received=N, or with received=N"].
received_in() { sed -n 's/.* received=\([0-9]*\).*/\1/p' <<<"$1"; }

# Experiment 1 with the program of that name.
outlive() {
    server_start
    run_program "$PROGRAMS/$1" start "$SERVER/audiobook"
    assert_status 0
    at_exit=$(received_in "${lines[1]-}")
    assert_output "started 1 audiobook-42" "start process exiting, received=$at_exit"
    assert_between 200000 "$at_exit" 700000 "received when start exited (about 400,000)"
    assert_equal "$(server_has_ended GET /audiobook)" "0 requests have ended"

    sleep 1  # the experiment's own pause

    run_program "$PROGRAMS/$1" resume
    assert_status 0
    at_relaunch=$(received_in "${lines[0]-}")
    assert_output "relaunch sees: [\"1 audiobook-42 received=$at_relaunch\"]" \
        "finished 1 audiobook-42 2000000" "complete 1 nil"
    assert_between $((at_exit + 1)) "$at_relaunch" 1200000 "received at relaunch (about 650,000)"
    assert_same_bytes "$HERE/audiobook-42" /audiobook

    assert_equal "$(server_requests GET /audiobook)" 1 "requests at the server"
    assert_equal "$(server_values start GET /audiobook range)" null "the request's Range"
    assert_equal "$(server_values end GET /audiobook sent)" 2000000 "bytes sent"
}

@test "the page's program, with one import added, finds in a new process the transfer it left" {
    outlive lesson-program
    run_program "$PROGRAMS/lesson-program" resume
    assert_output "relaunch sees: []"
}

@test "the page's program does the same in Swift 5 mode" {
    outlive lesson-program-swift5
}

@test "code that goes on importing FoundationNetworking works beside the aliases of Templates" {
    run_program "$PROGRAMS/networking-program"
    assert_status 0
    assert_output "made 1, suspended" "tasks: 0"
    aliases=$ROOT/Tests/Packages/LessonProgram/Sources/networking-program/URLSessionAliases.swift
    cmp "$aliases" "$ROOT/Templates/URLSessionAliases.swift"
}
