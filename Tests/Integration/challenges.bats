#!/usr/bin/env bats
# Servers and proxies that ask who is there, and a program that answers.
load test_helper
load helpers/dialogue

setup() { dialogue_begin; }

@test "Basic and Digest are answered, and a wrong password is asked for again" {
    dialogue_server
    dialogue PASSWORDS="wrong secret" own /basic/a
    assert_output "found 0" "challenge Basic 127.0.0.1 realm=basic failures=0 proxy=false" \
        "challenge Basic 127.0.0.1 realm=basic failures=1 proxy=false" \
        "file 200 0" "metrics 401 401 200" "complete nil"
    dialogue PASSWORDS="secret" own /digest/a
    assert_output "found 0" "challenge Digest 127.0.0.1 realm=digest failures=0 proxy=false" \
        "file 200 0" "metrics 401 401 200" "complete nil"
}

@test "a rejected protection space brings the server's other offer, and the last one the answer as it is" {
    dialogue_server
    dialogue PASSWORDS="reject reject" own /both/a
    assert_in_order "^challenge Digest" "^challenge Basic" "^file 401 0" "^complete nil"
    dialogue PASSWORDS="reject secret" own /both/a
    assert_in_order "^challenge Digest" "^challenge Basic" "^file 200 0" "^complete nil"
}

@test "default handling delivers the 401, cancelling ends the task, and nothing is asked twice" {
    dialogue_server
    dialogue PASSWORDS="default" own /basic/a
    assert_in_order "^challenge Basic" "^file 401 0" "^complete nil"
    dialogue PASSWORDS="cancel" own /basic/b
    assert_in_order "^challenge Basic" "^complete -999"
    assert_equal "$(asked)" "$(printf 'GET /basic/a 401 - -\nGET /basic/b 401 - -')"
}

@test "a challenge waits while nobody is there, and is asked again by the next service" {
    dialogue_server
    dialogue queue /basic/a
    assert_status 0
    wait_until 20 asker_was_asked 1
    wait_until 20 task_is_waiting
    run_bgtool service stop
    dialogue PASSWORDS="secret" own
    # The challenge comes as soon as the session is there, before or after the list that is asked for.
    assert_line "found 1"
    assert_in_order "^challenge Basic 127.0.0.1 realm=basic failures=0" "^file 200 0"
    assert_equal "$(asked)" \
        "$(printf 'GET /basic/a 401 - -\nGET /basic/a 401 - -\nGET /basic/a 200 - Basic')"
    assert_equal "$(grep -rlaF secret "$URLSESSIOND_HOME" | wc -l)" 0 "files that hold the password"
}

@test "a program is started for a challenge that waits, answers it, and gets its file once" {
    dialogue_server
    export URLSESSIOND_WAKE_SECONDS=600
    dialogue LAUNCH=1 PASSWORDS="secret" queue /basic/a
    assert_status 0
    wait_until 60 launches_say "complete nil"
    assert_equal "$(grep -c '^file 200 0' "$URLSESSIOND_HOME/log/launches.log")" 1 "files"
    assert_equal "$(grep -c '^challenge Basic' "$URLSESSIOND_HOME/log/launches.log")" 1 "challenges"
    launches_say "events finished"
    wait_until 30 visit_is_over
    assert_equal "$(asked)" "$(printf 'GET /basic/a 401 - -\nGET /basic/a 200 - Basic')"
}

launches_say() { grep -Fxq -- "$1" "$URLSESSIOND_HOME/log/launches.log"; }

visit_is_over() {
    timeout -k 1 20 "$BGTOOL" status --all 3>&- | grep '^wakes ' |
        grep -E 'client=dialogue-program started=1 last=exited'
}

task_is_waiting() {
    "$BGTOOL" service status --json >"$WORLD/service" || return
    cat "$WORLD/service"
    grep -q '"waiting" *: *1' "$WORLD/service"
}

@test "an upload's file is sent once its sender is known, and a password serves the next task" {
    dialogue_server
    make_file up 300000
    dialogue PASSWORDS="secret" FILE="$PWD/up" own /digest/a /digest/b
    assert_status 0
    assert_equal "$(grep -c '^complete nil' <<<"$output")" 2
    assert_equal "$(asked | grep -c ' 200 ')" 2
    refute_line_matching '^complete -'
}

@test "a password is for the host that asked, also after a redirect" {
    dialogue_server
    dialogue PASSWORDS="secret" own /away/basic/a
    assert_in_order "^challenge Basic localhost realm=basic failures=0" "^file 200 0"
    assert_equal "$(asked | grep -c '^GET /away.* Basic')" 0 "passwords at the redirecting host"
}

@test "a proxy's challenge is told apart from a server's" {
    dialogue_server PROXY
    dialogue http_proxy="$ASKER" PASSWORDS="secret" own /x
    assert_in_order "^challenge Basic 127.0.0.1 realm=proxy failures=0 proxy=true" "^file 200 0"
    # A proxy's address may hold both.
    dialogue http_proxy="${ASKER/\/\//\/\/me:secret@}" own /y
    refute_line_matching '^challenge'
    assert_line "file 200 0"
}

# tls_server NAME [OPTION…]   one with an authority of its own, in a folder of that name; its address in $ASKER
tls_server() {
    mkdir "$1"
    background "$1" python3 "$ROOT/Tests/Fixtures/tls_server.py" "$PWD/$1" $$ "${@:2}"
    wait_until 20 test -s "$WORLD/$1.out"
    ASKER=https://127.0.0.1:$(<"$WORLD/$1.out")
}

@test "who is trusted: the system's authorities, an added one, pinned keys, and who asks for a certificate" {
    tls_server other --expired
    dialogue TRUST="$PWD/other/ca.pem" own /x
    assert_line "complete -1201"
    tls_server tls --client
    dialogue own /x
    assert_line "complete -1202"
    dialogue TRUST="$PWD/tls/ca.pem" own /x
    assert_line "complete -1206"
    dialogue TRUST="$PWD/tls/ca.pem" IDENTITY="$PWD/other/client.pem" own /x
    assert_line "complete -1205"
    dialogue TRUST="$PWD/tls/ca.pem" IDENTITY="$PWD/tls/client.pem" own /x
    assert_in_order "^file hello" "^complete nil"
    dialogue TRUST="$PWD/tls/ca.pem" IDENTITY="$PWD/tls/client.pem" \
        PINS="sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" own /x
    assert_line "complete -1202"
    # Its certificate is for an address, and not for this name.
    ASKER=${ASKER/127.0.0.1/localhost}
    dialogue TRUST="$PWD/tls/ca.pem" IDENTITY="$PWD/tls/client.pem" own /x
    assert_line "complete -1202"
}

@test "a process-bound session decides about redirects, and is asked for passwords" {
    dialogue_server
    dialogue PASSWORDS="secret" default /away/basic/a
    assert_in_order "^redirect 302 /basic/a" "^challenge Basic localhost" "^file 200 0" "^complete nil"
    dialogue PASSWORDS="secret" DATA=1 default /away/basic/a
    assert_in_order "^redirect 302 /basic/a" "^challenge Basic localhost" "^data 200 0" "^complete nil"
    : >"$WORLD/asker.log"
    dialogue REDIRECT=deliver default /away/x
    assert_in_order "^redirect 302 /x" "^file 302 0" "^complete nil"
    assert_equal "$(asked)" "GET /away/x 302 - -"
    : >"$WORLD/asker.log"
    dialogue REDIRECT=deliver DATA=1 default /away/x
    assert_in_order "^redirect 302 /x" "^data 302 0" "^complete nil"
    # What its reader gets was kept until the delegate had spoken.
    assert_equal "$(asked)" "GET /away/x 302 - -"
    : >"$WORLD/asker.log"
    dialogue PASSWORDS="default" DATA=1 default /basic/a
    assert_in_order "^challenge Basic" "^data 401 0" "^complete nil"
    assert_equal "$(asked)" "GET /basic/a 401 - -"
    run -1 test -e "$URLSESSIOND_HOME/socket"
}
