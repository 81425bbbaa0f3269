#!/usr/bin/env bats
# Downloads in one piece, cut short and gone on with, and of files that change meanwhile.
load interop_helper

@test "a file arrives whole" {
    make_resource book.bin 3000001
    run_bgtool start "$SERVER/files/book.bin" --name it -o it
    assert_status 0
    finish_as "$WWW/store/book.bin"
    wait_until 10 requests_reach 1 /files/book.bin
    assert_equal "$(fields status /files/book.bin)" 200
}

@test "an empty file arrives as an empty file" {
    make_resource empty.bin 0
    run_bgtool start "$SERVER/files/empty.bin" --name it -o it
    finish_as "$WWW/store/empty.bin"
    assert_line "finished 1 it 0"
}

@test "an address goes out as it was given" {
    make_resource 'a b+c%41.bin' 1000
    run_bgtool start "$SERVER/files/a%20b+c%2541.bin?sign=a%2Fb" --name it -o it
    finish_as "$WWW/store/a b+c%41.bin"
}

@test "a page about a missing file is no file" {
    run_bgtool start "$SERVER/files/missing.bin" --name it -o it
    run_bgtool resume
    assert_status 1
    assert_line "refused 1 it status=404"
    assert_no_file "$HERE/it"
}

@test "a slow file arrives whole" {
    needs pace
    make_resource book.bin 1500000
    run_bgtool start "$SERVER/slow/files/book.bin" --name it -o it
    finish_as "$WWW/store/book.bin"
}

@test "cut: the rest is asked for, on condition, and the file is right" {
    make_resource book.bin 1500001
    stall files/book.bin
    cut_short "$STALLED"
    finish_as "$WWW/store/book.bin"
    assert_continued "/files/book.bin"
}

@test "cut three times: the file is right" {
    make_resource book.bin 4000001
    stall files/book.bin 3
    local seen
    begin "$STALLED"
    for seen in 600000 900000; do
        kill_service
        run_bgtool service start
        wait_until 30 task_reaches received it "$seen"
    done
    kill_service
    finish_as "$WWW/store/book.bin"
}

@test "paused: the next start goes on" {
    make_resource book.bin 1500001
    stall files/book.bin
    begin "$STALLED"
    run_bgtool cancel it --keep
    assert_status 0
    run_bgtool start "$STALLED" --name it -o it
    assert_status 0
    finish_as "$WWW/store/book.bin"
    assert_continued "/files/book.bin"
}

@test "cut, and the file has no ETag: its date is the condition" {
    needs dated
    make_resource book.bin 1500001
    stall dated/book.bin
    cut_short "$STALLED"
    finish_as "$WWW/store/book.bin"
    assert_continued "/dated/book.bin"
    assert_matches "$(fields_of_ranged if-range "/dated/book.bin")" 'GMT$' "If-Range"
}

@test "cut, and the file is another of the same length: nothing is mixed" {
    make_resource book.bin 1500001
    stall files/book.bin
    cut_short "$STALLED"
    replace_resource book.bin 1500001
    finish_as "$WWW/store/book.bin"
    wait_until 10 requests_reach 2 "/files/book.bin"
    assert_equal "$(fields_of_ranged status "/files/book.bin")" 200
}

@test "cut, and the file is shorter than what is held: nothing is mixed" {
    make_resource book.bin 1500001
    stall files/book.bin
    cut_short "$STALLED"
    replace_resource book.bin 200000
    finish_as "$WWW/store/book.bin"
}

@test "cut, and the file ends where the bytes held do, its date unchanged: 416 starts again" {
    needs dated
    make_resource book.bin 1500001
    stall dated/book.bin
    begin "$STALLED"
    run_bgtool cancel it --keep
    local held
    held=$(stat -c %s "$(body_file)")
    # All else alike, the server cannot say but that the range lies behind its end.
    replace_resource book.bin "$held" "$(stat -c %y "$WWW/store/book.bin")"
    run_bgtool start "$STALLED" --name it -o it
    finish_as "$WWW/store/book.bin"
    wait_until 10 requests_reach 3 "/dated/book.bin"
    assert_equal "$(fields_of_ranged range "/dated/book.bin")" "bytes=$held-"
    assert_equal "$(fields_of_ranged status "/dated/book.bin")" 416
}

@test "killed when every byte is held: nothing more is asked for" {
    make_resource book.bin 1500001
    stall files/book.bin
    cut_short "$STALLED"
    cp "$WWW/store/book.bin" "$(body_file)"
    finish_as "$WWW/store/book.bin"
    wait_until 10 requests_reach 1 "/files/book.bin"
    assert_equal "$(requests "/files/book.bin" | wc -l)" 1 "requests"
}

@test "compressed for whoever accepts it: the bytes are right" {
    make_text book.txt 1500001
    run_bgtool start "$SERVER/zip/book.txt" --name it -o it
    finish_as "$WWW/store/book.txt"
}

@test "compressed for whoever accepts it, and cut: the bytes are right" {
    make_text book.txt 1500001
    stall zip/book.txt
    cut_short "$STALLED"
    finish_as "$WWW/store/book.txt"
}

@test "compressed whatever is accepted: the bytes are right" {
    make_text book.txt 1500001
    run_bgtool start "$SERVER/packed/book.txt" --name it -o it
    finish_as "$WWW/store/book.txt"
}

@test "compressed whatever is accepted, and cut: no offset is asked for" {
    make_text book.txt 2000001
    stall packed/book.txt
    cut_short "$STALLED"
    finish_as "$WWW/store/book.txt"
    wait_until 10 requests_reach 2 "/packed/book.txt"
    assert_equal "$(fields_of_ranged range "/packed/book.txt")" "" "Range"
}
