#!/usr/bin/env bats
# What only root can do to a machine, done to one service: its wall clock is set, its user's quota is used up
# (helpers/machine_faults.c, preloaded).
load test_helper

setup_file() {
    local compiler
    compiler=$(command -v clang || command -v cc)
    "$compiler" -shared -fPIC -O1 -o "$BATS_FILE_TMPDIR/faults.so" "$HELPERS/machine_faults.c" -ldl
}

setup() {
    world_begin
    faults 0 0
    background service env LD_PRELOAD="$BATS_FILE_TMPDIR/faults.so" MACHINE_FAULTS="$WORLD/faults" \
        "$BIN/urlsessiond"
    wait_until 30 test -S "$URLSESSIOND_HOME/socket"
    server_start --interval 0
}

# faults SECONDS REFUSED   from now on: by how much the clock was set, and whether bodies get no more room
faults() {
    python3 - "$WORLD/faults" "$@" <<<'
import os, struct, sys
file = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT, 0o600)
os.pwrite(file, struct.pack("=qq", int(sys.argv[2]), int(sys.argv[3])), 0)'
}

# body_is_on_disk BYTES   for waiting
body_is_on_disk() { find "$URLSESSIOND_HOME/bodies" -type f -size "$1c" | grep -q .; }

# The year that the service writes down for its newest line.
year_in_log() { tail -n 1 "$URLSESSIOND_HOME/log/urlsessiond.log" | cut -c 1-4; }

@test "a quota that is used up fails the download with its bytes kept, and the next start goes on from them" {
    local address="$SERVER/bytes/1000000?hold=gate&holdat=400000"
    run_bgtool start "$address" --name moon -o moon
    wait_until 30 body_is_on_disk 400000
    faults 0 1
    server_release gate
    run_bgtool resume
    assert_status 1
    assert_line_matching '^complete 1 NSURLErrorDomain -3003 .*quota'
    assert_no_file moon
    service_runs || fail "the service has ended"

    faults 0 0
    run_bgtool start "$address" --name moon -o moon
    run_bgtool resume
    assert_status 0
    # Half of them made room for the record that says so.
    assert_in_order '^resumed 2 moon offset=200000$' '^finished 2 moon 1000000$' '^complete 2 nil$'
    assert_same_bytes moon /bytes/1000000
}

@test "a clock that is set years on or back ends no transfer, and strands none that waits to try again" {
    local years=63072000 name
    run_bgtool start "$SERVER/bytes/300000/far?hold=gate&holdat=100000" --name far -o far --resource-timeout 3600
    wait_until 30 task_reaches received far 100000
    faults $years 0
    run_bgtool start "$SERVER/bytes/300000/on?drop=100000" --name on -o on --resource-timeout 3600
    wait_until 60 task_is on finished
    faults -$years 0
    run_bgtool start "$SERVER/bytes/300000/back?drop=100000" --name back -o back --resource-timeout 3600
    wait_until 60 task_is back finished
    assert_equal "$(year_in_log)" "$(($(date -u +%Y) - 2))" "the service's own year"
    server_release gate
    run_bgtool resume
    assert_status 0
    for name in far on back; do assert_same_bytes "$name" "/bytes/300000/$name"; done
    assert_equal "$(server_requests GET /bytes/300000/far)" 1 "requests for the one that was under way"
}
