# shellcheck shell=bash
# Questions to the server's access log. Each servers/NAME.bash has read_log, which prints a line for each
# request that has ended: method, address, status, Range, If-Range and Authorization, apart by tabs, `-`
# for none. A request that was cut short may be noted later than the one that followed it, so that none is
# told from another by its place.

# requests PATH [other|tls]   of the first origin, the second, or the one with TLS
requests() {
    read_log "${2:-}" | sed 's/\\x22/"/g; s/\\"/"/g' |
        awk -F '\t' -v path="$1" '{ split($2, address, "?") } address[1] == path'
}

# fields NAME PATH [ORIGIN]   of each request, a line each
fields() { requests "${@:2}" | cut -f "$(column "$1")"; }

# fields_of_ranged NAME PATH [ORIGIN]   of each request that had a Range
fields_of_ranged() { requests "${@:2}" | awk -F '\t' '$4 != "-"' | cut -f "$(column "$1")"; }

column() {
    case $1 in
        status) echo 3 ;;
        range) echo 4 ;;
        if-range) echo 5 ;;
        authorization) echo 6 ;;
    esac
}

# For waiting: requests_reach COUNT PATH [ORIGIN]
requests_reach() {
    local count
    count=$(requests "${@:2}" | wc -l)
    echo "$count requests for $2"
    ((count >= $1))
}

# assert_continued PATH [ORIGIN]   one request asked for the whole, one for the rest if it was still the
# same file, and it was.
assert_continued() {
    wait_until 10 requests_reach 2 "$@"
    assert_equal "$(requests "$@" | wc -l)" 2 "requests"
    assert_matches "$(fields_of_ranged range "$@")" '^bytes=[1-9][0-9]*-$' "Range"
    assert_matches "$(fields_of_ranged if-range "$@")" '^("[^"]+"|[A-Z][a-z][a-z], [^"]* GMT)$' "If-Range"
    assert_equal "$(fields_of_ranged status "$@")" 206 "the status of the answer to the Range"
}

assert_matches() { [[ $1 =~ $2 ]] || fail "$3: '$1' does not match $2"; }
