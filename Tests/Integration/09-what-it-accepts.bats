#!/usr/bin/env bats
# Experiment 9: what a background session accepts, and what it refuses with a message that names the rule.
load test_helper

@test "a download, an upload of a file and a data task share a session; closures, async and memory are refused" {
    server_start
    make_file photo 3000
    run_program "$BIN/lesson-what-it-accepts" "$SERVER" photo
    assert_status 0
    assert_line_matching "^file book 20000 in $URLSESSIOND_HOME/Downloads/lesson-what-it-accepts\$"
    assert_line "complete book nil"
    assert_line "answer photo 25 POST /uploads 3000 bytes"
    assert_line "complete photo nil"
    assert_line "response state 200"
    assert_line_matching '^answer state 300 '
    assert_line "complete state nil"

    local handler='does not take completion handlers' async='does not take async transfers'
    local file='uploads from a file only' stream='takes no body streams'
    local call
    for call in data-handler download-handler resume-handler upload-handler; do
        assert_line_matching "^refused $call: ended by signal [0-9]+: .*$handler"
    done
    for call in async-data async-download async-upload async-bytes; do
        assert_line_matching "^refused $call: ended by signal [0-9]+: .*$async"
    done
    assert_line_matching "^refused upload-data: ended by signal [0-9]+: .*$file"
    assert_line_matching "^refused upload-stream: ended by signal [0-9]+: .*$file"
    assert_line_matching "^refused body-stream: ended by signal [0-9]+: .*$stream"
    assert_equal "$(grep -c '^refused' <<<"$output")" 11 "calls that were refused"
    service_runs || fail "the service did not outlive its clients"
}
