#!/usr/bin/env bats
# What the service keeps of transfers that are over: nothing. `make leaks` does it with 10,000.
load test_helper

@test "thousands of small transfers leave no memory, descriptor or file behind" {
    # Beside other tests the heap takes longer to reach its level: what leaks less than 4 kB for each transfer
    # is found by `make leaks`.
    export TMPDIR=$WORLD ALLOWED_KB=6144
    run timeout -k 5 120 "$ROOT/Scripts/leaks" 2500
    echo "$output"
    assert_status 0
    [[ ${lines[-1]} =~ ^"leaks: 2500 transfers" ]] || fail "not the last line expected"
}
