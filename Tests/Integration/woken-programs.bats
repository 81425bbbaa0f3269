#!/usr/bin/env bats
# A program of somebody else's that is woken: the app of docs/lessons/apple-platforms.md, in a package of its
# own. `make integration` builds it beforehand.
load test_helper

PROGRAM=$ROOT/.build/packages/debug/woken-program

setup() {
    world_begin
    [[ -x $PROGRAM ]] || fail "$PROGRAM is not there; run 'make integration', which builds it."
    export URLSESSIOND_PATH=$BIN/urlsessiond
}

log_has() { grep -Fxq -- "$1" "$URLSESSIOND_HOME/log/launches.log"; }

wakes_say() { timeout -k 1 20 "$BGTOOL" status --all 3>&- | grep -Eq "^wakes com\.example\.library\.woken .*$1"; }

@test "the app is woken, makes its session anew, moves its file, and closes its visit" {
    server_start --interval 0.01
    run_program "$PROGRAM" book "$SERVER/audiobook"
    assert_status 0
    assert_output "asked for book"
    wait_until 60 log_has "events finished"
    wait_until 30 wakes_say 'client=woken-program started=1 last=closed next=now'
    for line in "woken for com.example.library.woken" "moved book" "complete book nil"; do
        log_has "$line" || fail "the woken program did not say: $line" "$(<"$URLSESSIOND_HOME/log/launches.log")"
    done
    assert_same_bytes "$HERE/book" /audiobook
    # The umask is the person's, and the service's folder nobody's business.
    grep -q 'warn' "$URLSESSIOND_HOME/log/launches.log" && fail "it was warned"
    assert_equal "$(server_requests GET /audiobook)" 1 "requests at the server"
}

@test "an error page wakes it too, and is not put in place" {
    server_start --interval 0.01
    run_program "$PROGRAM" book "$SERVER/audiobook?status=404"
    wait_until 60 log_has "refused book 404"
    wait_until 30 wakes_say 'last=closed'
    assert_no_file "$HERE/book"
}

# form NAME   a program that deals with its launch in that form, until its visit is over
form() {
    local program=$ROOT/.build/packages/debug/launch-forms
    [[ -x $program ]] || fail "$program is not there; run 'make integration', which builds it."
    FORM=$1 run_program "$program" "$SERVER/audiobook"
    assert_status 0
    wait_until 60 visit_is_closed "com.example.forms.$1"
}

visit_is_closed() {
    timeout -k 1 20 "$BGTOOL" status --all 3>&- | grep -E "^wakes $1 .*started=1 last=closed"
}

@test "the async form closes the visit when it returns" {
    server_start --interval 0.01
    form async
    log_has "finished 2000000"
    log_has "dealt with com.example.forms.async"
    ! grep -i "launch" "$URLSESSIOND_HOME/log/launches.log" | grep -v "^==" || fail "it was warned"
}

@test "a completion handler called elsewhere, or twice, works and is warned about; so is a second handler" {
    server_start --interval 0.01
    form elsewhere
    log_has "finished 2000000"
    wait_until 20 log_says "called on another thread than the main one"
    form twice
    wait_until 20 log_says "closed twice; once is enough"
    log_has "BackgroundLaunch.onEvents was called twice; only the first handler is called."
    ! log_has "never said" || fail "the second handler was called"
}

log_says() { grep -F -- "$1" "$URLSESSIOND_HOME/log/launches.log"; }
