# shellcheck shell=bash disable=SC2034  # what is set here is read by the tests
# A test's own world: a folder with its own service home and server, and everything it started.
# It ends only what it began, by process id, and stays where it is when the test fails.

world_begin() {
    # Not under TMPDIR: what is deep enough does not fit into a socket's address.
    WORLD=$(mktemp -d /tmp/bg.XXXXXX)
    HERE=$WORLD/here
    mkdir "$HERE"
    : >"$WORLD/pids"
    export WORLD HERE
    export URLSESSIOND_HOME=$WORLD/home
    unset XDG_STATE_HOME URLSESSIOND_PATH URLSESSIOND_IDLE_SECONDS
    unset http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
    cd "$HERE" || return
}

world_end() {
    local pid
    while read -r pid; do
        end_process "$pid"
    done <"$WORLD/pids"
    timeout -k 1 5 "$BGTOOL" service stop >/dev/null 2>&1 3>&- || true
    # What is left descends from this test too: it carries this world's home.
    for pid in $(processes_of_this_world; service_pid); do
        end_process "$pid"
    done
    cd / || true
    if [[ -n ${BATS_TEST_COMPLETED:-} || -n ${BATS_TEST_SKIPPED-} ]]; then
        rm -rf "$WORLD"
    else
        echo "kept for a look: $WORLD (server.log, home/log, *.out, *.err)"
    fi
}

# run_bgtool ARGUMENT…   like bats' run, never longer than BGTOOL_SECONDS (60): exit status, output and
# lines from standard output, stderr apart.
run_bgtool() { run_program "$BGTOOL" "$@"; }

# run_program PATH ARGUMENT…   the same for another program.
run_program() {
    run --separate-stderr timeout -k 2 "${BGTOOL_SECONDS:-60}" "$@"
    last_command="${1##*/} ${*:2}"
}

# background NAME COMMAND…   leaves it running, with NAME.out and NAME.err in the world; its pid is in
# $BACKGROUND_PID. bats waits for whoever holds its descriptor 3. The shell would have it ignore Ctrl-C.
# A test that is killed ends nothing any more: the kernel does it then (a service is not started this way).
background() {
    local name=$1 parent=$BASHPID
    shift
    # shellcheck disable=SC2016  # the inner shell expands; a parent may have ended before it was named as such
    setpriv --pdeathsig TERM sh -c '[ "$PPID" -eq "$0" ] && exec "$@"' "$parent" \
        env --default-signal=INT,QUIT "$@" \
        </dev/null >"$WORLD/$name.out" 2>"$WORLD/$name.err" 3>&- 4>&- 5>&- 6>&- &
    BACKGROUND_PID=$!
    echo "$BACKGROUND_PID" >>"$WORLD/pids"
}

# wait_exit PID SECONDS   its exit status in $status; a process that stays is a failure.
wait_exit() {
    wait_until "$2" has_ended "$1"
    status=0
    wait "$1" || status=$?
}

has_ended() {
    local state
    state=$(sed -n 's/^State:\t//p' "/proc/$1/status" 2>/dev/null) || return 0
    echo "process $1 is in state ${state:-gone}"
    [[ -z $state || $state == Z* ]]
}

# Ends a process if it is of this world. A stopped one is woken for it.
end_process() {
    belongs_to_this_world "$1" || return 0
    kill -TERM "$1" 2>/dev/null
    kill -CONT "$1" 2>/dev/null
    local tries=40
    until has_ended "$1" >/dev/null || ((--tries == 0)); do sleep 0.05; done
    has_ended "$1" >/dev/null || kill -KILL "$1" 2>/dev/null
    return 0
}

# By the environment it was started with: only processes that descend from this test have this world's
# folder in it; or by the lock it holds.
belongs_to_this_world() {
    grep -qzsF "=$WORLD/" "/proc/$1/environ" || service_pid | grep -qx "$1"
}

processes_of_this_world() {
    local file program
    grep -lzsF "=$WORLD/" /proc/[0-9]*/environ | while read -r file; do
        program=$(readlink "${file%/environ}/exe") || continue
        [[ ${program##*/} == urlsessiond* || ${program##*/} == bgtool* ]] || continue
        file=${file#/proc/}
        echo "${file%/environ}"
    done
    return 0
}

clients_alive() {
    local pid
    for pid in $(processes_of_this_world); do
        [[ $(readlink "/proc/$pid/exe") == */bgtool* ]] && echo "$pid"
    done
    return 0
}

# Whoever has this world's instance lock open: the service, by the rule the service itself goes by.
service_pid() {
    find /proc/[0-9]*/fd -maxdepth 1 -lname "$WORLD/*service.lock" 2>/dev/null |
        cut -d / -f 3 | sort -u
}

service_runs() { [[ -n $(service_pid) ]]; }
service_is_gone() { ! service_runs; }

# Resident memory of the service, in kB.
service_memory() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$(service_pid)/status"; }

skip_as_root() { [[ $EUID -ne 0 ]] || skip "root may do everything"; }

make_file() { head -c "$2" /dev/urandom >"$1"; }
