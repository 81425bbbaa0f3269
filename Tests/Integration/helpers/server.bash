# shellcheck shell=bash
# The slow server of this world, and questions to its log. PATH below is an address's path; the query
# that says how the server misbehaves does not count.

# server_start [OPTION…]   on a free port; its address in $SERVER.
server_start() {
    background server python3 "$SLOW_SERVER" --port 0 --log "$WORLD/server.log" "$@"
    wait_until 20 grep -q 'listening on http' "$WORLD/server.out"
    SERVER=$(sed -n 's/^listening on //p' "$WORLD/server.out")
    export SERVER
}

# A port nobody listens at.
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# How many requests came.
server_requests() { server_values start "$1" "$2" id | wc -l; }

# server_values start|end METHOD PATH KEY   one line a request, `null` where the log says so.
server_values() { python3 "$HELPERS/server_log.py" "$WORLD/server.log" "$@"; }

# server_value start|end METHOD PATH KEY NUMBER   of the request with this number, from 1.
server_value() { server_values "$1" "$2" "$3" "$4" | sed -n "$5p"; }

# standing_at OFFSET [PARAMETERS]   the address of an audiobook that stands still there until the gate is opened:
# what is to be stopped in its middle is still under way, however busy the machine is.
standing_at() { echo "$SERVER/audiobook?hold=gate&holdat=$1${2:+&$2}"; }

server_digest() { python3 "$SLOW_SERVER" --digest "$1"; }

# Body bytes that the server has read so far of the uploads at PATH.
server_has_read() {
    python3 - "$SERVER/-/received" "$1" <<'PYTHON'
import json
import sys
import urllib.request

opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
print(json.load(opener.open(sys.argv[1])).get(sys.argv[2], 0))
PYTHON
}

# Lets the requests go on that came with hold=NAME.
server_release() {
    python3 - "$SERVER/-/release/$1" <<'PYTHON'
import sys
import urllib.request

opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
opener.open(urllib.request.Request(sys.argv[1], method="POST"))
PYTHON
}

# server_has_ended METHOD PATH [COUNT]   for waiting
server_has_ended() {
    local count
    count=$(server_values end "$1" "$2" id | wc -l)
    echo "$count requests have ended"
    ((count >= ${3:-1}))
}

server_was_asked() {
    local count
    count=$(server_requests "$1" "$2")
    echo "$count requests came"
    ((count >= ${3:-1}))
}
