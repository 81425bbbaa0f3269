#!/usr/bin/env bats
# Sixty transfers at once, each with faults made up at random. A failure names its seed:
# RANDOM_FAULTS_SEED=N makes the same sixty again.
load test_helper

SESSIONS="one two three"

# The transfers of one session: every third line of the plan.
start_share() {
    local session=$1 first=$2 name kind size target
    sed -n "$first~3p" "$WORLD/plan" | while read -r name kind size target _; do
        if [[ $kind == get ]]; then
            timeout 60 "$BGTOOL" start "$SERVER$target" --name "$name" -o "$name" --session "$session"
        else
            make_file "$name" "$size"
            timeout 60 "$BGTOOL" upload "$name" "$SERVER$target" --name "$name" --session "$session"
        fi || return
    done
}

@test "sixty transfers with random faults end with the right bytes" {
    seed=${RANDOM_FAULTS_SEED:-$RANDOM$RANDOM}
    echo "seed $seed"
    python3 "$HELPERS/random_faults.py" make "$seed" 60 >"$WORLD/plan"
    server_start --interval 0
    local session number=0 pids=() pid
    for session in $SESSIONS; do
        number=$((number + 1))
        start_share "$session" "$number" </dev/null >"$WORLD/start-$session.out" \
            2>"$WORLD/start-$session.err" 3>&- &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do wait "$pid"; done
    pids=()
    for session in $SESSIONS; do
        background "resume-$session" timeout 120 "$BGTOOL" resume --session "$session"
        pids+=("$BACKGROUND_PID")
    done
    for pid in "${pids[@]}"; do wait_exit "$pid" 120; done

    assert_equal "$(cat "$WORLD"/resume-*.out | grep -c '^complete [0-9]* nil$')" 60 "transfers that ended well"
    assert_equal "$(python3 "$HELPERS/random_faults.py" judge "$WORLD/plan" "$WORLD/server.log" "$HERE")" "" \
        "transfers with wrong bytes"
    assert_equal "$(find "$URLSESSIOND_HOME/bodies" -type f)" "" "body files left behind"
}
