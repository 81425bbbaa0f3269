# shellcheck shell=bash disable=SC2001,SC2015,SC2034,SC2119,SC2120
# What every lesson loads: a world of its own (service home, folder, server), words for the person, commands
# shown as they are run, and figures that must hold. What a lesson prints is its page in docs/lessons, so it
# prints Markdown: sentences, commands and output indented by four, and a list of what was checked.
#
#   BIN=FOLDER Scripts/lessons/NN-name.sh      BIN: where bgtool and urlsessiond are
set -euo pipefail

ROOT=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
BIN=${BIN:-$(cd "$ROOT" && swift build --show-bin-path)}
[[ -x $BIN/bgtool ]] || { echo "There is no $BIN/bgtool; run 'make lessons', which builds it." >&2; exit 1; }
WORLD=$(mktemp -d /tmp/bglesson.XXXXXX)
export URLSESSIOND_HOME=$WORLD/home PATH=$BIN:$PATH
unset XDG_STATE_HOME URLSESSIOND_PATH URLSESSIOND_IDLE_SECONDS
unset http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
mkdir "$WORLD/here"
cd "$WORLD/here"

server_process=
begun=()

lesson_end() {
    local result=$? process
    bgtool service stop >/dev/null 2>&1 || true
    for process in "${begun[@]}" $server_process; do
        kill -CONT "$process" 2>/dev/null || true
        kill "$process" 2>/dev/null || true
    done
    wait
    cd /
    if [[ $result -eq 0 ]]; then
        rm -rf "$WORLD"
    else
        echo "The lesson does not hold; what there is to look at is in $WORLD." >&2
    fi
}
trap lesson_end EXIT

# --- Words

# What was printed last: blocks of a kind stand together, others are apart.
last=none
paragraph() {
    [[ $last == none ]] || echo
    printf '%s\n' "$*"
    last=sentence
}
title() { paragraph "# $*"; }
# What will happen, before it does.
predict() { paragraph "$*"; }
say() { paragraph "$*"; }
remember() { paragraph "**Remember.** $*"; }
# A line of what was run or seen; a line of what was checked.
shown() {
    [[ $last == shown ]] || echo
    last=shown
    printf '    %s\n' "$*"
}

# run COMMAND…   shows it and what it prints; its exit status in $status, its output in $output.
run() {
    local word text='' quoted
    for word in "$@"; do
        printf -v quoted '%q' "$word"
        [[ $word == *[\ \|\&\;\$\<\>\(\)\*\?]* ]] && quoted="'$word'"
        text+="$quoted "
    done
    shown "\$ ${text% }"
    status=0
    output=$("$@" 2>&1 </dev/null) || status=$?
    [[ -z $output ]] || sed 's/^/    /' <<<"$output"
}

# --- Figures

# holds SENTENCE COMMAND…   the command must succeed.
holds() {
    local sentence=$1 seen
    shift
    if ! seen=$("$@" 2>&1); then
        printf '\nThis does not hold: %s\n    %s\n%s\n' "$sentence" "$*" "$seen" >&2
        exit 1
    fi
    [[ $last == checked ]] || echo
    last=checked
    echo "- $sentence"
}

equal() { [[ $1 == "$2" ]] || { echo "expected $2, saw $1"; return 1; }; }
between() { [[ $2 =~ ^[0-9]+$ ]] && (($1 <= $2 && $2 <= $3)) || { echo "saw $2"; return 1; }; }
# has_line REGEX   in the output of the last run.
has_line() { grep -Eq -- "$1" <<<"$output" || { echo "no line matches $1"; return 1; }; }
has_no_line() { ! grep -Eq -- "$1" <<<"$output"; }
# same_bytes FILE PATH   the file holds what the server's resource holds.
same_bytes() { equal "$(sha256sum <"$1" | cut -d ' ' -f 1)" "$(slow_server --digest "$2")"; }
no_file() { [[ ! -e $1 ]]; }

# until_true COMMAND…   polls; a lesson that waits for ever says for what.
until_true() {
    local tries=1200
    until "$@" >/dev/null 2>&1; do
        ((--tries > 0)) || { echo "Waited a minute for: $*" >&2; exit 1; }
        sleep 0.05
    done
}

# --- The server

slow_server() { python3 "$ROOT/Scripts/slow_server.py" "$@"; }

# server_begin [OPTION…]   its address in $SERVER.
server_begin() {
    # Not by the function: that would be a shell, and killing it leaves the server alive.
    python3 "$ROOT/Scripts/slow_server.py" --port 0 --parent $$ --log "$WORLD/server.log" "$@" >"$WORLD/server.out" 2>&1 &
    server_process=$!
    until_true grep -q '^listening on ' "$WORLD/server.out"
    SERVER=$(sed -n 's/^listening on //p' "$WORLD/server.out")
}

log_values() { python3 "$ROOT/Tests/Integration/helpers/server_log.py" "$WORLD/server.log" "$@"; }
requests() { log_values start "$1" "$2" id | wc -l; }
has_ended() { (($(log_values end "$1" "$2" id | wc -l) >= ${3:-1})); }

# server_saw METHOD PATH   a line a request, from the server's log.
server_saw() {
    say "The server's log of $2:"
    local range if_range code sent received
    while read -r range if_range code sent received; do
        shown "$1 Range: $range If-Range: $if_range -> $code, sent $sent, received $received"
    done < <(paste -d ' ' <(log_values end "$1" "$2" range) <(log_values end "$1" "$2" ifRange) \
        <(log_values end "$1" "$2" status) <(log_values end "$1" "$2" sent) \
        <(log_values end "$1" "$2" received))
}

# An audiobook that stands still after so many bytes until the gate is opened, so that what happens in its
# middle does so on any machine. standing_at OFFSET [PARAMETERS]
standing_at() { echo "$SERVER/audiobook?hold=gate&holdat=$1${2:+&$2}"; }
# open_gate [NAME]
open_gate() {
    python3 -c 'import sys, urllib.request as r
r.build_opener(r.ProxyHandler({})).open(r.Request(sys.argv[1], method="POST"))' "$SERVER/-/release/${1:-gate}"
}

# --- The service and its clients

# task_value KEY NAME   received or sent, as `bgtool status` shows it
task_value() { bgtool status | grep -E "^[0-9]+ $2 " | sed -n "s/.* $1=\([0-9]*\).*/\1/p"; }
reaches() { (($(task_value "$1" "$2") >= $3)); }
task_is() { bgtool status | grep -Eq "^[0-9]+ $1 $2( |$)"; }
service_process() { bgtool service status | sed -n 's/^running pid=\([0-9]*\) .*/\1/p'; }

# aside NAME COMMAND…   leaves a program running; its pid in $aside_process, its output in NAME.out.
aside() {
    local name=$1
    shift
    shown "\$ $* &"
    env --default-signal=INT "$@" >"$WORLD/$name.out" 2>&1 </dev/null &
    aside_process=$!
    begun+=("$aside_process")
}
