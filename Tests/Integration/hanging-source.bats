#!/usr/bin/env bats
# An upload's source on a file system that hangs: its read never returns, and nobody else notices.
load test_helper

teardown() {
    if [[ -n ${HANGER:-} ]]; then
        end_process "$HANGER"
        # Nothing can be asked of it any more, not even whether it is a folder.
        umount -l "$WORLD/hang" 2>/dev/null || true
    fi
    world_end
}

# A folder $WORLD/hang with a file of a megabyte that cannot be read.
hang_begin() {
    mkdir "$WORLD/hang"
    background hang python3 "$HELPERS/hanging_fs.py" "$WORLD/hang" 1000000
    HANGER=$BACKGROUND_PID
    wait_until 30 hang_has_spoken
    ! grep -q 'cannot mount' "$WORLD/hang.err" || skip "$(<"$WORLD/hang.err")"
}

hang_has_spoken() { grep -qs mounted "$WORLD/hang.out" || grep -qs 'cannot mount' "$WORLD/hang.err"; }

# An upload that stands in the middle of its first read.
stuck_upload() {
    run_bgtool upload "$WORLD/hang/source" "$SERVER/upload" --name stuck --session stuck
    assert_status 0
    wait_until 30 grep -q '^read' "$WORLD/hang.out"
}

@test "while a source hangs, other uploads and downloads go on, and it can be cancelled" {
    server_start
    hang_begin
    stuck_upload
    run_bgtool start "$SERVER/bytes/3000000" --name down
    assert_status 0
    make_file other 500000
    run_bgtool upload other "$SERVER/upload" --name up
    assert_status 0
    run_bgtool resume
    assert_status 0
    assert_line "finished 1 down 3000000"
    run_bgtool cancel stuck --session stuck
    assert_status 0
    run_bgtool status --session stuck
    refute_line_matching 'running'
}

@test "a service with a hanging source stops when it is asked to, and the next one begins" {
    server_start
    hang_begin
    stuck_upload
    run_bgtool service stop
    assert_status 0
    run_bgtool start "$SERVER/bytes/1000" --name after
    assert_status 0
    run_bgtool resume
    assert_line "finished 1 after 1000"
}
