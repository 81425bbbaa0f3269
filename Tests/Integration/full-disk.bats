#!/usr/bin/env bats
# No room on the disk, or a limit on the size of files, at every place that is written to: a defined error,
# resume data where the rules allow it, the service alive, and all is well again once there is room.
load test_helper
load helpers/store
load helpers/storage

teardown() {
    unmount_all
    world_end
}

log_says() { grep -F -- "$1" "$URLSESSIOND_HOME/log/urlsessiond.log"; }

@test "a body: the download fails with its bytes kept, and the next start goes on from them" {
    server_start --interval 0
    run_bgtool service start
    pid=$(service_pid)
    limit_files 400000
    run_bgtool start "$SERVER/bytes/1000000" --name moon -o moon
    run_bgtool resume
    assert_status 1
    assert_line_matching '^complete 1 NSURLErrorDomain -3003 '
    assert_no_file moon
    assert_equal "$(service_pid)" "$pid" "the service"

    limit_files unlimited
    run_bgtool start "$SERVER/bytes/1000000" --name moon -o moon
    assert_first_line "started 2 moon"
    run_bgtool resume
    assert_status 0
    assert_in_order '^resumed 2 moon offset=400000$' '^finished 2 moon 1000000$' '^complete 2 nil$'
    assert_same_bytes moon /bytes/1000000
    assert_equal "$(server_value start GET /bytes/1000000 range 2)" "bytes=400000-" "the second Range"
    run_bgtool resume
    assert_output "relaunch sees: []"
    run find "$URLSESSIOND_HOME/bodies" "$URLSESSIOND_HOME/wishes" -type f ! -name '*lock'
    assert_equal "$output" "" "files left in the home"
}

@test "the journal: what is asked for is refused and said, and taken once there is room" {
    server_start --interval 0
    run_bgtool service start
    pid=$(service_pid)
    limit_files "$(stat -c %s "$URLSESSIOND_HOME/transfers.sqlite-wal")"
    run_bgtool start "$SERVER/bytes/1000" --name moon -o moon
    assert_status 69
    assert_stderr_says "transfers.sqlite"
    assert_equal "$(service_pid)" "$pid" "the service"

    limit_files unlimited
    run_bgtool start "$SERVER/bytes/1000" --name moon -o moon
    assert_status 0
    run_bgtool resume
    assert_status 0
    assert_same_bytes moon /bytes/1000
    assert_equal "$(server_requests GET /bytes/1000)" 1 "requests"
}

@test "the journal, while a transfer runs: its end is written later and an upload is not sent twice" {
    server_start --interval 0
    make_file gift 100000
    run_bgtool upload gift "$SERVER/uploads?hold=gate" --name gift
    wait_until 30 server_was_asked POST /uploads
    wait_until 30 task_is gift running
    limit_files "$(stat -c %s "$URLSESSIOND_HOME/transfers.sqlite-wal")"
    server_release gate
    wait_until 30 server_has_ended POST /uploads
    wait_until 30 log_says "could not write to the database"
    limit_files unlimited
    run_bgtool resume
    assert_status 0
    assert_in_order '^answer 1 gift status=200 ' '^complete 1 nil$'
    assert_equal "$(server_requests POST /uploads)" 1 "requests"
}

@test "the log: nothing is written there, and nobody notices" {
    server_start --interval 0
    run_bgtool service start
    truncate -s 3M "$URLSESSIOND_HOME/log/urlsessiond.log"
    limit_files 2000000
    pid=$(service_pid)
    run_bgtool start "$SERVER/bytes/100000?drop=50000&times=1" --name moon -o moon
    run_bgtool resume
    assert_status 0
    assert_same_bytes moon /bytes/100000
    assert_equal "$(service_pid)" "$pid" "the service"
}

@test "a wish's record: the start is refused before anything is asked for" {
    server_start --interval 0
    run_bgtool service start
    # Its words go through a pipe: a file could not take them either.
    run_program bash -c "(ulimit -f 0; exec \"$BGTOOL\" start $SERVER/bytes/1000 --name moon) 2>&1 | cat >&2
        exit \${PIPESTATUS[0]}"
    assert_status 69
    assert_stderr_says "$URLSESSIOND_HOME/wishes"
    run_bgtool status
    assert_no_output
    run_bgtool start "$SERVER/bytes/1000" --name moon -o moon
    assert_status 0
    run_bgtool resume
    assert_same_bytes moon /bytes/1000
}

@test "standard output: the files are put in place all the same, and it is said" {
    server_start --interval 0
    run_bgtool start "$SERVER/bytes/1000" --name moon -o moon
    run_program bash -c "\"$BGTOOL\" resume >/dev/full"
    assert_status 1
    assert_stderr_says "No space left"
    assert_same_bytes moon /bytes/1000
    run_program bash -c "\"$BGTOOL\" nonsense 2>/dev/full"
    assert_status 64
}

@test "the destination's disk: the service keeps the file, and the next resume places it" {
    server_start --interval 0
    small_disk "$HERE/small" 1m
    run_bgtool start "$SERVER/bytes/2000000" --name moon -o small/moon
    wait_until 30 task_is moon finished
    run_bgtool resume
    assert_status 1
    assert_line_matching '^kept 1 .*no space is left'
    assert_equal "$(ls -A small)" "" "what the failed attempt left"
    mount -o remount,size=8m "$HERE/small"
    run_bgtool resume
    assert_status 0
    assert_in_order '^saved 1 ' '^complete 1 nil$'
    assert_same_bytes small/moon /bytes/2000000
    assert_equal "$(server_requests GET /bytes/2000000)" 1 "requests"
}

@test "the whole home: a body that fills it fails with its bytes kept, and goes on when there is room" {
    server_start --interval 0
    small_disk "$URLSESSIOND_HOME" 2m
    run_bgtool start "$SERVER/bytes/4000000" --name moon -o moon
    assert_status 0
    pid=$(service_pid)
    run_bgtool resume --timeout 30
    assert_status 1
    assert_line_matching '^complete 1 NSURLErrorDomain -3003 '
    assert_equal "$(service_pid)" "$pid" "the service"
    mount -o remount,size=16m "$URLSESSIOND_HOME"
    run_bgtool start "$SERVER/bytes/4000000" --name moon -o moon
    assert_first_line "started 2 moon"
    run_bgtool resume
    assert_status 0
    assert_line_matching '^resumed 2 moon offset=[0-9]{6,}$'
    assert_same_bytes moon /bytes/4000000
}

@test "the whole home, filled by somebody else: refused, said, and well again once there is room" {
    server_start --interval 0
    small_disk "$URLSESSIOND_HOME" 2m
    run_bgtool service start
    pid=$(service_pid)
    head -c 4000000 /dev/zero >"$URLSESSIOND_HOME/filler" 2>/dev/null || true
    run_bgtool start "$SERVER/bytes/1000" --name moon -o moon
    [[ $status -ne 0 && $status -lt 128 ]] || fail "exit status $status"
    assert_stderr_says "is full"
    assert_equal "$(service_pid)" "$pid" "the service"
    rm "$URLSESSIOND_HOME/filler"
    run_bgtool start "$SERVER/bytes/1000" --name moon -o moon
    assert_status 0
    run_bgtool resume
    assert_status 0
    assert_same_bytes moon /bytes/1000
}

@test "a home that is full when the service starts: said, and well again once there is room" {
    server_start --interval 0
    small_disk "$URLSESSIOND_HOME" 2m
    head -c 4000000 /dev/zero >"$URLSESSIOND_HOME/filler" 2>/dev/null || true
    run_bgtool start "$SERVER/bytes/1000" --name moon -o moon
    assert_status 69
    rm "$URLSESSIOND_HOME/filler"
    run_bgtool start "$SERVER/bytes/1000" --name moon -o moon
    assert_status 0
    run_bgtool resume
    assert_status 0
    assert_same_bytes moon /bytes/1000
}
