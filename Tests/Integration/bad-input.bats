#!/usr/bin/env bats
# What bad input gets: a clear sentence that names the thing and the remedy, the right exit status,
# nothing lost, no trap.
load test_helper

# --- words

@test "an unknown mode is named, and the nearest known one suggested" {
    run_bgtool strat
    assert_refused 64 "'strat'" "'start'"
}

@test "an unknown option is named, and the nearest known one suggested" {
    run_bgtool resume --sesion x
    assert_refused 64 "'--sesion'" "'--session'"
    run_bgtool service status --frobnicate
    assert_refused 64 "'--frobnicate'"
}

@test "an option without its value, or with a bad one, is named" {
    run_bgtool resume --timeout
    assert_refused 64 --timeout
    run_bgtool start http://127.0.0.1:9/x --wait soon
    assert_refused 64 --wait soon
    run_bgtool start http://127.0.0.1:9/x --sha256 abc
    assert_refused 64 --sha256 64
    run_bgtool start http://127.0.0.1:9/x -H "no colon"
    assert_refused 64 "no colon" "Name: value"
    run_bgtool upload --method PATCH
    assert_refused 64 --method PATCH POST
    run_bgtool cancel
    assert_refused 64 task
}

@test "each mode has help, on standard output" {
    local mode
    for mode in start resume status upload cancel sessions service "service start" "service log"; do
        # shellcheck disable=SC2086  # two words are two arguments
        run_bgtool $mode --help
        assert_status 0
        assert_line_matching "^USAGE: bgtool $mode"
    done
    service_is_gone || fail "help started the service"
}

# --- addresses

@test "an address that is not one is refused before anything is queued" {
    local address
    for address in "not an address" nonsense "http://" "http:///path" "http://[::1/x" \
        "http://host:99999/x" "" "/local/path"; do
        run_bgtool start "$address" --name moon
        assert_refused 64
    done
    service_is_gone || fail "a bad address started the service"
}

@test "a raw space and a stray percent sign are said how to write" {
    run_bgtool start "http://127.0.0.1:9/a b"
    assert_refused 64 "http://127.0.0.1:9/a b" %20
    run_bgtool start "http://127.0.0.1:9/%zz"
    assert_refused 64 "http://127.0.0.1:9/%zz" %25
    run_bgtool start "http://127.0.0.1:9/100%"
    assert_refused 64 %25
}

@test "an address that is not http or https is refused, naming what can be used" {
    run_bgtool start ftp://127.0.0.1/x
    assert_refused 64 ftp "http://" "https://"
    run_bgtool start file:///etc/passwd
    assert_refused 64 file
    run_bgtool upload "$BGTOOL" ftp://127.0.0.1/x
    assert_refused 64 ftp
}

# --- an upload's source

@test "an upload source that is missing or a folder is refused, by name" {
    server_start --interval 0
    run_bgtool upload missing.jpg "$SERVER/uploads"
    assert_refused 64 missing.jpg
    mkdir folder
    run_bgtool upload folder "$SERVER/uploads"
    assert_refused 64 folder
    assert_equal "$(server_requests POST /uploads)" 0 "requests at the server"
    run_bgtool status
    assert_no_output
}

@test "an upload source that cannot be read is refused, by name" {
    skip_as_root
    server_start --interval 0
    make_file locked.jpg 1000
    chmod 000 locked.jpg
    run_bgtool upload locked.jpg "$SERVER/uploads"
    assert_refused 64 locked.jpg
}

@test "an upload source that is no regular file is refused, without waiting for it" {
    server_start --interval 0
    mkfifo pipe
    BGTOOL_SECONDS=10 run_bgtool upload pipe "$SERVER/uploads"
    assert_refused 64 pipe
}

# --- nobody there

@test "nobody listening: the task waits, status says so, and it goes on when somebody does" {
    port=$(free_port)
    run_bgtool start "http://127.0.0.1:$port/audiobook" --name audiobook-42
    assert_status 0
    assert_output "started 1 audiobook-42" "start process exiting"
    wait_until 20 task_is audiobook-42 waiting
    run_bgtool status
    assert_status 0
    assert_line_matching '^1 audiobook-42 waiting .*connection refused, attempt [0-9]+, next in [0-9]+ s$'

    server_start --port "$port" --interval 0
    run_bgtool resume
    assert_status 0
    assert_in_order '^finished 1 audiobook-42 2000000$' '^saved 1 ' '^complete 1 nil$'
}

@test "an unknown host waits too: networks come and go" {
    run_bgtool start "http://no-such-host.invalid/x" --name moon
    assert_status 0
    wait_until 30 task_is moon waiting
    run_bgtool cancel moon
    assert_status 0
}

# --- the service

@test "a service that is not found is said, with where it was looked for" {
    mkdir -p "$WORLD/alone/bin"
    cp "$BGTOOL" "$WORLD/alone/bin/bgtool"
    BGTOOL=$WORLD/alone/bin/bgtool PATH=/usr/bin:/bin run_bgtool start http://127.0.0.1:9/x
    assert_refused 69 urlsessiond "$WORLD/alone/bin" URLSESSIOND_PATH
}

@test "a service that cannot be started is said, by its path" {
    echo "no program" >"$WORLD/urlsessiond"
    export URLSESSIOND_PATH=$WORLD/urlsessiond
    BGTOOL_SECONDS=30 run_bgtool start http://127.0.0.1:9/x
    assert_refused 69 "$WORLD/urlsessiond"
    chmod 755 "$WORLD/urlsessiond"
    BGTOOL_SECONDS=30 run_bgtool start http://127.0.0.1:9/x
    assert_refused 69 "$WORLD/urlsessiond"
}

@test "a service that ends at once is said, and bgtool does not wait for it for ever" {
    printf '#!/bin/sh\nexit 3\n' >"$WORLD/urlsessiond"
    chmod 755 "$WORLD/urlsessiond"
    export URLSESSIOND_PATH=$WORLD/urlsessiond
    BGTOOL_SECONDS=45 run_bgtool start http://127.0.0.1:9/x
    assert_refused 69 urlsessiond
}

@test "a stale socket is in nobody's way" {
    server_start --interval 0
    mkdir -m 700 "$URLSESSIOND_HOME"
    python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$URLSESSIOND_HOME/socket"
    [[ -S $URLSESSIOND_HOME/socket ]]
    run_bgtool start "$SERVER/bytes/1000"
    assert_status 0
    run_bgtool resume
    assert_status 0
    assert_line "finished 1 1000 1000"
}

@test "a home that belongs to another user is refused, by name" {
    [[ $EUID -eq 0 ]] || skip "only root can make another user's folder"
    mkdir -m 700 "$URLSESSIOND_HOME"
    chown nobody "$URLSESSIOND_HOME"
    run_bgtool start http://127.0.0.1:9/x
    assert_refused 69 "$URLSESSIOND_HOME"
    chown root "$URLSESSIOND_HOME"
}

@test "a home that cannot be made is refused, by name" {
    echo "a file" >"$WORLD/file"
    export URLSESSIOND_HOME=$WORLD/file/home
    run_bgtool start http://127.0.0.1:9/x
    assert_refused 69 "$WORLD/file"
    export URLSESSIOND_HOME=$WORLD/home
}

# --- the database

@test "a corrupt database is kept aside, and the service works" {
    server_start --interval 0
    mkdir -m 700 "$URLSESSIOND_HOME"
    make_file "$URLSESSIOND_HOME/transfers.sqlite" 8192
    before=$(sha256sum <"$URLSESSIOND_HOME/transfers.sqlite")
    run_bgtool start "$SERVER/bytes/1000"
    assert_status 0
    run_bgtool resume
    assert_status 0
    assert_line "finished 1 1000 1000"
    find "$URLSESSIOND_HOME" -type f -size 8192c -exec sha256sum {} + | grep -q "^${before%% *} " ||
        fail "the corrupt database is nowhere any more"
}

@test "a database of a newer version is kept, never overwritten" {
    mkdir -m 700 "$URLSESSIOND_HOME"
    python3 - "$URLSESSIOND_HOME/transfers.sqlite" <<'PYTHON'
import sqlite3
import sys

with sqlite3.connect(sys.argv[1]) as database:
    database.execute("CREATE TABLE future (word TEXT)")
    database.execute("INSERT INTO future VALUES ('precious')")
    database.execute("PRAGMA user_version = 99999")
PYTHON
    # It may refuse to start, or put the database aside: either way a person can have it back.
    run_bgtool start http://127.0.0.1:9/x
    [[ $status == 0 || $status == 69 ]] || fail "expected exit status 0 or 69, saw $status"
    python3 - "$URLSESSIOND_HOME" <<'PYTHON' || fail "the newer database is gone, or was written to"
import pathlib
import sqlite3
import sys

for file in pathlib.Path(sys.argv[1]).rglob("*"):
    if file.is_file() and file.read_bytes()[:15] == b"SQLite format 3":
        database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        if database.execute("PRAGMA user_version").fetchone() == (99999,):
            sys.exit(database.execute("SELECT word FROM future").fetchone() != ("precious",))
sys.exit(1)
PYTHON
}

# --- tasks

@test "a task that is not there is named" {
    run_bgtool cancel no-such-task
    [[ $status == 1 || $status == 64 ]] || fail "expected exit status 1 or 64, saw $status"
    assert_no_output
    assert_stderr_says no-such-task
}

@test "resume says so when the service is gone for good in the middle of it" {
    background vanishing python3 "$HELPERS/vanishing_service.py" "$URLSESSIOND_HOME"
    wait_until 20 grep -q listening "$WORLD/vanishing.out"
    BGTOOL_SECONDS=30 URLSESSIOND_PATH=/nonexistent/urlsessiond run_bgtool resume
    assert_status 69
    assert_output "relaunch sees: []"
    assert_stderr_says urlsessiond URLSESSIOND_PATH
}
