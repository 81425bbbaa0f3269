#!/usr/bin/env bats
# `bgtool start`: a wish, where its file goes, and when one wish is two.
load test_helper

# A wish that does not end before the test lets it: /audiobook?hold=gate.
hold() { echo "$SERVER/audiobook?hold=gate"; }

# --- one wish or two

@test "the same name with the same address is one wish" {
    server_start --interval 0
    run_bgtool start "$(hold)" --name audiobook-42
    assert_status 0
    assert_output "started 1 audiobook-42" "start process exiting"
    wait_until 20 server_was_asked GET /audiobook
    run_bgtool start "$(hold)" --name audiobook-42
    assert_status 0
    assert_first_line "already 1 audiobook-42 running received=0"
    server_release gate
    run_bgtool resume
    assert_status 0
    assert_line "finished 1 audiobook-42 2000000"
    assert_equal "$(server_requests GET /audiobook)" 1 "requests at the server"
}

@test "a wish that finished and was not picked up is still the same wish" {
    server_start --interval 0
    run_bgtool start "$SERVER/audiobook" --name audiobook-42
    wait_until 20 task_is audiobook-42 finished
    run_bgtool start "$SERVER/audiobook" --name audiobook-42
    assert_status 0
    assert_first_line "already 1 audiobook-42 finished received=2000000"
    run_bgtool resume
    assert_in_order '^finished 1 ' '^saved 1 ' '^complete 1 nil$'
    assert_equal "$(server_requests GET /audiobook)" 1 "requests at the server"
}

@test "the same name with another address asks for --name" {
    server_start --interval 0
    run_bgtool start "$(hold)&signature=secret" --name audiobook-42
    run_bgtool start "$SERVER/bytes/1000" --name audiobook-42
    assert_refused 64 audiobook-42 --name
    ! grep -q secret <<<"${stderr-}" || fail "it shows the query of a signed address"
    assert_equal "$(server_requests GET /bytes/1000)" 0 "requests for the other address"
}

@test "the name defaults to the address's last part, and --name says another" {
    server_start --interval 0
    run_bgtool start "$SERVER/bytes/1000/moon.txt?version=2"
    assert_first_line "started 1 moon.txt"
    run_bgtool start "$SERVER/bytes/1000/moon.txt?version=3" --name "another moon" -o other.txt
    assert_first_line "started 2 another moon"
    run_bgtool resume
    assert_status 0
    assert_line "finished 1 moon.txt 1000"
    assert_line "finished 2 another moon 1000"
}

@test "--again queues blindly" {
    server_start --interval 0
    run_bgtool start "$(hold)" --name audiobook-42
    run_bgtool start "$(hold)" --name audiobook-42 --again
    assert_status 0
    assert_first_line "started 2 audiobook-42"
    wait_until 20 server_was_asked GET /audiobook 2
}

@test "the same name in another session is another wish" {
    server_start --interval 0
    run_bgtool start "$(hold)" --name audiobook-42 -o one
    run_bgtool start "$(hold)" --name audiobook-42 -o two --session com.example.other
    assert_status 0
    assert_first_line "started 1 audiobook-42"
}

# --- where the file goes

@test "the file goes to the folder where start ran, wherever resume runs" {
    server_start --interval 0
    run_bgtool start "$SERVER/bytes/1000/moon.txt"
    mkdir "$WORLD/elsewhere" && cd "$WORLD/elsewhere"
    run_bgtool resume
    assert_status 0
    assert_line_matching "^saved 1 .*/here/moon\.txt\$"
    assert_same_bytes "$HERE/moon.txt" /bytes/1000/moon.txt
    assert_equal "$(ls -A)" "" "files in the folder where resume ran"
}

@test "-o names the file, and the user's umask is its mode" {
    server_start --interval 0
    mkdir sub
    umask 027
    run_bgtool start "$SERVER/bytes/1000" --output=sub/moon.txt
    run_bgtool resume
    assert_status 0
    assert_same_bytes sub/moon.txt /bytes/1000
    assert_equal "$(stat -c %a sub/moon.txt)" 640 "the file's mode"
}

@test "the server may suggest a name" {
    server_start --interval 0
    run_bgtool start "$SERVER/bytes/1000?header=Content-Disposition:attachment;%20filename=%22moon.txt%22"
    run_bgtool resume
    assert_status 0
    assert_same_bytes moon.txt /bytes/1000
}

@test "a suggested name cannot leave the folder" {
    server_start --interval 0
    run_bgtool start "$SERVER/bytes/1000?header=Content-Disposition:attachment;%20filename=%22../../moon.txt%22"
    run_bgtool resume
    assert_status 0
    assert_no_file "$WORLD/moon.txt"
    assert_same_bytes moon.txt /bytes/1000
}

@test "a folder that is missing is refused before a byte is fetched" {
    server_start --interval 0
    run_bgtool start "$SERVER/bytes/1000" -o missing/moon.txt
    assert_refused 64 missing
    assert_equal "$(server_requests GET /bytes/1000)" 0 "requests at the server"
    run_bgtool status
    assert_no_output
}

@test "a folder that is not writable is refused before a byte is fetched" {
    skip_as_root
    server_start --interval 0
    mkdir -m 500 locked
    run_bgtool start "$SERVER/bytes/1000" -o locked/moon.txt
    assert_refused 64 locked
    assert_equal "$(server_requests GET /bytes/1000)" 0 "requests at the server"
}

@test "an existing file is refused before a byte is fetched, and replaced with --force" {
    server_start --interval 0
    echo "the old one" >moon.txt
    run_bgtool start "$SERVER/bytes/1000" -o moon.txt
    assert_refused 64 moon.txt --force
    assert_equal "$(server_requests GET /bytes/1000)" 0 "requests at the server"
    run_bgtool start "$SERVER/bytes/1000" -o moon.txt --force
    assert_status 0
    run_bgtool resume
    assert_status 0
    assert_same_bytes moon.txt /bytes/1000
}

@test "a file that appeared meanwhile is not overwritten: the result stays kept" {
    server_start --interval 0
    run_bgtool start "$(hold)" --name audiobook-42 -o audiobook.m4b
    echo "somebody else's" >audiobook.m4b
    server_release gate
    run_bgtool resume
    assert_status 1
    assert_in_order '^finished 1 audiobook-42 2000000$' '^kept 1 .*audiobook\.m4b' '^complete 1 nil$'
    assert_equal "$(<audiobook.m4b)" "somebody else's"
    # The bytes that arrived are somewhere in this world still.
    kept=$(find "$URLSESSIOND_HOME" "$HERE" -type f -size 2000000c)
    [[ -n $kept ]] || fail "what arrived is gone"
}

@test "two pending wishes for one destination are refused" {
    server_start --interval 0
    run_bgtool start "$(hold)" --name one -o moon.txt
    run_bgtool start "$SERVER/bytes/1000" --name two -o ./moon.txt
    assert_refused 64 moon.txt one
    assert_equal "$(server_requests GET /bytes/1000)" 0 "requests for the second wish"
}

wish_says() { grep -hF "$1" "$URLSESSIOND_HOME"/wishes/bgtool/*.json | grep -qF "$2"; }

@test "asked again, a wish takes what is new and keeps the rest, and no other wish's file" {
    server_start --interval 0
    zeros=$(printf '0%.0s' {1..64})
    echo old >one.txt
    run_bgtool start "$(hold)" --name one -o one.txt --force
    assert_first_line "started 1 one"
    run_bgtool start "$(hold)" --name one -o one.txt --sha256 "$zeros"
    assert_status 0
    wish_says '"sha256"' "$zeros" || fail "it was not told the digest"
    wish_says '"replace"' true || fail "--force was taken back"
    run_bgtool start "$(hold)&two" --name two -o two.txt
    assert_first_line "started 2 two"
    run_bgtool start "$(hold)" --name one -o two.txt
    assert_refused 64 two.txt two
}

# --- what is asked, and what must come

@test "-H sends a field, as often as it is given" {
    server_start --interval 0
    secret=$(printf user:secret | base64)
    run_bgtool start "$SERVER/bytes/1000?auth=user:secret" -H "Authorization: Basic $secret" -H "X-Two: 2"
    assert_status 0
    run_bgtool resume
    assert_status 0
    assert_line "finished 1 1000 1000"
    assert_equal "$(server_values start GET /bytes/1000 authorization)" True "the field at the server"
}

@test "--sha256 lets the right file through and keeps a wrong one aside" {
    server_start --interval 0
    right=$(server_digest /bytes/1000)
    run_bgtool start "$SERVER/bytes/1000" --name right -o right --sha256 "${right^^}"
    run_bgtool start "$SERVER/bytes/1001" --name wrong -o wrong --sha256 "$right"
    run_bgtool resume
    assert_status 1
    assert_line_matching '^saved 1 .*/right$'
    assert_line_matching '^kept 2 .*(SHA|sha)-?256'
    assert_same_bytes right /bytes/1000
    assert_no_file wrong
}

@test "addresses go out byte for byte" {
    server_start --interval 0
    run_bgtool start "$SERVER/bytes/10/a%2Bb%40c+d/..%2f?sign=%2F+x%20y&empty=" --name signed -o signed
    assert_status 0
    run_bgtool resume
    assert_status 0
    grep -Fq '"path": "/bytes/10/a%2Bb%40c+d/..%2f?sign=%2F+x%20y&empty="' "$WORLD/server.log" ||
        fail "the server saw another address"
}

@test "options stand before or after the address" {
    server_start --interval 0
    run_bgtool start --name moon -o moon.txt --wait=0 "$SERVER/bytes/1000"
    assert_status 0
    run_bgtool resume
    assert_line "finished 1 moon 1000"
}

# --- who may have what

@test "start uses no result up, even when it watches until the end" {
    server_start --interval 0
    run_bgtool start "$SERVER/bytes/1000" --name one --wait 5
    assert_status 0
    assert_last_line "start process exiting"
    wait_until 20 task_is one finished
    run_bgtool start "$SERVER/bytes/2000" --name two --wait 1
    assert_status 0
    run_bgtool resume
    assert_status 0
    assert_in_order '^finished 1 one 1000$' '^saved 1 ' '^complete 1 nil$'
    assert_in_order '^finished 2 two 2000$' '^saved 2 ' '^complete 2 nil$'
    assert_line "events finished"
}

@test "a start that finds the session owned waits for it, then says whose it is and exits 75" {
    server_start --interval 0
    run_bgtool start "$(hold)" --name audiobook-42
    background owner "$BGTOOL" resume
    owner=$BACKGROUND_PID
    wait_until 20 grep -q '^relaunch sees' "$WORLD/owner.out"
    begun=$(milliseconds)
    run_bgtool start "$SERVER/bytes/1000" --name other
    assert_refused 75 "$owner" --session
    assert_between 8000 $(($(milliseconds) - begun)) 30000 "ms waited for the owner (about 10 s)"
    assert_equal "$(server_requests GET /bytes/1000)" 0 "requests for the refused wish"

    run_bgtool start "$SERVER/bytes/1000" --name other --session com.example.other
    assert_status 0

    server_release gate
    wait_exit "$owner" 30
    read_output owner
    assert_line "finished 1 audiobook-42 2000000"
}

@test "a start that finds the session owned goes on as soon as the owner leaves" {
    server_start --interval 0
    run_bgtool start "$(hold)" --name audiobook-42
    background owner "$BGTOOL" resume
    owner=$BACKGROUND_PID
    wait_until 20 grep -q '^relaunch sees' "$WORLD/owner.out"
    background second "$BGTOOL" start "$SERVER/bytes/1000" --name other
    second=$BACKGROUND_PID
    sleep 0.5  # long enough to be refused, if that is what it would be
    kill -KILL "$owner"
    wait_exit "$second" 15
    read_output second
    assert_status 0
    assert_first_line "started 2 other"
}
