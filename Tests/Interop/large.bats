#!/usr/bin/env bats
# Across the 32-bit line: sparse on the server, 4 GiB on this disk.
load interop_helper

@test "4 GiB + 1 byte: cut at the 32-bit line, the last byte is asked for, and the file is right" {
    # The servers' runs go side by side, each with 4 GiB of its own.
    (($(stat -f -c '%a * %S' "$WORLD") > 24000000000)) || skip "not 24 GB free"
    local line=4294967296 file=$WWW/store/large.bin place
    for place in 0 $((line / 2 - 2)) $((line - 5)); do
        head -c 6 /dev/urandom | dd of="$file" bs=6 oflag=seek_bytes seek="$place" conv=notrunc status=none
    done
    assert_equal "$(stat -c %s "$file")" "$((line + 1))"
    touch -d '3 hours ago' "$file"
    relay_start "$line"
    run_bgtool start "$RELAY/files/large.bin" --name it -o it
    wait_until 120 task_reaches received it "$line"
    kill_service
    BGTOOL_SECONDS=120 finish_as "$file"
    assert_line "finished 1 it $((line + 1))"
    assert_continued /files/large.bin
    assert_equal "$(fields_of_ranged range /files/large.bin)" "bytes=$line-"
}
