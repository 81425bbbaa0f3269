# shellcheck shell=bash
# The server that asks who is there, and the program that says.

DIALOGUE=$ROOT/.build/packages/debug/dialogue-program

dialogue_begin() {
    world_begin
    [[ -x $DIALOGUE ]] || fail "$DIALOGUE is not there; run 'make integration', which builds it."
    export URLSESSIOND_PATH=$BIN/urlsessiond
}

# dialogue_server [PROXY]   its address in $ASKER
dialogue_server() {
    background asker python3 "$HELPERS/dialogue_server.py" "$WORLD/asker.log" "$@"
    wait_until 20 test -s "$WORLD/asker.out"
    ASKER=http://127.0.0.1:$(<"$WORLD/asker.out")
}

# dialogue [NAME=VALUE…] queue|own PATH…   with the server's address before each path
dialogue() {
    local -a settings=() addresses=()
    while [[ $1 == *=* ]]; do settings+=("$1"); shift; done
    local purpose=$1
    shift
    [[ $# -eq 0 ]] || addresses=("${@/#/$ASKER}")
    run_program env "${settings[@]}" "$DIALOGUE" "$purpose" "${addresses[@]}"
}

# What the server was asked, a line a request: METHOD PATH STATUS COOKIE SCHEME
asked() { cat "$WORLD/asker.log"; }

asker_was_asked() {
    local count
    count=$(wc -l <"$WORLD/asker.log" 2>/dev/null) || count=0
    echo "$count requests came"
    ((count >= $1))
}
