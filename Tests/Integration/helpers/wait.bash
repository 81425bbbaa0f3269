# shellcheck shell=bash
# Waiting is polling with a deadline. A deadline bounds a failure; it is no expectation of speed.

# wait_until SECONDS COMMAND…   until the command succeeds; a failure shows what it last said.
wait_until() {
    local seconds=$1 seen deadline
    shift
    deadline=$(($(milliseconds) + seconds * 1000))
    until seen=$("$@" 2>&1); do
        if (($(milliseconds) >= deadline)); then
            fail "waited $seconds s for: $*" "it last said: ${seen:-(nothing)}"
            return 1
        fi
        sleep 0.05
    done
}

milliseconds() { echo $((${EPOCHREALTIME/./} / 1000)); }
