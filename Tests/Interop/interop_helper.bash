# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2034  # what is set here is read by the tests
# What every file of this matrix loads. INTEROP_SERVER names the server: each case is written once and
# knows none of them. A file servers/NAME.bash says what the server offers, how it is told to serve the
# layout below, how it is started in the foreground, and how its access log reads.
#
#   /files/        plain files               /zip/      compressed for whoever accepts it
#   /dated/        a date and no ETag        /packed/   compressed whatever the request accepts
#   /slow/FOLDER/  any of these at PACE bytes a second
#   /near/ /away/  redirects to /files/ of this and of the second origin
#   /put/ /small/  take uploads by PUT, the second none of more than 100 kB
source "${BASH_SOURCE[0]%/*}/../Integration/test_helper.bash"

INTEROP=$ROOT/Tests/Interop
KIND=${INTEROP_SERVER:-nginx}
PACE=1048576
# shellcheck source=servers/nginx.bash
source "$INTEROP/servers/$KIND.bash"
source "$INTEROP/requests.bash"

setup() {
    world_begin
    unset CURL_CA_BUNDLE SSL_CERT_FILE SSL_CERT_DIR
    lay_out
    start_origin
}

teardown() {
    end_origin
    world_end
}

lay_out() {
    local folder
    WWW=$WORLD/www
    STATE=$WORLD/server
    export HOME=$STATE XDG_DATA_HOME=$STATE XDG_CONFIG_HOME=$STATE
    mkdir -p "$WWW/store" "$WWW/packed" "$WWW/put" "$WWW/small" "$WWW/slow" "$STATE"
    for folder in files zip dated slow/files slow/zip slow/dated; do ln -s "$WWW/store" "$WWW/$folder"; done
    ln -s "$WWW/packed" "$WWW/slow/packed"
    # A server that root starts may give root up: let it through, and let it write.
    chmod 711 "$WORLD"
    chmod 777 "$STATE" "$WWW/put" "$WWW/small"
}

# The server on three ports of its own: PORT, OTHER_PORT (the second origin) and TLS_PORT. A port that
# somebody else was quicker to take is no fault of the case: it is started again on others.
start_origin() {
    local tries=3
    make_certificate
    while ((tries-- > 0)); do
        read -r PORT OTHER_PORT TLS_PORT < <(free_ports 3)
        write_configuration >"$STATE/configuration"
        launch
        ORIGIN_PID=$BACKGROUND_PID
        if wait_until 15 origin_answers_or_ended 2>/dev/null && origin_answers; then break; fi
        end_origin
    done
    origin_answers || fail "$KIND does not answer:" "$(cat "$WORLD/origin.err" "$STATE"/*error* 2>/dev/null)"
    SERVER=http://127.0.0.1:$PORT
}

# nginx writes its title over the environment that a world knows its processes by: what this shell began
# itself it ends as its parent.
end_origin() {
    local tries=100
    grep -qsx "PPid:.$BASHPID" "/proc/${ORIGIN_PID:-none}/status" || return 0
    kill -TERM "$ORIGIN_PID"
    until has_ended "$ORIGIN_PID" >/dev/null || ((--tries == 0)); do sleep 0.02; done
    ((tries > 0)) || kill -KILL "$ORIGIN_PID"
    ORIGIN_PID=
}

origin_answers() {
    local port
    for port in "$PORT" "$OTHER_PORT" "$TLS_PORT"; do is_open "$port" || return 1; done
}

is_open() { (: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

origin_answers_or_ended() { origin_answers || has_ended "$ORIGIN_PID"; }

free_ports() {
    python3 - "$1" <<'PYTHON'
import socket
import sys

sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for each in sockets:
    each.bind(("127.0.0.1", 0))
print(*[each.getsockname()[1] for each in sockets])
PYTHON
}

# A certificate authority nobody knows, and a certificate of its for this machine's own address.
make_certificate() {
    CA=$STATE/ca.pem
    [[ ! -f $CA ]] || return 0
    {
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=A test's authority" \
            -keyout "$STATE/ca.key" -out "$CA"
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=127.0.0.1 \
            -keyout "$STATE/tls.key" -out "$STATE/tls.request"
        openssl x509 -req -in "$STATE/tls.request" -CA "$CA" -CAkey "$STATE/ca.key" -CAcreateserial \
            -days 2 -extfile <(echo subjectAltName=IP:127.0.0.1) -out "$STATE/tls.crt"
        cat "$STATE/tls.crt" "$STATE/tls.key" >"$STATE/tls.pem"
    } 2>"$STATE/openssl.err"
    # The server may read its key as another user than the one who made it.
    chmod 644 "$STATE"/tls.*
}

offers() { [[ " $OFFERS " == *" $1 "* ]]; }
needs() { offers "$1" || skip "not offered: $1"; }

# make_resource NAME SIZE   what the server has to give, old enough for its date to be a validator.
make_resource() {
    make_file "$WWW/store/$1" "$2"
    touch -d '3 hours ago' "$WWW/store/$1"
}

# Another file takes its place, its date with it if it is given.
replace_resource() {
    make_file "$WWW/new" "$2"
    touch -d "${3:-2 hours ago}" "$WWW/new"
    mv "$WWW/new" "$WWW/store/$1"
}

# make_text NAME SIZE   the same, of text that compresses by a quarter; compressed under /packed/ too.
make_text() {
    base64 /dev/urandom 2>/dev/null | head -c "$2" >"$WWW/store/$1"
    gzip -nc1 "$WWW/store/$1" >"$WWW/packed/$1"
    touch -d '3 hours ago' "$WWW/store/$1" "$WWW/packed/$1"
}

# stall PATH [TIMES]   an address whose first answer, or so many of them, stands still after 300,000 bytes: what
# is to be cut in its middle is still there, however busy the machine is. In $STALLED.
stall() {
    relay_start 300000 "${2:-1}"
    STALLED=$RELAY/$1
}

# relay_start BYTES [TIMES]   in front of the server; so many answers (1) stand still after so many body bytes.
relay_start() {
    background relay python3 "$INTEROP/relay.py" "$PORT" "$1" "${2:-1}"
    wait_until 20 grep -q '^http' "$WORLD/relay.out"
    RELAY=$(<"$WORLD/relay.out")
}

# begin ADDRESS [OPTION…]   a download named it, of which at least the first 300,000 bytes have come.
begin() {
    run_bgtool start "$1" --name it -o it "${@:2}"
    assert_status 0
    wait_until 30 task_reaches received it 300000
}

# The service dies as if the power went, in the middle of the transfer.
cut_short() {
    begin "$@"
    task_is it running || fail "it is not in its middle any more"
    kill_service
}

kill_service() {
    kill -KILL "$(service_pid)"
    wait_until 10 service_is_gone
}

# The next resume puts the file in place, with the bytes of FILE.
finish_as() {
    run_bgtool resume
    assert_status 0
    assert_line_matching '^finished [0-9]+ it [0-9]+$'
    assert_same_file "$HERE/it" "$1"
}

assert_same_file() {
    [[ -f $1 ]] || fail "no file at $1" || return 1
    cmp "$1" "$2" || fail "$1 is not $2 ($(stat -c %s "$1") and $(stat -c %s "$2") bytes)"
}

# The only partial file of this world.
body_file() { find "$URLSESSIOND_HOME" -type f -path '*bodies*'; }
