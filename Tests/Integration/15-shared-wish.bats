#!/usr/bin/env bats
# Experiment 15: several callers want one address: one request, each answered once, and nothing thrown away.
load test_helper

setup() {
    world_begin
    export URLSESSIOND_PATH=$BIN/urlsessiond
    mkdir shelf
}

shared() { run_program "$BIN/lesson-shared-wish" "$@"; }

# The bytes that are kept of paused wishes.
standing_at() { echo "$SERVER/audiobook?hold=gate&holdat=$1"; }

answers() { grep -Ec '^answer ' <<<"$output"; }

@test "many callers of one address are served by one request, each once" {
    server_start --interval 0
    shared "$SERVER/audiobook" --into "$HERE/shelf" --callers 5
    assert_status 0
    for number in 1 2 3 4 5; do assert_line "answer $number file $HERE/shelf/audiobook"; done
    assert_equal "$(answers)" 5 "answers"
    assert_same_bytes shelf/audiobook /audiobook
    assert_equal "$(server_requests GET /audiobook)" 1 "requests at the server"
}

@test "cancelling one leaves the others" {
    server_start --interval 0
    shared "$SERVER/audiobook" --into "$HERE/shelf" --callers 3 --cancel 2
    assert_status 0
    assert_line "answer 2 cancelled"
    assert_line "answer 1 file $HERE/shelf/audiobook"
    assert_line "answer 3 file $HERE/shelf/audiobook"
    assert_equal "$(answers)" 3 "answers"
    assert_equal "$(server_requests GET /audiobook)" 1 "requests at the server"
}

@test "cancelling the last pauses, and the next process goes on from there" {
    server_start --interval 0
    shared "$(standing_at 700000)" --into "$HERE/shelf" --callers 2 --pause-at 700000
    assert_status 0
    assert_output "answer 1 cancelled" "answer 2 cancelled"
    wait_until 20 server_has_ended GET /audiobook
    assert_no_file shelf/audiobook
    server_release gate
    shared "$(standing_at 700000)" --into "$HERE/shelf"
    assert_status 0
    assert_output "answer 1 file $HERE/shelf/audiobook"
    assert_same_bytes shelf/audiobook /audiobook
    assert_equal "$(server_values start GET /audiobook range | tr '\n' ' ')" "null bytes=700000- "
    sum=$(server_values end GET /audiobook sent | paste -sd + | bc)
    assert_equal "$sum" 2000000 "bytes sent over both requests"
}

@test "a wish without a destination is answered with its bytes, and leaves no file" {
    server_start --interval 0
    shared "$SERVER/bytes/1000" --callers 2
    assert_status 0
    assert_output "answer 1 bytes 1000" "answer 2 bytes 1000"
    assert_equal "$(find "$URLSESSIOND_HOME" -type f -size 1000c)" "" "files of that size left"
}

@test "a result whose caller died with its process is delivered to the fallback" {
    server_start --interval 0
    background first "$BIN/lesson-shared-wish" "$SERVER/bytes/1000/one?hold=gate" --into "$HERE/shelf"
    wait_until 20 server_was_asked GET /bytes/1000/one
    kill -KILL "$BACKGROUND_PID"
    server_release gate
    shared "$SERVER/bytes/2000/two" --into "$HERE/shelf"
    assert_status 0
    assert_line "answer 1 file $HERE/shelf/two"
    wait_until 20 test -f shelf/one
    assert_same_bytes shelf/one /bytes/1000/one
    assert_equal "$(server_requests GET /bytes/1000/one)" 1 "requests for the first"
}

@test "whoever asks again after its process died joins the transfer that went on" {
    server_start --interval 0
    background first "$BIN/lesson-shared-wish" "$SERVER/audiobook?hold=gate" --into "$HERE/shelf"
    wait_until 20 server_was_asked GET /audiobook
    kill -KILL "$BACKGROUND_PID"
    server_release gate
    shared "$SERVER/audiobook?hold=gate" --into "$HERE/shelf"
    assert_status 0
    assert_line "answer 1 file $HERE/shelf/audiobook"
    assert_same_bytes shelf/audiobook /audiobook
    assert_equal "$(server_requests GET /audiobook)" 1 "requests at the server"
}

@test "what is missing is queued once, also after it has arrived, until its file is gone" {
    server_start --interval 0
    shared "$SERVER/bytes/1000/one" --into "$HERE/shelf" --missing
    assert_output "queued" "unclaimed one file $HERE/shelf/one"
    shared "$SERVER/bytes/1000/one" --into "$HERE/shelf" --missing
    assert_output "already there"
    assert_equal "$(server_requests GET /bytes/1000/one)" 1 "requests at the server"
    rm shelf/one
    shared "$SERVER/bytes/1000/one" --into "$HERE/shelf" --missing
    assert_output "queued" "unclaimed one file $HERE/shelf/one"
    assert_equal "$(server_requests GET /bytes/1000/one)" 2 "requests at the server"
}

@test "an error's page answers every caller and is put nowhere" {
    server_start --interval 0
    shared "$SERVER/bytes/1000?status=404" --into "$HERE/shelf" --callers 2
    assert_status 0
    assert_output "answer 1 failed: the server answered with status 404" \
        "answer 2 failed: the server answered with status 404"
    assert_equal "$(ls -A shelf)" "" "files on the shelf"
}

@test "a session that ends with its process holds what is paused in memory, and goes on from there" {
    server_start --interval 0.05
    shared "$SERVER/audiobook" --into "$HERE/shelf" --bound --pause-at 600000 --again
    assert_status 0
    assert_output "answer 1 cancelled" "again file $HERE/shelf/audiobook"
    assert_same_bytes shelf/audiobook /audiobook
    [[ $(server_value start GET /audiobook range 2) == bytes=*- ]] || fail "it began at 0"
    service_is_gone || fail "a service was started"
}

@test "when memory runs low it lets go of that, and the next request begins at 0" {
    server_start --interval 0.05
    shared "$SERVER/audiobook" --into "$HERE/shelf" --bound --low --pause-at 600000 --again
    assert_status 0
    assert_output "answer 1 cancelled" "again file $HERE/shelf/audiobook"
    assert_same_bytes shelf/audiobook /audiobook
    assert_equal "$(server_values start GET /audiobook range | tr '\n' ' ')" "null null "
}

@test "killed at every step of its records, it brings the right file once" {
    server_start --interval 0
    local step=0 died said
    while true; do
        step=$((step + 1))
        ((step < 100)) || fail "it never survives"
        DOWNLOADS_CRASH_AT=$step shared "$SERVER/bytes/50000/$step" --into "$HERE/shelf"
        died=$status
        said=$output
        [[ $died == 0 ]] && break
        assert_status 137
        shared "$SERVER/bytes/50000/$step" --into "$HERE/shelf"
        # Whoever was answered before the end asks for a file that is there.
        [[ $said == *"file $HERE/shelf/$step"* ]] || assert_line "answer 1 file $HERE/shelf/$step"
        assert_same_bytes "shelf/$step" "/bytes/50000/$step"
        assert_equal "$(server_requests GET "/bytes/50000/$step")" 1 "requests, killed at step $step"
    done
    echo "killed at $((step - 1)) steps"
    ((step > 8)) || fail "only $((step - 1)) steps"
}
