#!/usr/bin/env bats
# `bgtool cancel`: end a transfer, or with --keep pause it and keep its bytes.
load test_helper

# standing_at OFFSET [PARAMETER]   /audiobook that stands still there until the gate (gate-PARAMETER) is opened:
# what is to be cancelled in its middle is still under way, however busy the machine is.
standing_at() { echo "$SERVER/audiobook?hold=gate${2:+-${2%=*}&$2}&holdat=$1"; }

@test "cancel ends the transfer, by name" {
    server_start --interval 0
    run_bgtool start "$(standing_at 500000)" --name audiobook-42
    wait_until 20 task_reaches received audiobook-42 500000
    run_bgtool cancel audiobook-42
    assert_status 0
    wait_until 10 server_has_ended GET /audiobook
    assert_between 1 "$(server_values end GET /audiobook sent)" 1999999 "bytes sent before the end"
    ! task_is audiobook-42 running || fail "it still runs"
    assert_no_file "$HERE/audiobook"
    assert_equal "$(find "$URLSESSIOND_HOME" -type f -path '*bodies*')" "" "partial files"
}

@test "cancel ends the transfer, by identifier, and leaves the others" {
    server_start --interval 0
    run_bgtool start "$SERVER/bytes/1000/a?hold=gate" --name one -o one
    run_bgtool start "$SERVER/bytes/1000/b?hold=gate" --name two -o two
    run_bgtool start "$SERVER/bytes/1000/c?hold=gate" --name three -o three
    run_bgtool cancel 1 three
    assert_status 0
    server_release gate
    wait_until 20 task_is two finished
    run_bgtool resume
    assert_line "finished 2 two 1000"
    refute_line_matching '^(finished|saved) [13] '
}

@test "what was cancelled may be asked for again, from the start" {
    server_start --interval 0
    run_bgtool start "$(standing_at 500000)" --name audiobook-42
    wait_until 20 task_reaches received audiobook-42 500000
    run_bgtool cancel audiobook-42
    server_release gate
    run_bgtool start "$(standing_at 500000)" --name audiobook-42
    assert_status 0
    assert_first_line "started 2 audiobook-42"
    run_bgtool resume
    assert_line "finished 2 audiobook-42 2000000"
    assert_same_bytes audiobook /audiobook
    assert_equal "$(server_value start GET /audiobook range 2)" null "the second request's Range"
}

@test "cancel uses up no result of another task" {
    server_start --interval 0
    run_bgtool start "$SERVER/bytes/1000" --name ready
    wait_until 20 task_is ready finished
    run_bgtool start "$SERVER/audiobook?hold=gate" --name audiobook-42
    run_bgtool cancel audiobook-42
    assert_status 0
    run_bgtool resume
    assert_in_order '^finished 1 ready 1000$' '^saved 1 ' '^complete 1 nil$'
}

@test "after cancel --keep the same wish goes on where it was: nothing is thrown away" {
    server_start --interval 0
    run_bgtool start "$(standing_at 1400000)" --name audiobook-42
    wait_until 30 task_reaches received audiobook-42 1400000
    run_bgtool cancel audiobook-42 --keep
    assert_status 0
    wait_until 10 server_has_ended GET /audiobook
    server_release gate

    run_bgtool start "$(standing_at 1400000)" --name audiobook-42 --wait 1
    assert_status 0
    assert_first_line "started 2 audiobook-42"
    first=$output
    run_bgtool resume
    assert_status 0
    assert_in_order '^finished 2 audiobook-42 2000000$' '^saved 2 ' '^complete 2 nil$'
    assert_same_bytes audiobook /audiobook

    offset=$(sed -n 's/^resumed 2 audiobook-42 offset=\([0-9]*\)$/\1/p' <<<"$first"$'\n'"$output")
    assert_equal "$offset" 1400000 "the offset it was resumed at, said once"
    assert_equal "$(server_requests GET /audiobook)" 2 "requests at the server"
    assert_equal "$(server_value start GET /audiobook range 2)" "bytes=$offset-" "the second Range"
    [[ $(server_value start GET /audiobook ifRange 2) == \"*\" ]] || fail "no strong ETag in If-Range"
    assert_equal "$(server_value end GET /audiobook status 2)" 206 "the second answer"
    sum=$(($(server_value end GET /audiobook sent 1) + $(server_value end GET /audiobook sent 2)))
    assert_equal "$sum" 2000000 "bytes sent over both requests"
}

@test "what cannot be resumed starts again, with the right bytes" {
    server_start --interval 0
    local odd
    for odd in validators=none ranges=ignore "flip=1"; do
        run_bgtool start "$(standing_at 500000 "$odd")" --name "$odd" -o "$odd"
        wait_until 30 task_reaches received "$odd" 500000
        run_bgtool cancel "$odd" --keep
        assert_status 0
        server_release "gate-${odd%=*}"
        run_bgtool start "$(standing_at 500000 "$odd")" --name "$odd" -o "$odd"
        assert_status 0
        run_bgtool resume
        assert_status 0
        refute_line_matching '^resumed '
    done
    assert_same_bytes validators=none /audiobook
    assert_same_bytes ranges=ignore /audiobook
    assert_same_bytes flip=1 "/audiobook?version=2"
}
