#!/usr/bin/env bats
# What is one user's stays that user's; and what is secret in an address or a header is said nowhere.
load test_helper

as_nobody() { setpriv --reuid nobody --regid nogroup --clear-groups "$@"; }

# A python of root's own, in its home, is no other user's to run.
PYTHON=/usr/bin/python3

skip_unless_root() {
    [[ $EUID -eq 0 ]] || skip "only root can be somebody else"
    as_nobody "$PYTHON" -c '' || skip "another user has no python3"
}

# A download under way, with a secret header, in a world that others may walk into up to the home.
begin_secret_download() {
    chmod 755 "$WORLD"
    server_start --interval 0
    run_bgtool start "$SERVER/audiobook?hold=gate&holdat=500000" --name audiobook-42 -H "Authorization: Bearer SECRET"
    wait_until 20 task_reaches received audiobook-42 500000
}

assert_refused_to_nobody() {
    run --separate-stderr as_nobody "$@"
    [[ $status -ne 0 ]] || fail "another user may"
    assert_stderr_says "permission denied"
}

CONNECT='import socket, sys
client = socket.socket(socket.AF_UNIX)
client.settimeout(20)
client.connect(sys.argv[1])
client.sendall(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hello\",\"params\":{\"client\":\"x\",\"version\":1}}\n")
sys.exit(1 if client.recv(1000) else 0)'

@test "another user can neither connect, nor look into the home, nor read what is in it" {
    skip_unless_root
    begin_secret_download
    grep -qaF SECRET "$URLSESSIOND_HOME"/transfers.sqlite* || fail "the secret is not where this test looks for it"
    assert_refused_to_nobody "$PYTHON" -c "$CONNECT" "$URLSESSIOND_HOME/socket"
    assert_refused_to_nobody ls "$URLSESSIOND_HOME"
    local file
    for file in "$URLSESSIOND_HOME"/{transfers.sqlite*,bodies/*,log/*,*.lock}; do
        assert_refused_to_nobody cat "$file"
    done
    server_release gate
    run_bgtool resume
    assert_line "finished 1 audiobook-42 2000000"
}

@test "when somebody has opened the home, its files are private all the same and strangers are hung up on" {
    skip_unless_root
    begin_secret_download
    chmod 777 "$URLSESSIOND_HOME" "$URLSESSIOND_HOME"/socket
    chmod 755 "$URLSESSIOND_HOME"/{bodies,log}
    local file
    for file in "$URLSESSIOND_HOME"/{transfers.sqlite*,bodies/*,log/*,*.lock}; do
        assert_refused_to_nobody cat "$file"
    done
    # The socket takes the connection before anybody is asked; it is closed without a word.
    run --separate-stderr as_nobody "$PYTHON" -c "$CONNECT" "$URLSESSIOND_HOME/socket"
    [[ $status -eq 0 || ${stderr-} == *ResetError* || ${stderr-} == *BrokenPipe* ]] ||
        fail "the service answered another user"
    wait_until 10 grep -q "refused a connection of another user" "$URLSESSIOND_HOME/log/urlsessiond.log"
    run_bgtool status
    assert_line_matching '^1 audiobook-42 running '
    # The next start closes it again.
    run_bgtool service restart
    wait_until 10 service_runs
    assert_equal "$(stat -c %a "$URLSESSIOND_HOME")" 700 "the mode of the home"
}

@test "another user's programs have a service of their own" {
    skip_unless_root
    run_bgtool service start
    chmod 755 "$WORLD"
    install -d -m 700 -o nobody "$WORLD/nobody"
    install -m 755 "$BIN"/{bgtool,urlsessiond} "$WORLD"
    as_nobody "$WORLD/bgtool" --help >/dev/null || skip "another user has no Swift"
    as_nobody env URLSESSIOND_HOME="$URLSESSIOND_HOME" timeout 20 "$WORLD/bgtool" service start \
        >"$WORLD/first.out" 2>"$WORLD/first.err" && status=0 || status=$?
    read_output first
    assert_refused 69 "$URLSESSIOND_HOME" "permission denied"
    background second setpriv --reuid nobody --regid nogroup --clear-groups \
        env URLSESSIOND_HOME="$WORLD/nobody/home" "$WORLD/bgtool" service start
    wait_exit "$BACKGROUND_PID" 30
    read_output second
    assert_status 0
    assert_equal "$(stat -c %U "$WORLD/nobody/home/socket")" nobody "whose socket it is"
    assert_equal "$(service_pid | wc -l)" 2 "services"
}

# --- secrets

# A world that goes wrong in every way at addresses that are secrets themselves.
@test "neither log nor error texts hold credentials, or the query of a signed address" {
    server_start --interval 0
    local closed secret='?sig=SECRET' count=0 address
    closed=http://127.0.0.1:$(free_port)
    for address in "$SERVER/bytes/1000$secret" "$closed/refused$secret" "http://u:SECRET@${closed#http://}/user$secret" \
        "$SERVER/bytes/1000$secret&status=500" "$SERVER/bytes/1000$secret&drop=100" \
        "https://${SERVER#http://}/bytes/1000$secret" "$SERVER/bytes/1000$secret&cl=twice#SECRET"; do
        count=$((count + 1))
        run_bgtool start "$address" --name "moon-$count" -o "moon-$count" --again \
            -H "Authorization: Bearer SECRET" -H "Cookie: id=SECRET" -H "X-Api-Key: SECRET"
        printf '%s\n' "$output" "$stderr" >>"$WORLD/said"
    done
    make_file "$HERE/up" 1000
    run_bgtool upload "$HERE/up" "$closed/up$secret" --name up -H "Authorization: Bearer SECRET"
    rm "$HERE/up"
    wait_until 30 grep -q 'attempt ended' "$URLSESSIOND_HOME/log/urlsessiond.log"
    wait_until 30 task_is moon-1 finished

    # Refused for what is wrong with them.
    for address in "ftp://u:SECRET@h/$secret" "http://u:SECRET@h:port/$secret" "http://h/a b$secret"; do
        run_bgtool start "$address" --name bad
        assert_status 64
        printf '%s\n' "$output" "$stderr" >>"$WORLD/said"
    done
    run_bgtool start "$closed" --name bad -H "Authorization Bearer SECRET"
    assert_status 64
    printf '%s\n' "$output" "$stderr" >>"$WORLD/said"
    run_bgtool status
    printf '%s\n' "$output" "$stderr" >>"$WORLD/said"
    run_bgtool service status
    printf '%s\n' "$output" "$stderr" >>"$WORLD/said"
    run_bgtool resume --wait 2
    printf '%s\n' "$output" "$stderr" >>"$WORLD/said"
    run_bgtool service log
    printf '%s\n' "$output" "$stderr" >>"$WORLD/said"
    ! grep -n SECRET "$WORLD/said" || fail "said to a person"
    ! grep -rn SECRET "$URLSESSIOND_HOME/log" || fail "in the log"
}
