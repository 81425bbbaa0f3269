#!/usr/bin/env bats
# Programs in the styles that apps are written in around background sessions, each as for Apple's platforms
# but for one import. Each is killed with SIGKILL in mid-transfer and started again: right bytes, no request
# sent twice, each callback once.
load test_helper

PROGRAMS=$ROOT/.build/packages/debug

setup() {
    world_begin
    [[ -x $PROGRAMS/closure-service ]] ||
        fail "$PROGRAMS/closure-service is not there; run 'make integration', which builds it."
    export URLSESSIOND_PATH=$BIN/urlsessiond
    server_start
}

# first_life PROGRAM COMMAND…   starts it and kills it once the command holds.
first_life() {
    background first "$PROGRAMS/$1" "$SERVER" "$HERE"
    wait_until 60 "${@:2}"
    kill -KILL "$BACKGROUND_PID"
    wait_exit "$BACKGROUND_PID" 30
    ! grep -q completed "$WORLD/first.out" || fail "it was killed too late" "$(<"$WORLD/first.out")"
}

# second_life PROGRAM [HOLD…]   starts it again, lets the server go on, and reads what it printed.
second_life() {
    background second "$PROGRAMS/$1" "$SERVER" "$HERE"
    local name
    for name in "${@:2}"; do server_release "$name"; done
    wait_exit "$BACKGROUND_PID" 60
    read_output second
    assert_status 0
}

both_were_asked() { server_was_asked GET "$1/one" && server_was_asked GET "$1/two"; }

both_were_read() {
    local name
    for name in one two; do
        [[ $(server_has_read "/uploads/$name") -ge 100000 ]] || return 1
    done
}

# assert_once LINE…   each stands once in what the second life printed.
assert_once() {
    local line
    for line in "$@"; do
        assert_equal "$(grep -Fxc -- "$line" <<<"$output")" 1 "lines '$line' in: $output"
    done
}

# assert_downloaded SIZE NAME…   right bytes, by one request without a Range.
assert_downloaded() {
    local name
    for name in "${@:2}"; do
        assert_same_bytes "$HERE/$name" "/bytes/$1/$name"
        assert_equal "$(server_values start GET "/bytes/$1/$name" range)" null "requests for $name"
    done
}

# assert_uploaded NAME…   by one request with every byte.
assert_uploaded() {
    local name method=$1
    shift
    for name in "$@"; do
        assert_equal "$(server_values end "$method" "/uploads/$name" received)" \
            "$(stat -c %s "$HERE/$name")" "bytes the server had of $name"
    done
}

@test "a singleton with closures and a metadata store places what its killed life had asked for" {
    first_life closure-service both_were_asked /bytes/300000
    second_life closure-service one two
    assert_once "arrived 1 status=200" "completed 1 nil" "arrived 2 status=200" "completed 2 nil"
    refute_line_matching "^queued"
    assert_downloaded 300000 one two
}

@test "an actor that asks for all tasks finds those of its killed life" {
    first_life actor-wrapper both_were_asked /bytes/300000
    second_life actor-wrapper one two
    assert_first_line 'known ["one", "two"]'
    assert_once "arrived one at one" "completed one nil" "arrived two at two" "completed two nil"
    refute_line_matching "^queued"
    assert_downloaded 300000 one two
}

@test "an uploader of continuations hears the answers that its killed life was waiting for" {
    make_file one 300000
    make_file two 300000
    first_life continuation-uploader both_were_read
    second_life continuation-uploader one two
    assert_first_line 'under way ["one", "two"]'
    assert_once "completed one 200 POST /uploads/one 300000 bytes" \
        "completed two 200 POST /uploads/two 300000 bytes"
    refute_line_matching "^queued"
    assert_uploaded POST one two
}

@test "a downloader of coalesced callers joins the transfer of its killed life" {
    first_life coalescing-downloader server_was_asked GET /bytes/400000/model
    second_life coalescing-downloader model
    assert_equal "$(grep -c '^joined model$' <<<"$output")" 2 "callers that joined"
    assert_equal "$(grep -c '^answered model$' <<<"$output")" 2 "callers that were answered"
    assert_once "completed model nil"
    assert_downloaded 400000 model
}

@test "a downloader of coalesced callers goes on in its next life from the resume data of a pause" {
    run_program "$PROGRAMS/coalescing-downloader" "$SERVER" "$HERE" pause
    assert_status 0
    assert_line "paused model with resume data"
    second_life coalescing-downloader model
    assert_once "goes on model" "completed model nil"
    offset=$(sed -n 's/^resumed at \([0-9]*\) of 400000$/\1/p' <<<"$output")
    assert_between 200000 "$offset" 400000 "the offset"
    assert_same_bytes "$HERE/model" /bytes/400000/model
    assert_equal "$(server_values start GET /bytes/400000/model range | tail -n 1)" "bytes=$offset-"
    assert_equal "$(server_requests GET /bytes/400000/model)" 2 "requests"
}

@test "a queue that makes its session anew when it has become invalid ends all batches" {
    first_life recreating-queue both_were_asked /bytes/300000
    second_life recreating-queue one two three
    assert_once 'made a session for ["one", "two"]' "completed one nil" "completed two nil" \
        'made a session for ["three"]' "queued three" "completed three nil"
    assert_equal "$(grep -c '^invalid nil$' <<<"$output")" 2 "sessions that became invalid"
    assert_downloaded 300000 one two three
}

@test "a client of resumable uploads asks again for the state that its killed life was waiting for" {
    local part
    for part in 1 2 3; do make_file part-$part 100000; done
    first_life resumable-uploads server_was_asked GET /bytes/16/state
    second_life resumable-uploads state part-1 part-2 part-3
    assert_line_matching '^completed state [0-9]+ -997$'
    assert_in_order '^asked state$' '^completed state 200 nil$' '^state 16$' '^queued part-1$' \
        '^completed part-3 201 nil$'
    assert_once "completed part-1 201 nil" "completed part-2 201 nil" "completed part-3 201 nil"
    assert_uploaded PUT part-1 part-2 part-3
}

@test "a client of resumable uploads goes on with the part that its killed life was sending" {
    local part
    for part in 1 2 3; do make_file part-$part 100000; done
    server_release state
    background first "$PROGRAMS/resumable-uploads" "$SERVER" "$HERE"
    wait_until 60 server_was_asked PUT /uploads/part-1
    kill -KILL "$BACKGROUND_PID"
    wait_exit "$BACKGROUND_PID" 30
    second_life resumable-uploads part-1 part-2 part-3
    assert_first_line 'under way ["part-1"]'
    assert_once "completed part-1 201 nil" "completed part-2 201 nil" "completed part-3 201 nil"
    refute_line_matching '^asked state'
    assert_uploaded PUT part-1 part-2 part-3
}

@test "a file with its usual conditional import, beside the aliases, finds its transfer again" {
    first_life guarded-import server_was_asked GET /bytes/300000/model
    second_life guarded-import model
    assert_once "found 1 true" "arrived model" "completed model nil"
    assert_downloaded 300000 model
}
