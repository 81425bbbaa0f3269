#!/usr/bin/env bats
# The owner is killed on the line after resume() and inside each of its delegate's callbacks. Its next life
# hears the event it died of, and those behind it; what it has done already is not done again.
load test_helper

# dies_at POINT ARGUMENT…   bgtool, killed at that point of its own code.
dies_at() {
    BGTOOL_CRASH_POINT=$1 run_bgtool "${@:2}"
    assert_status 137
}

nothing_is_left() {
    run_bgtool resume
    assert_status 0
    assert_output "relaunch sees: []"
    run_bgtool status
    assert_no_output
    run find "$URLSESSIOND_HOME/bodies" "$URLSESSIOND_HOME/Downloads" "$URLSESSIOND_HOME/wishes" -type f \
        ! -name '*lock'
    assert_equal "$output" "" "files left in the home"
}

@test "killed on the line after resume(): the download comes all the same" {
    server_start --interval 0
    dies_at afterResume start "$SERVER/bytes/100000" --name moon -o moon
    assert_no_output
    run_bgtool resume
    assert_status 0
    assert_in_order '^finished 1 moon 100000$' '^saved 1 ' '^complete 1 nil$'
    assert_same_bytes moon /bytes/100000
    assert_equal "$(server_requests GET /bytes/100000)" 1 "requests"
    nothing_is_left
}

@test "killed on the line after resume() while no service ran: the upload is made all the same" {
    server_start --interval 0
    make_file gift 100000
    assert_equal "$(service_pid)" ""
    dies_at afterResume upload gift "$SERVER/uploads" --name gift
    run_bgtool resume
    assert_status 0
    assert_in_order '^answer 1 gift status=200 POST /uploads 100000 bytes$' '^complete 1 nil$'
    assert_equal "$(server_values end POST /uploads sha256)" "$(sha256sum <gift | cut -d ' ' -f 1)" "SHA-256"
    nothing_is_left
}

@test "killed while it hears of progress, up or down: the transfer goes on and is heard in the next life" {
    server_start --interval 0
    # More than two sockets can take: the rest is news when the server reads on.
    make_file gift 8000000
    run_bgtool start "$SERVER/bytes/400000?hold=down&holdat=200000" --name moon -o moon
    run_bgtool upload gift "$SERVER/uploads?hold=up&holdat=200000" --name gift
    local point pid
    for point in didWrite:down didSend:up; do
        background "${point%:*}" env BGTOOL_CRASH_POINT="${point%:*}" "$BGTOOL" resume
        pid=$BACKGROUND_PID
        wait_until 30 grep -q "relaunch sees" "$WORLD/${point%:*}.out"
        [[ $point != didSend:* ]] || wait_until 30 grep -q '^complete 1 nil$' "$WORLD/didSend.out"
        server_release "${point#*:}"
        wait_exit "$pid" 60
        assert_equal "$status" 137 "the exit status at $point"
    done
    # The second of them heard the end of what the first had seen begin.
    read_output didSend
    assert_in_order '^finished 1 moon 400000$' '^saved 1 ' '^complete 1 nil$'
    run_bgtool resume
    assert_status 0
    assert_in_order '^answer 2 gift status=200 ' '^complete 2 nil$'
    assert_same_bytes moon /bytes/400000
    assert_equal "$(server_requests GET /bytes/400000) $(server_requests POST /uploads)" "1 1" "requests"
    nothing_is_left
}

@test "killed as it hears of a file, before or after placing it: the next life hears all of it, and places once" {
    server_start --interval 0
    run_bgtool start "$SERVER/bytes/100000" --name moon -o moon
    wait_until 30 task_is moon finished
    dies_at didFinish resume
    refute_line_matching '^(finished|complete)'
    assert_no_file moon
    dies_at afterPlacing resume
    assert_in_order '^finished 1 moon 100000$'
    refute_line_matching '^(saved|complete)'
    inode=$(stat -c %i moon)
    run_bgtool resume
    assert_status 0
    assert_in_order '^finished 1 moon 100000$' '^saved 1 ' '^complete 1 nil$' '^events finished$'
    assert_equal "$(stat -c %i moon)" "$inode" "the file in place"
    assert_equal "$(ls)" moon "what is here"
    assert_same_bytes moon /bytes/100000
    nothing_is_left
}

@test "killed as it hears an answer: the next life hears it" {
    server_start --interval 0
    make_file gift 1000
    run_bgtool upload gift "$SERVER/uploads" --name gift
    wait_until 30 task_is gift finished
    dies_at didReceive resume
    run_bgtool resume
    assert_in_order '^answer 1 gift status=200 POST /uploads 1000 bytes$' '^complete 1 nil$'
    assert_equal "$(server_requests POST /uploads)" 1 "requests"
    nothing_is_left
}

@test "killed between an answer's bytes, which are in memory only, and the end: the next life hears both" {
    server_start --interval 0
    make_file gift 1000
    run_bgtool upload gift "$SERVER/uploads" --name gift
    wait_until 30 task_is gift finished
    dies_at didComplete resume
    run_bgtool resume
    assert_in_order '^answer 1 gift status=200 POST /uploads 1000 bytes$' '^complete 1 nil$'
    nothing_is_left
}

@test "killed as it hears the end: the next life hears the end alone; killed behind that, nothing" {
    server_start --interval 0
    run_bgtool start "$SERVER/bytes/1000" --name moon -o moon
    wait_until 30 task_is moon finished
    dies_at didComplete resume
    assert_line_matching '^saved 1 '
    dies_at didFinishEvents resume
    assert_output 'relaunch sees: []' 'complete 1 nil'
    nothing_is_left
}

@test "killed as it hears that a download was resumed: the next life hears that too, with the same offset" {
    server_start --interval 0
    run_bgtool start "$SERVER/bytes/400000?hold=gate&holdat=200000" --name moon -o moon
    wait_until 30 task_reaches received moon 200000
    run_bgtool cancel moon --keep
    run_bgtool resume
    server_release gate
    run_bgtool start "$SERVER/bytes/400000?hold=gate&holdat=200000" --name moon -o moon
    wait_until 30 task_is moon finished
    dies_at didResume resume
    run_bgtool resume
    assert_status 0
    assert_in_order '^resumed 2 moon offset=200000$' '^finished 2 moon 400000$' '^complete 2 nil$'
    assert_same_bytes moon /bytes/400000
    nothing_is_left
}
