#!/usr/bin/env bats
# Folders that cannot be written to, that have vanished, or that lie on another file system: the service's own
# and those where files belong. A file that cannot be placed stays with the service until it can.
load test_helper
load helpers/store
load helpers/storage

setup() {
    world_begin
    server_start --interval 0
}

teardown() {
    [[ -z ${ELSEWHERE-} ]] || rm -rf "$ELSEWHERE"
    unmount_all
    world_end
}

# finished_download PATH   a download for that destination, finished and not yet heard of.
finished_download() {
    run_bgtool start "$SERVER/bytes/100000" --name moon -o "$1"
    assert_status 0
    wait_until 30 task_is moon finished
}

# The file waited through all of it, and came once.
is_placed_now() {
    run_bgtool resume
    assert_status 0
    assert_in_order '^finished 1 moon 100000$' '^saved 1 ' '^complete 1 nil$'
    assert_same_bytes "$1" /bytes/100000
    assert_equal "$(server_requests GET /bytes/100000)" 1 "requests"
    run_bgtool resume
    assert_output "relaunch sees: []"
    assert_equal "$(find "$URLSESSIOND_HOME/bodies" "$URLSESSIOND_HOME/Downloads" -type f)" "" "what is left"
}

is_kept() {
    run_bgtool resume
    assert_status 1
    assert_line_matching "^kept 1 .*$1"
    [[ -n $(the_body) ]] || fail "the service does not have the file any more"
}

# --- destinations

@test "a destination on another file system gets the file" {
    ELSEWHERE=$(mktemp -d /dev/shm/bg.XXXXXX)
    [[ $(stat -c %d "$ELSEWHERE") != $(stat -c %d "$HERE") ]] || skip "there is one file system only"
    finished_download "$ELSEWHERE/moon"
    is_placed_now "$ELSEWHERE/moon"
    assert_equal "$(ls -A "$ELSEWHERE")" moon "what is there"
}

@test "a destination that became a folder: the file is kept, and placed when the folder is gone" {
    finished_download moon
    mkdir moon
    is_kept moon
    rmdir moon
    is_placed_now moon
}

@test "a destination's folder that cannot be written to any more: kept, and placed later" {
    mkdir shelf
    finished_download shelf/moon
    unwritable "$HERE/shelf"
    is_kept shelf
    writable "$HERE/shelf"
    is_placed_now shelf/moon
}

@test "a destination's folder that has vanished: kept, and placed when it is there again" {
    mkdir shelf
    finished_download shelf/moon
    rmdir shelf
    is_kept shelf
    mkdir shelf
    is_placed_now shelf/moon
}

# --- the service's own folders

@test "a folder of bodies that cannot be written to: a defined error, and well again" {
    run_bgtool service start
    unwritable "$URLSESSIOND_HOME/bodies"
    run_bgtool start "$SERVER/bytes/100000" --name moon -o moon
    run_bgtool resume
    assert_status 1
    assert_line_matching '^complete 1 NSURLErrorDomain -3000 '
    service_runs || fail "the service is gone"
    writable "$URLSESSIOND_HOME/bodies"
    run_bgtool start "$SERVER/bytes/100000" --name moon -o moon
    run_bgtool resume
    assert_status 0
    assert_same_bytes moon /bytes/100000
}

@test "a folder for owners that cannot be written to: nothing is lost, and the file comes later" {
    finished_download moon
    unwritable "$URLSESSIOND_HOME/Downloads"
    run_bgtool resume --timeout 1
    assert_status 75
    refute_line_matching '^(finished|complete)'
    writable "$URLSESSIOND_HOME/Downloads"
    is_placed_now moon
}

@test "a folder for owners on another file system: the file is copied there" {
    small_disk "$URLSESSIOND_HOME/Downloads" 8m
    finished_download moon
    is_placed_now moon
}

@test "folders that have vanished are made again" {
    run_bgtool service start
    rm -rf "$URLSESSIOND_HOME"/{bodies,Downloads,incoming,wishes}
    finished_download moon
    rm -rf "$URLSESSIOND_HOME/Downloads"
    is_placed_now moon
}

@test "a body that somebody has removed is fetched again, also after an owner was told of it" {
    finished_download moon
    BGTOOL_CRASH_POINT=didFinish run_bgtool resume
    assert_status 137
    rm -rf "$URLSESSIOND_HOME"/{bodies,Downloads}
    run_bgtool resume
    assert_status 0
    assert_in_order '^finished 1 moon 100000$' '^saved 1 ' '^complete 1 nil$'
    assert_same_bytes moon /bytes/100000
    assert_equal "$(server_requests GET /bytes/100000)" 2 "requests"
}

# --- the home

@test "a home that was removed ends its service, and the next start begins anew" {
    run_bgtool start "$SERVER/bytes/100000?hold=gate" --name moon -o moon
    local pid
    pid=$(service_pid)
    rm -rf "$URLSESSIOND_HOME"
    wait_until 30 has_ended "$pid"
    assert_no_file "$URLSESSIOND_HOME"
    run_bgtool start "$SERVER/bytes/1000" --name sun -o sun
    assert_first_line "started 1 sun"
    run_bgtool resume
    assert_status 0
    assert_same_bytes sun /bytes/1000
}

@test "a home that was moved away ends its service, and goes on in the new place" {
    run_bgtool start "$SERVER/bytes/100000?hold=gate&holdat=50000" --name moon -o moon
    wait_until 30 task_reaches received moon 50000
    local pid
    pid=$(service_pid)
    mv "$URLSESSIOND_HOME" "$WORLD/other"
    wait_until 30 has_ended "$pid"
    server_release gate
    export URLSESSIOND_HOME=$WORLD/other
    run_bgtool resume
    assert_status 0
    assert_same_bytes moon /bytes/100000
    assert_equal "$(server_value start GET /bytes/100000 range 2)" "bytes=50000-" "the second Range"
}

@test "an owner whose home is removed under it hears the end of its task" {
    run_bgtool start "$SERVER/bytes/100000?hold=gate" --name moon -o moon
    background owner "$BGTOOL" resume
    local owner=$BACKGROUND_PID
    wait_until 30 grep -q "relaunch sees" "$WORLD/owner.out"
    # In one step: its owner makes a new one as soon as the service has left.
    mv "$URLSESSIOND_HOME" "$WORLD/removed" && rm -rf "$WORLD/removed"
    wait_exit "$owner" 60
    read_output owner
    assert_line_matching '^complete 1 NSURLErrorDomain -997 '
}
