#!/usr/bin/env bats
# The service dies at each commit of a transfer's life, before it and behind it, between a file's link and
# its acknowledgement, and in recovery. Tests/Torture/lives.py says what is true after each death.
load test_helper

lives() {
    run timeout 300 python3 "$ROOT/Tests/Torture/lives.py" "$1"
    [[ $status -eq 0 ]] || fail "$output"
}

@test "a download survives its service's death at each of its commits" { lives download; }

@test "an upload survives its service's death at each of its commits" { lives upload; }

@test "a pause survives its service's death at each of its commits" { lives pause; }

@test "a file or an answer is acted on once when the service dies before the acknowledgement" { lives hand-over; }

@test "a service that dies twice in its recovery recovers the third time" { lives recovery; }

@test "programs for people do not obey the switches that make all this happen" {
    run "$ROOT/Scripts/check-release" "$BIN/urlsessiond" "$BIN/bgtool"
    assert_equal "$status" 1 "the check of a debug build"
    [[ $output == *URLSESSIOND_CRASHES_FILE* && $output == *BGTOOL_CRASH_POINT* ]] || fail "it says: $output"
    printf 'no switch in it\n' >program
    "$ROOT/Scripts/check-release" program
    run "$ROOT/Scripts/check-release" nothing
    assert_equal "$status" 1 "the check of a program that is not there"
}
