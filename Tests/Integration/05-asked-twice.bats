#!/usr/bin/env bats
# Experiment 5: the same wish queued again at relaunch. Blindly it is fetched again and again; by identifier,
# asking what runs, it is fetched again when it has just ended; when the service decides, once in every order.
load test_helper

setup() {
    world_begin
    export URLSESSIOND_PATH=$BIN/urlsessiond
}

@test "asked twice: four ways to queue again, measured and classified" {
    server_start --interval 0
    BGTOOL_SECONDS=240 run_program "$BIN/lesson-asked-twice" "$SERVER"
    assert_status 0
    assert_output \
        "queue-without-checking | once=[a.zip, a.zip] twice=[a.zip, a.zip, a.zip] ab=[a.zip, a.zip, a.zip] ba=[a.zip, a.zip, a.zip] -> repeat-sensitive" \
        "by-identifier | once=[a.zip] twice=[a.zip] ab=[a.zip] ba=[a.zip] -> robust" \
        "finish-and-queue | once=[] twice=[] ab=[a.zip] ba=[] -> order-sensitive" \
        "by-wish | once=[] twice=[] ab=[] ba=[] -> robust" \
        "robust: 2" "repeat-sensitive: 1" "order-sensitive: 1" "doubly-sensitive: 0"

    # What each came to at the server.
    requests() { server_requests GET "/bytes/100000/$1/a.zip"; }
    assert_equal "$(requests queue-without-checking/once) $(requests queue-without-checking/twice)" "2 3"
    assert_equal "$(requests by-identifier/once) $(requests by-identifier/twice)" "1 1"
    assert_equal "$(requests finish-and-queue/ab) $(requests finish-and-queue/ba)" "2 1"
    for order in once twice ab ba; do
        assert_equal "$(requests "by-wish/$order")" 1 "requests, asked by wish, $order"
    done
}
