#!/usr/bin/env bats
# Redirects, and what of a request follows them.
load interop_helper

redirected() {
    make_resource book.bin 300000
    run_bgtool start "$SERVER/$1/book.bin" --name it -o it -H 'Authorization: Bearer secret'
    assert_status 0
    finish_as "$WWW/store/book.bin"
    wait_until 10 requests_reach 1 /files/book.bin "${@:2}"
    assert_equal "$(fields status "/$1/book.bin")" 302
    assert_equal "$(fields authorization "/$1/book.bin")" "Bearer secret" "what the redirecting one saw"
}

@test "redirected to the same origin: Authorization is kept" {
    redirected near
    assert_equal "$(fields authorization /files/book.bin)" "Bearer secret"
}

@test "redirected to another origin: Authorization stays behind" {
    redirected away other
    assert_equal "$(requests /files/book.bin other | wc -l)" 1 "requests at the other origin"
    assert_equal "$(fields authorization /files/book.bin other)" -
    ! grep -rq secret "$STATE"/access.other* || fail "the other origin's log has the secret"
}
