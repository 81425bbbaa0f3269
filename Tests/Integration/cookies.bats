#!/usr/bin/env bats
# Cookies of a background session: kept by the service, for the session, across processes and services.
load test_helper
load helpers/dialogue

setup() { dialogue_begin; }

# What the last request carried.
last_cookie() { asked | tail -n 1 | cut -d ' ' -f 4; }

@test "a cookie reaches the next process and the next service, in a file for nobody else" {
    dialogue_server
    dialogue own /set/s/1
    dialogue own /x
    assert_equal "$(last_cookie)" s=1
    run_bgtool service stop
    dialogue own /y
    assert_equal "$(last_cookie)" s=1
    assert_equal "$(find "$URLSESSIOND_HOME/cookies" -type f ! -perm 0600 | wc -l)" 0
    assert_equal "$(find "$URLSESSIOND_HOME/cookies" -type f | wc -l)" 1
}

@test "what the server takes back is gone, and so is everything after a reset" {
    dialogue_server
    dialogue own /set/s/1 /set/t/2/1000
    dialogue own /set/s/gone/0
    dialogue own /x
    assert_equal "$(last_cookie)" t=2
    dialogue RESET=1 own /y
    assert_equal "$(last_cookie)" -
    assert_equal "$(find "$URLSESSIOND_HOME/cookies" -type f | wc -l)" 0
}

@test "a session without a cookie storage keeps none, and one that should not send them does not" {
    dialogue_server
    dialogue COOKIES=none own /set/s/1
    dialogue own /x
    assert_equal "$(last_cookie)" -
    dialogue COOKIES=unsent own /set/s/1
    dialogue COOKIES=unsent own /x
    assert_equal "$(last_cookie)" -
    dialogue own /x
    assert_equal "$(last_cookie)" s=1
}

@test "a process-bound session's cookies are its storage's, and an ephemeral one's leave nothing" {
    dialogue_server
    export HOME=$WORLD XDG_DATA_HOME=$WORLD/data
    dialogue default /set/s/1 /x /set/s/gone/0 /y
    assert_equal "$(asked | cut -d ' ' -f 4 | xargs)" "- s=1 s=1 -"
    : >"$WORLD/asker.log"
    dialogue ephemeral /set/t/2 /x
    assert_equal "$(last_cookie)" t=2
    dialogue ephemeral /x
    assert_equal "$(last_cookie)" -
    assert_equal "$(grep -rlaw t "$URLSESSIOND_HOME" "$XDG_DATA_HOME" 2>/dev/null | wc -l)" 0
}
