#!/usr/bin/env bats
# Clients that behave as none of ours does, and how the service ends under them: nobody else suffers.
load test_helper

rpc() { timeout -k 1 "${RPC_SECONDS:-60}" python3 "$HELPERS/rpc.py" "$URLSESSIOND_HOME/socket" "$@"; }

unruly() {
    timeout -k 1 120 python3 "$HELPERS/unruly.py" "$URLSESSIOND_HOME/socket" "$(service_pid)" "$@"
}

start_service() {
    run_bgtool service start
    assert_status 0
    wait_until 10 service_runs
}

@test "a connection that claims two sessions leaves neither in use when it ends" {
    start_service
    rpc two-claims
}

@test "a client that asks and never reads is cut off" {
    start_service
    rpc deaf "$(service_pid)"
    BGTOOL_SECONDS=10 run_bgtool status
    assert_status 0
}

@test "an owner that floods the service does not keep others from an answer" {
    start_service
    RPC_SECONDS=30 rpc flood
    BGTOOL_SECONDS=10 run_bgtool status
    assert_status 0
}

@test "one that reads a byte now and then costs others nothing, and little memory" {
    start_service
    unruly sip
}

@test "hundreds of half lines are bounded in memory, and others are served beside them" {
    start_service
    unruly half-lines
    wait_until 10 grep -q "half lines" "$URLSESSIOND_HOME/log/urlsessiond.log"
}

@test "five hundred at once are all served" {
    ulimit -n "$(ulimit -H -n)"
    start_service
    unruly five-hundred
}

@test "clients beyond its limit wait, and it does not spin meanwhile" {
    ulimit -n "$(ulimit -H -n)"
    (($(ulimit -n) >= 1200)) || skip "this shell may not have 1200 descriptors"
    start_service
    rpc crowd "$(service_pid)"
}

@test "resume data with a path in it removes nobody's file" {
    start_service
    echo precious >"$WORLD/precious"
    rpc forged-resume-data "$WORLD/precious"
    [[ -s $WORLD/precious ]] || fail "the file is gone"
}

@test "a result is not discarded from under its owner, and is when that has left" {
    server_start --interval 0
    start_service
    rpc discard "$SERVER/bytes/1000"
    assert_equal "$(find "$URLSESSIOND_HOME" -type f -size 1000c)" "" "files of the result"
}

@test "a wish written by a client that died is heard by a service that is just leaving" {
    server_start --interval 0
    start_service
    pid=$(service_pid)
    rpc wish-and-die "$pid" "$SERVER/bytes/1000"
    wait_until 20 has_ended "$pid"
    start_service
    wait_until 20 server_was_asked GET /bytes/1000
}

# --- whose socket it is

@test "a socket that systemd listens at stays when the service leaves, and its log is the log file" {
    background activated python3 "$HELPERS/activate.py" "$BIN/urlsessiond" "$URLSESSIOND_HOME/socket"
    wait_until 10 service_runs
    run_bgtool service status
    assert_status 0
    assert_line_matching "running pid=$(service_pid)"
    run_bgtool service log
    assert_line_matching "urlsessiond .* begins"
    run_bgtool service stop
    assert_status 0
    wait_until 10 service_is_gone
    [[ -S $URLSESSIOND_HOME/socket ]] || fail "the socket is gone"
    assert_equal "$(<"$WORLD/activated.err")" "" "what went to the starter's standard error"
}

@test "a service started by hand replaces the running one and keeps its own socket" {
    start_service
    first=$(service_pid)
    background second "$BIN/urlsessiond"
    second=$BACKGROUND_PID
    wait_until 20 has_ended "$first"
    wait_until 20 service_runs
    assert_equal "$(service_pid)" "$second" "the service"
    [[ -S $URLSESSIOND_HOME/socket ]] || fail "the socket is gone"
    run_bgtool service status
    assert_line_matching "running pid=$second"
}

@test "a log that has grown large is put aside at the next start" {
    (umask 077 && mkdir -p "$URLSESSIOND_HOME/log")
    head -c 5000000 /dev/zero | tr '\0' x >"$URLSESSIOND_HOME/log/urlsessiond.log"
    start_service
    wait_until 10 test -s "$URLSESSIOND_HOME/log/urlsessiond.log.1"
    assert_between 1 "$(stat -c %s "$URLSESSIOND_HOME/log/urlsessiond.log")" 100000 "bytes in the new log"
    assert_equal "$(stat -c %a "$URLSESSIOND_HOME/log/urlsessiond.log")" 600 "its mode"
}

# --- files that are needed

@test "a damaged database takes the files it speaks of with it" {
    server_start --interval 0
    run_bgtool start "$SERVER/bytes/1000" --name moon
    wait_until 20 task_is moon finished
    run_bgtool service stop
    wait_until 10 service_is_gone
    # The journal first: it has what the file lacks.
    rm -f "$URLSESSIOND_HOME"/transfers.sqlite-*
    head -c 8192 /dev/zero >"$URLSESSIOND_HOME/transfers.sqlite"
    start_service
    kept=("$URLSESSIOND_HOME"/transfers.sqlite.damaged-*-bodies/*)
    assert_equal "${#kept[@]}" 1 "bodies kept"
    assert_equal "$(stat -c %s "${kept[0]}")" 1000 "the size of the body that was kept"
}

@test "a result that cannot be handed over waits, and is not lost" {
    server_start --interval 0
    run_bgtool start "$SERVER/bytes/1000" --name moon -o moon
    wait_until 20 task_is moon finished
    # A file where the folder of links should be: for root, too.
    mv "$URLSESSIOND_HOME/Downloads" "$WORLD/links"
    : >"$URLSESSIOND_HOME/Downloads"
    background owner "$BGTOOL" resume
    wait_until 20 grep -q "it is tried again" "$URLSESSIOND_HOME/log/urlsessiond.log"
    rm "$URLSESSIOND_HOME/Downloads"
    wait_exit "$BACKGROUND_PID" 30
    read_output owner
    assert_status 0
    assert_line "saved 1 $HERE/moon"
    assert_same_bytes moon /bytes/1000
}

@test "an upload that names no file is refused" {
    start_service
    rpc upload-of-nothing
}

@test "whoever is refused a session adds nothing to the requests of its owner" {
    server_start --interval 0
    start_service
    rpc refused-owner "$SERVER/bytes/1000"
    assert_equal "$(server_values start GET /bytes/1000 authorization)" False "a stranger's Authorization"
}

@test "what is acknowledged while the disk is full is settled when there is room" {
    server_start --interval 0
    start_service
    rpc full-disk "$(service_pid)" "$URLSESSIOND_HOME/log/urlsessiond.log" "$SERVER/bytes/1000"
}
