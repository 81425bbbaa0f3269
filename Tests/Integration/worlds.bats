#!/usr/bin/env bats
# shellcheck disable=SC2016  # another shell expands it
# The tests' own house: nothing that they start outlives them.
load test_helper

# In a process of its own, as bats runs a test: what it was told to leave running, by pid.
in_a_test_that_is_killed() {
    timeout -k 1 60 bash -c '
        source "$HELPERS/world.bash"
        '"$1"'
        echo "$BACKGROUND_PID"
        kill -KILL $$' 3>&- || true
}

@test "a server that a killed test had started ends" {
    pid=$(in_a_test_that_is_killed 'background server python3 "$SLOW_SERVER" --port 0
        until grep -q listening "$WORLD/server.out"; do sleep 0.05; done')
    [[ $pid =~ ^[0-9]+$ ]] || fail "nothing was started: $pid"
    wait_until 20 has_ended "$pid"
}

@test "a program that a killed test had started ends, and one whose test goes on does not" {
    background other sleep 60
    pid=$(in_a_test_that_is_killed 'background sleeper sleep 60')
    [[ $pid =~ ^[0-9]+$ ]] || fail "nothing was started: $pid"
    wait_until 20 has_ended "$pid"
    ! has_ended "$BACKGROUND_PID" || fail "a program of this test has ended too"
}
