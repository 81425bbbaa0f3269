#!/usr/bin/env bats
# A database that is damaged, foreign or newer is kept aside, with the bodies it speaks of, and said; rows that
# cannot be read are quarantined, and the others go on. Old formats open.
load test_helper
load helpers/store

DATABASE=transfers.sqlite

setup() {
    world_begin
    server_start --interval 0
}

log_says() { grep -F -- "$1" "$URLSESSIOND_HOME/log/urlsessiond.log"; }

# A download that is halfway, and no service.
half_a_download() {
    run_bgtool start "$SERVER/bytes/100000?hold=gate&holdat=50000" --name moon -o moon
    wait_until 30 task_reaches received moon 50000
    kill_service
}

# The next start works, and what was there is still to be looked at.
begins_anew() {
    run_bgtool start "$SERVER/bytes/1000" --name sun -o sun
    assert_status 0
    assert_first_line "started 1 sun"
    log_says "$URLSESSIOND_HOME/$DATABASE"
    local aside
    aside=$(find "$URLSESSIOND_HOME" -maxdepth 1 -type f -name "$DATABASE.*" ! -name '*-wal' ! -name '*-shm')
    assert_equal "$(wc -l <<<"$aside")" 1 "databases kept aside"
    log_says "$aside"
    assert_equal "$(find "$URLSESSIOND_HOME" -path '*-bodies/*' -type f -size 50000c | wc -l)" 1 "bodies kept"
    run_bgtool resume
    assert_status 0
    assert_same_bytes sun /bytes/1000
}

@test "a database of zeros is kept aside" {
    half_a_download
    size=$(stat -c %s "$URLSESSIOND_HOME/$DATABASE")
    head -c "$size" /dev/zero >"$URLSESSIOND_HOME/$DATABASE"
    rm -f "$URLSESSIOND_HOME/$DATABASE"-*
    begins_anew
}

@test "an emptied database is kept aside" {
    half_a_download
    truncate -s 0 "$URLSESSIOND_HOME/$DATABASE"
    begins_anew
}

@test "a database with noise in its middle is kept aside" {
    half_a_download
    sql 'PRAGMA wal_checkpoint(TRUNCATE)'
    dd if=/dev/urandom of="$URLSESSIOND_HOME/$DATABASE" bs=4096 seek=2 count=20 conv=notrunc status=none
    begins_anew
}

@test "a database cut in half is kept aside" {
    half_a_download
    sql 'PRAGMA wal_checkpoint(TRUNCATE)'
    truncate -s 40960 "$URLSESSIOND_HOME/$DATABASE"
    begins_anew
}

@test "a database of a newer service is kept aside" {
    half_a_download
    sql 'PRAGMA user_version = 9999'
    begins_anew
}

@test "a journal with noise in it loses at most its last transactions" {
    half_a_download
    printf 'noise' | dd of="$URLSESSIOND_HOME/$DATABASE-wal" bs=1 seek=5000 conv=notrunc status=none
    run_bgtool start "$SERVER/bytes/1000" --name sun -o sun
    assert_status 0
    run_bgtool resume --timeout 20
    assert_line_matching '^finished [0-9]+ sun 1000$'
}

@test "a task whose row cannot be read is quarantined, and the others go on" {
    run_bgtool start "$SERVER/bytes/100000?hold=gate" --name moon -o moon
    run_bgtool start "$SERVER/bytes/1000?hold=gate" --name sun -o sun
    run_bgtool start "$SERVER/bytes/2000?hold=gate" --name star -o star
    kill_service
    sql "UPDATE task SET json = '{\"kind\":' WHERE identifier = 2"
    server_release gate
    run_bgtool resume
    assert_status 0
    assert_in_order '^complete [13] nil$' '^complete [13] nil$'
    assert_same_bytes moon /bytes/100000
    assert_same_bytes star /bytes/2000
    assert_no_file sun
    log_says "row 2 of task cannot be read and is kept in quarantine"
    run_bgtool service stop
    assert_equal "$(sql 'SELECT count(*) FROM quarantine')" 1 "rows in quarantine"
    assert_equal "$(sql 'SELECT count(*) FROM task')" 0 "tasks left"
}

@test "an event that cannot be read is said again" {
    run_bgtool start "$SERVER/bytes/1000" --name moon -o moon
    wait_until 30 task_is moon finished
    kill_service
    sql "UPDATE outbox SET json = 'noise'"
    run_bgtool resume
    assert_status 0
    assert_in_order '^finished 1 moon 1000$' '^saved 1 ' '^complete 1 nil$' '^events finished$'
    assert_same_bytes moon /bytes/1000
    log_says "of outbox cannot be read and is kept in quarantine"
}

@test "a session whose configuration cannot be read goes on with the usual one" {
    half_a_download
    sql "UPDATE configuration SET json = 'noise'"
    server_release gate
    run_bgtool resume
    assert_status 0
    assert_same_bytes moon /bytes/100000
    log_says "of configuration cannot be read and is kept in quarantine"
}

@test "a home with a database of format 1 opens, and its tasks are there" {
    mkdir -m 700 "$URLSESSIOND_HOME"
    install -m 600 "$ROOT/Tests/Fixtures/store-format-1.sqlite" "$URLSESSIOND_HOME/$DATABASE"
    run_bgtool status --all
    assert_status 0
    assert_equal "${#lines[@]}" 7 "tasks"
    assert_line_matching 'session=nightly client=bgtool'
    assert_equal "$(find "$URLSESSIOND_HOME" -maxdepth 1 -name "$DATABASE.*")" "" "databases kept aside"
}
