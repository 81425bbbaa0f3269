#!/usr/bin/env bats
# Resume data that one process made and another one uses, also across the kinds of sessions; and what sessions
# of a process leave behind.
load test_helper

COURIER=$ROOT/.build/packages/debug/resume-courier

setup() {
    world_begin
    [[ -x $COURIER ]] || fail "$COURIER is not there; run 'make integration', which builds it."
    export URLSESSIOND_PATH=$BIN/urlsessiond TMPDIR=$WORLD/tmp
    mkdir "$TMPDIR"
    server_start
}

# takes_over KIND KIND   pauses in a session of the first kind, and goes on in one of the second.
takes_over() {
    run_program "$COURIER" "$(standing_at 200000)" "$HERE" pause "$1"
    assert_output began paused
    server_release gate
    run_program "$COURIER" "$(standing_at 200000)" "$HERE" go-on "$2"
    assert_status 0
    assert_output "resumed at 200000 of 2000000" "completed nil"
    assert_same_bytes "$HERE/file" /audiobook
    assert_equal "$(server_values start GET /audiobook range | tail -n 1)" "bytes=200000-"
    assert_equal "$(server_requests GET /audiobook)" 2 "requests"
}

nothing_is_left() { assert_equal "$(find "$TMPDIR" -mindepth 1)" "" "files in the temporary directory"; }

@test "a default session goes on from what a background session held" {
    takes_over background default
    nothing_is_left
}

@test "a background session goes on from what a default session held" {
    takes_over default background
    nothing_is_left
}

@test "a default session goes on from what one of an earlier process held" {
    takes_over default default
    nothing_is_left
    assert_no_file "$URLSESSIOND_HOME"
}

@test "an ephemeral session leaves nothing, whether its process exits or is killed" {
    run_program "$COURIER" "$(standing_at 200000)" "$HERE" pause ephemeral
    assert_output began paused
    nothing_is_left

    background killed "$COURIER" "$(standing_at 200000)" "$HERE" stay ephemeral
    wait_until 30 server_was_asked GET /audiobook 2
    kill -KILL "$BACKGROUND_PID"
    wait_exit "$BACKGROUND_PID" 30
    [[ -n $(find "$TMPDIR" -mindepth 1) ]] || fail "it was killed before it had a folder"
    # The next process sweeps. What the one before held is gone, so that this is a download from the beginning.
    server_release gate
    run_program "$COURIER" "$(standing_at 200000)" "$HERE" go-on ephemeral
    assert_output "completed nil"
    nothing_is_left
    assert_no_file "$URLSESSIOND_HOME"
}
