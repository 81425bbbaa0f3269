#!/usr/bin/env bats
# `bgtool status`: a line a task, for every state; it claims nothing and works beside an owner.
load test_helper

@test "a download that runs" {
    server_start --interval 0
    run_bgtool start "$SERVER/audiobook?hold=gate&holdat=650000" --name audiobook-42
    wait_until 20 task_reaches received audiobook-42 650000
    run_bgtool status
    assert_status 0
    assert_output "1 audiobook-42 running received=650000 expected=2000000"
}

@test "an upload that runs" {
    server_start --interval 0
    make_file photo.jpg 5000000
    run_bgtool upload photo.jpg "$SERVER/uploads?hold=gate&holdat=1250000" --name photo-upload-7
    wait_until 20 task_reaches sent photo-upload-7 1
    run_bgtool status
    assert_status 0
    assert_line_matching '^1 photo-upload-7 running sent=[0-9]+ expected=5000000$'
}

@test "an unknown length is no number" {
    server_start --interval 0
    run_bgtool start "$SERVER/audiobook?length=chunked&hold=gate&holdat=100000" --name audiobook-42
    wait_until 20 task_reaches received audiobook-42 100000
    run_bgtool status
    refute_line_matching 'expected=[0-9]|%'
    assert_line_matching '^1 audiobook-42 running received=100000'
}

@test "a download that has finished" {
    server_start --interval 0
    run_bgtool start "$SERVER/audiobook" --name audiobook-42
    wait_until 20 task_is audiobook-42 finished
    run_bgtool status
    assert_output "1 audiobook-42 finished received=2000000 expected=2000000"
}

@test "a task that failed, with why" {
    port=$(free_port)
    make_file photo.jpg 1000
    run_bgtool upload photo.jpg "http://127.0.0.1:$port/uploads" --name photo
    wait_until 20 task_is photo waiting
    rm photo.jpg
    wait_until 60 task_is photo failed
    run_bgtool status
    assert_line_matching '^1 photo failed .*photo\.jpg'
}

@test "a task that waits, with why and until when" {
    port=$(free_port)
    run_bgtool start "http://127.0.0.1:$port/audiobook" --name audiobook-42
    wait_until 20 task_is audiobook-42 waiting
    run_bgtool status
    assert_line_matching \
        '^1 audiobook-42 waiting received=0 .*connection refused, attempt [0-9]+, next in [0-9]+ s$'
    # Attempts go on, further and further apart.
    wait_until 30 attempt_reaches audiobook-42 4
}

attempt_reaches() {
    local line
    line=$(task_line "$1") || return 1
    echo "$line"
    [[ $line =~ attempt\ ([0-9]+) ]] && ((BASH_REMATCH[1] >= $2))
}

@test "tasks beyond the host's limit are queued" {
    server_start --interval 0
    local number
    for number in 1 2 3 4 5 6 7; do
        run_bgtool start "$SERVER/bytes/1000/$number?hold=gate" --name "moon-$number" -o "moon-$number"
    done
    wait_until 20 task_is moon-6 running
    run_bgtool status
    assert_equal "$(grep -c ' running ' <<<"$output")" 6 "tasks that run"
    assert_line_matching '^7 moon-7 queued '
    server_release gate
    run_bgtool resume
    assert_status 0
    assert_line "finished 7 moon-7 1000"
}

@test "nothing to show is nothing" {
    run_bgtool status
    assert_status 0
    assert_no_output
}

@test "it shows one session, or with --all every one" {
    server_start --interval 0
    run_bgtool start "$SERVER/audiobook?hold=gate" --name one -o one
    run_bgtool start "$SERVER/audiobook?hold=gate" --name two -o two --session com.example.other
    run_bgtool status
    assert_line_matching '^1 one '
    refute_line_matching ' two '
    run_bgtool status --session com.example.other
    assert_line_matching '^1 two '
    refute_line_matching ' one '
    run_bgtool status --all
    assert_line_matching ' one '
    assert_line_matching ' two '
}

@test "--json is JSON, and holds what the lines say" {
    server_start --interval 0
    run_bgtool start "$SERVER/audiobook?hold=gate&holdat=650000" --name audiobook-42
    wait_until 20 task_reaches received audiobook-42 650000
    run_bgtool status --json
    assert_status 0
    python3 -m json.tool <<<"$output" >/dev/null || fail "not JSON"
    grep -q '"audiobook-42"' <<<"$output" && grep -q 650000 <<<"$output" || fail "the task is not in it"
    run_bgtool status --all --json
    python3 -m json.tool <<<"$output" >/dev/null || fail "not JSON"
    run_bgtool sessions --json
    python3 -m json.tool <<<"$output" >/dev/null || fail "not JSON"
}

@test "it works beside an owner, and takes nothing from it" {
    server_start --interval 0
    run_bgtool start "$SERVER/audiobook?hold=gate&holdat=650000" --name audiobook-42
    background owner "$BGTOOL" resume
    owner=$BACKGROUND_PID
    wait_until 20 grep -q '^relaunch sees' "$WORLD/owner.out"
    BGTOOL_SECONDS=5 run_bgtool status
    assert_status 0
    assert_line_matching '^1 audiobook-42 running '
    run_bgtool sessions
    assert_line_matching "$LESSON_SESSION.*$owner"
    server_release gate
    wait_exit "$owner" 30
    read_output owner
    assert_status 0
    assert_in_order '^finished 1 audiobook-42 2000000$' '^saved 1 ' '^complete 1 nil$'
}
