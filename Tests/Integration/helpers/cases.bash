# shellcheck shell=bash
# Many transfers in one world that all tests of a file share: started and run to their end before the first
# test, which makes a test of each of them cheap. A file's setup_file calls cases_begin, case_start for each,
# and cases_run; its setup, teardown and teardown_file are cases_recall, cases_judge and cases_end.

cases_begin() {
    world_begin
    mkdir "$WORLD/failed"
    server_start --interval 0
}

# case_start NAME TARGET [OPTION…]   the wish NAME for TARGET at the slow server, in the file NAME
case_start() {
    local name=$1 target=$2
    shift 2
    timeout -k 2 60 "$BGTOOL" start "$SERVER$target" --name "$name" -o "$name" "$@" \
        >>"$WORLD/start.out" 2>>"$WORLD/start.err" 3>&-
}

# The new owner hears how all of them end.
cases_run() {
    timeout -k 2 "${BGTOOL_SECONDS:-120}" "$BGTOOL" resume \
        >"$WORLD/resume.out" 2>"$WORLD/resume.err" 3>&- || true
}

# Each test judges what that owner printed.
cases_recall() {
    cd "$HERE" || return
    read_output resume
}

cases_judge() {
    if [[ -z ${BATS_TEST_COMPLETED:-} && -z ${BATS_TEST_SKIPPED-} ]]; then
        : >"$WORLD/failed/$BATS_TEST_NUMBER"
    fi
}

cases_end() {
    [[ -d ${WORLD-} ]] || return 0
    [[ -n $(ls "$WORLD/failed") ]] || BATS_TEST_COMPLETED=1
    world_end
}

case_id() { sed -n "s/^started \([0-9]*\) $1\$/\1/p" "$WORLD/start.out"; }
case_requests() { server_requests GET "/bytes/300000/$1"; }

# Body bytes over all answers to a case.
bytes_sent() { server_values end GET "/bytes/300000/$1" sent | awk '{ sum += $1 } END { print sum }'; }

# assert_arrived NAME [VERSION]   it finished, whole, with the bytes of that version (1)
assert_arrived() {
    local id
    id=$(case_id "$1")
    assert_in_order "^finished $id $1 300000\$" "^saved $id .*/$1\$" "^complete $id nil\$" &&
        assert_same_bytes "$HERE/$1" "/bytes/300000/$1?version=${2:-1}"
}

# assert_ranges NAME RANGE…   the Range of each request, in order; null for none
assert_ranges() {
    local name=$1
    shift
    assert_equal "$(server_values start GET "/bytes/300000/$name" range | tr '\n' ' ')" "$* " "$name: ranges"
}

# assert_statuses NAME STATUS…   of each answer, in the order of the requests: one whose body nobody wanted
# may end after the next has begun
assert_statuses() {
    local name=$1
    shift
    assert_equal "$(server_values start GET "/bytes/300000/$name" status | tr '\n' ' ')" "$* " "$name: answers"
}

# The part it was answered with was of no use: asked for the whole, once, it has the right bytes.
assert_started_again() {
    assert_arrived "$@" &&
        assert_ranges "$1" null bytes=100000- null &&
        assert_statuses "$1" 200 206 200
}
