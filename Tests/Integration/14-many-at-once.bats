#!/usr/bin/env bats
# Experiment 14: several downloads at once, with one progress for each and one for all. The total is the sum; what
# is unknown stays unknown.
load test_helper

# Each stands still at 500,000 of 2,000,000 bytes until the gate is opened.
held() { echo "$SERVER/bytes/2000000/$1?hold=gate&holdat=500000${2:+&$2}"; }

# resume_on_a_terminal SECONDS   what a person sees, the escapes included.
resume_on_a_terminal() {
    run timeout -k 2 60 script -qefc "$BGTOOL resume --timeout $1" /dev/null
    output=${output//$'\r'/}
}

@test "several addresses are several wishes, begun by one start and saved by one resume" {
    server_start --interval 0
    run_bgtool start "$SERVER/bytes/1000/a" "$SERVER/bytes/2000/b" "$SERVER/bytes/3000/c"
    assert_status 0
    assert_output "started 1 a" "started 2 b" "started 3 c" "start process exiting"
    run_bgtool resume
    assert_status 0
    for number in 1 2 3; do assert_line "complete $number nil"; done
    assert_same_bytes a /bytes/1000/a
    assert_same_bytes b /bytes/2000/b
    assert_same_bytes c /bytes/3000/c
}

@test "what is about one download is refused for several" {
    for option in "-o file" "--name name" "--sha256 $(printf '0%.0s' {1..64})"; do
        # shellcheck disable=SC2086  # two words
        run_bgtool start http://127.0.0.1:9/a http://127.0.0.1:9/b $option
        assert_refused 64 "one '<url>'"
    done
}

@test "each has its progress, and the progress of all is their sum" {
    server_start --interval 0
    run_bgtool start "$(held a)" "$(held b)" "$(held c)"
    assert_status 0
    for name in a b c; do wait_until 30 task_reaches received "$name" 500000; done
    resume_on_a_terminal 1
    for name in a b c; do assert_line_matching "^(.*J)?$name  \[.*\] 25 %  500,000 of 2,000,000 bytes"; done
    assert_line_matching '^(.*J)?all 3  \[.*\] 25 %  1,500,000 of 6,000,000 bytes'
    server_release gate
    run_bgtool resume
    assert_status 0
    for name in a b c; do assert_same_bytes "$name" "/bytes/2000000/$name"; done
}

@test "with one of unknown length the whole is unknown, and no percentage is made up" {
    server_start --interval 0
    run_bgtool start "$(held a)" "$(held b length=chunked)"
    assert_status 0
    for name in a b; do wait_until 30 task_reaches received "$name" 500000; done
    resume_on_a_terminal 1
    assert_line_matching '^(.*J)?a  \[.*\] 25 %  500,000 of 2,000,000 bytes'
    assert_line_matching '^(.*J)?b  500,000 bytes of an unknown number'
    assert_line_matching '^(.*J)?all 2  1,000,000 bytes of an unknown number'
    refute_line_matching '^(.*J)?(b|all).*%'
}
