#!/usr/bin/env bats
# The machine crashes: another boot id, and files that are longer than what was on the disk for certain, with
# zeros where the bytes should be. What was not synced is fetched again; what an owner has is left alone.
load test_helper
load helpers/store

# boot NAME   the machine as the service sees it from now on.
boot() { export URLSESSIOND_BOOT_IDENTITY=$1; }

setup() {
    world_begin
    boot first
    server_start --interval 0
}

# zeros_after BYTES LENGTH   what a file system may leave of a body.
zeros_after() {
    truncate -s "$1" "$(the_body)"
    truncate -s "$2" "$(the_body)"
}

is_synced() {
    local offset
    offset=$(sql 'SELECT synced_offset FROM task')
    echo "synced_offset=$offset"
    [[ $offset == "$1" ]]
}

@test "a body with a tail of zeros is gone on with from what was synced" {
    run_bgtool start "$SERVER/bytes/1000000?hold=gate&holdat=600000" --name moon -o moon
    wait_until 30 task_reaches received moon 600000
    wait_until 30 is_synced 600000
    kill_service
    sql 'UPDATE task SET synced_offset = 500000'
    zeros_after 500000 900000
    server_release gate
    boot second
    run_bgtool resume
    assert_status 0
    assert_in_order '^finished 1 moon 1000000$' '^complete 1 nil$'
    assert_same_bytes moon /bytes/1000000
    assert_equal "$(server_value start GET /bytes/1000000 range 2)" "bytes=500000-" "the second Range"
}

@test "the same after a crash of the service alone trusts every byte" {
    run_bgtool start "$SERVER/bytes/1000000?hold=gate&holdat=600000" --name moon -o moon
    wait_until 30 task_reaches received moon 600000
    kill_service
    sql 'UPDATE task SET synced_offset = 500000'
    server_release gate
    run_bgtool resume
    assert_status 0
    assert_same_bytes moon /bytes/1000000
    assert_equal "$(server_value start GET /bytes/1000000 range 2)" "bytes=600000-" "the second Range"
}

@test "a finished body that nobody has acknowledged is completed before it is delivered" {
    run_bgtool start "$SERVER/bytes/1000000" --name moon -o moon
    wait_until 30 task_is moon finished
    kill_service
    sql 'UPDATE task SET synced_offset = 300000'
    zeros_after 300000 1000000
    boot second
    run_bgtool resume
    assert_status 0
    assert_in_order '^finished 1 moon 1000000$' '^saved 1 ' '^complete 1 nil$'
    assert_equal "$(grep -c '^complete' <<<"$output")" 1 "completions"
    assert_same_bytes moon /bytes/1000000
    assert_equal "$(server_value start GET /bytes/1000000 range 2)" "bytes=300000-" "the second Range"
}

@test "a file that its owner has placed already is not cut, and not placed a second time" {
    run_bgtool start "$SERVER/bytes/1000000" --name moon -o moon
    wait_until 30 task_is moon finished
    BGTOOL_CRASH_POINT=afterPlacing run_bgtool resume
    assert_status 137
    inode=$(stat -c %i moon)
    kill_service
    sql 'UPDATE task SET synced_offset = 300000'
    boot second
    run_bgtool service start
    wait_until 30 task_is moon finished
    assert_equal "$(stat -c '%i %s' moon)" "$inode 1000000" "the owner's file"
    run_bgtool resume
    assert_status 0
    assert_line 'complete 1 nil'
    assert_equal "$(stat -c %i moon)" "$inode" "the owner's file"
    assert_same_bytes moon /bytes/1000000
}

@test "a whole body that was synced is not fetched again" {
    run_bgtool start "$SERVER/bytes/1000000" --name moon -o moon
    wait_until 30 task_is moon finished
    wait_until 30 is_synced 1000000
    kill_service
    boot second
    run_bgtool resume
    assert_status 0
    assert_same_bytes moon /bytes/1000000
    assert_equal "$(server_requests GET /bytes/1000000)" 1 "requests"
}

@test "resume data outlives the machine with as many bytes as were synced" {
    run_bgtool start "$SERVER/bytes/1000000?hold=gate&holdat=600000" --name moon -o moon
    wait_until 30 task_reaches received moon 600000
    run_bgtool cancel moon --keep
    assert_status 0
    kill_service
    sql 'UPDATE partial SET synced_offset = 500000'
    zeros_after 500000 600000
    server_release gate
    boot second
    run_bgtool start "$SERVER/bytes/1000000?hold=gate&holdat=600000" --name moon -o moon
    run_bgtool resume
    assert_status 0
    assert_same_bytes moon /bytes/1000000
    assert_equal "$(server_value start GET /bytes/1000000 range 2)" "bytes=500000-" "the second Range"
}
