#!/usr/bin/env bats
# Experiment 6: a download that is paused keeps its bytes, and the next start asks for the rest only.
load test_helper

@test "a download paused at 70 % goes on where it was: nothing is thrown away" {
    server_start --interval 0
    run_bgtool start "$(standing_at 1400000)" --name audiobook-42
    wait_until 30 task_reaches received audiobook-42 1400000
    run_bgtool cancel audiobook-42 --keep
    assert_status 0
    wait_until 10 server_has_ended GET /audiobook
    run_bgtool status
    assert_output "1 audiobook-42 paused received=1400000 expected=2000000"
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

# The paused tasks of the same name are listed until somebody hears of their end.
latest_reaches() {
    local value
    value=$(task_value received audiobook-42 | tail -n 1)
    echo "received=$value"
    ((${value:-0} >= $1))
}

@test "resumed and paused once more, it goes on from further on" {
    server_start --interval 0
    run_bgtool start "$(standing_at 600000)" --name audiobook-42
    local received
    for received in 600000 1200000; do
        wait_until 30 latest_reaches "$received"
        run_bgtool cancel audiobook-42 --keep
        assert_status 0
        run_bgtool start "$(standing_at 600000)" --name audiobook-42
        assert_status 0
    done
    server_release gate
    run_bgtool resume
    assert_status 0
    assert_in_order '^resumed 3 audiobook-42 offset=1200000$' '^finished 3 audiobook-42 2000000$'
    assert_same_bytes audiobook /audiobook
    assert_equal "$(server_values start GET /audiobook range | tr '\n' ' ')" \
        "null bytes=600000- bytes=1200000- " "the ranges"
}

# --- a token that expires in the pause

# Paused at 500,000 of 2,000,000 bytes, from a server that wants another token by then.
pause_until_the_token_expires() {
    server_start --interval 0
    run_bgtool start "$SERVER/audiobook?tokens=old,new&hold=gate&holdat=500000" --name audiobook-42 \
        -H "Authorization: Bearer old" -H "X-Kept: 1"
    wait_until 30 task_reaches received audiobook-42 500000
    run_bgtool cancel audiobook-42 --keep
    assert_status 0
    server_release gate
}

@test "a token renewed after the pause goes with the rest" {
    pause_until_the_token_expires
    run_bgtool start "$SERVER/audiobook?tokens=old,new&hold=gate&holdat=500000" --name audiobook-42 \
        -H "Authorization: Bearer new"
    assert_status 0
    run_bgtool resume
    assert_status 0
    assert_in_order '^resumed 2 audiobook-42 offset=500000$' '^finished 2 audiobook-42 2000000$'
    assert_same_bytes audiobook /audiobook
    assert_equal "$(server_value start GET /audiobook range 2)" bytes=500000- "the second Range"
}

@test "a token that was not renewed shows as the server's 401" {
    pause_until_the_token_expires
    run_bgtool start "$SERVER/audiobook?tokens=old,new&hold=gate&holdat=500000" --name audiobook-42
    run_bgtool resume
    assert_status 1
    assert_line "refused 2 audiobook-42 status=401"
    assert_no_file audiobook
}

@test "a download paused before its first byte begins at 0" {
    server_start --interval 0
    run_bgtool start "$(standing_at 0)" --name audiobook-42
    wait_until 20 server_was_asked GET /audiobook
    run_bgtool cancel audiobook-42 --keep
    assert_status 0
    assert_stderr_says "begins at 0"
    server_release gate
    run_bgtool start "$(standing_at 0)" --name audiobook-42
    run_bgtool resume
    assert_status 0
    refute_line_matching '^resumed '
    assert_same_bytes audiobook /audiobook
    assert_equal "$(server_values start GET /audiobook range | tr '\n' ' ')" "null null " "the ranges"
}
