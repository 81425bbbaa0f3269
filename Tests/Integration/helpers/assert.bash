# shellcheck shell=bash
# What is expected, said so that a failure shows what was seen. They judge the last run_bgtool, or the
# status, output and lines that read_output put in its place.

last_command=

fail() {
    {
        printf '%s\n' "$@"
        if [[ -n $last_command ]]; then
            echo "--- $last_command: exit status ${status-}"
            echo "--- standard output"
            echo "${output-}"
            echo "--- standard error"
            echo "${stderr-}"
        fi
        if [[ -s $WORLD/server.log ]]; then
            echo "--- the server's log"
            tail -n 20 "$WORLD/server.log"
        fi
    } >&2
    return 1
}

# read_output NAME   takes what a background command printed as the output to judge.
read_output() {
    last_command="$1 (in the background)"
    output=$(<"$WORLD/$1.out")
    stderr=$(<"$WORLD/$1.err")
    mapfile -t lines <<<"$output"
}

assert_equal() {
    [[ $1 == "$2" ]] || fail "expected: $2" "     saw: $1" ${3:+"     for: $3"}
}

# assert_between LOW VALUE HIGH WHAT   the ends included
assert_between() {
    if ! [[ $2 =~ ^-?[0-9]+$ ]] || (($2 < $1 || $2 > $3)); then
        fail "$4: expected $1 to $3, saw '$2'"
    fi
}

assert_status() {
    [[ ${status-} == "$1" ]] || fail "expected exit status $1, saw ${status-}"
}

# The whole of standard output, a line an argument.
assert_output() {
    local expected
    expected=$(printf '%s\n' "$@")
    [[ ${output-} == "$expected" ]] || fail "expected this and no other output:" "$expected"
}

assert_no_output() {
    [[ -z ${output-} ]] || fail "expected nothing on standard output"
}

assert_line() {
    grep -Fxq -- "$1" <<<"${output-}" || fail "no such line: $1"
}

assert_line_matching() {
    grep -Eq -- "$1" <<<"${output-}" || fail "no line matches: $1"
}

refute_line_matching() {
    ! grep -Eq -- "$1" <<<"${output-}" || fail "a line matches, and none should: $1"
}

assert_first_line() {
    [[ ${lines[0]-} == "$1" ]] || fail "expected the first line to be: $1"
}

assert_last_line() {
    [[ ${#lines[@]} -gt 0 && ${lines[-1]} == "$1" ]] || fail "expected the last line to be: $1"
}

# assert_in_order REGEX…   lines that match stand in this order; others may stand between.
assert_in_order() {
    local at=0 pattern
    for pattern in "$@"; do
        while [[ $at -lt ${#lines[@]} ]] && ! [[ ${lines[$at]} =~ $pattern ]]; do at=$((at + 1)); done
        if [[ $at -ge ${#lines[@]} ]]; then
            fail "no line for '$pattern' in this order:" "$@"
            return 1
        fi
        at=$((at + 1))
    done
}

# assert_stderr_says WORDS…   each stands on standard error, in any case of letters.
assert_stderr_says() {
    local words
    for words in "$@"; do
        grep -Fiq -- "$words" <<<"${stderr-}" || fail "standard error does not say: $words" || return 1
    done
}

# A refusal a person can use: the status, nothing on standard output, and the words that name the thing
# and the remedy; never a trap's trace.
assert_refused() {
    assert_status "$1" && assert_no_output && assert_stderr_says "${@:2}" || return 1
    ! grep -Eq 'Fatal error|Stack dump|Thread .* crashed' <<<"${stderr-}" || fail "it trapped"
}

# assert_same_bytes FILE PATH   the file holds what the server's resource at PATH holds.
assert_same_bytes() {
    [[ -f $1 ]] || fail "no file at $1" || return 1
    assert_equal "$(sha256sum <"$1" | cut -d ' ' -f 1)" "$(server_digest "$2")" "the SHA-256 of $1"
}

assert_no_file() {
    [[ ! -e $1 ]] || fail "there should be no file at $1"
}
