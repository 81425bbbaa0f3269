#!/usr/bin/env bash
# Experiment 7: where continuing would be wrong, the download starts again.
source "${BASH_SOURCE[0]%/*}/lesson.bash"

title "7. Not resumable"
predict "Three downloads are paused and asked for again: from a server that names no version of its file, from one whose file is another one meanwhile, and from one that takes no notice of ranges. Each starts again, and no file is a mixture."
server_begin --interval 0.02

# pause_and_ask_again NAME ADDRESS
pause_and_ask_again() {
    run bgtool start "$2" --name "$1" -o "$1"
    until_true reaches received "$1" 500000
    run bgtool cancel "$1" --keep
    open_gate "$1"
    run bgtool start "$2" --name "$1" -o "$1"
    run bgtool resume
}

say "Neither ETag nor Last-Modified: nothing says that the rest would belong to the same file."
pause_and_ask_again unnamed "$SERVER/audiobook?hold=unnamed&holdat=500000&etag=none&lastmodified=none"
holds "it did not go on from the middle" has_no_line '^resumed '
holds "the file is whole" same_bytes unnamed /audiobook

say "Each answer has another ETag: the rest would be of another file."
pause_and_ask_again changed "$SERVER/audiobook?hold=changed&holdat=500000&etag=changing"
holds "it did not go on from the middle" has_no_line '^resumed '
holds "the file is whole" same_bytes changed /audiobook

say "The rest is asked for, and the server sends the whole all the same (200): its first byte is the file's."
pause_and_ask_again ignoring "$SERVER/audiobook?hold=ignoring&holdat=500000&ranges=ignore"
holds "the rest was asked for" equal "$(log_values start GET /audiobook range | tail -1)" bytes=500000-
holds "it did not go on from the middle" has_no_line '^resumed '
holds "the file is whole" same_bytes ignoring /audiobook

server_saw GET /audiobook
remember "Resuming needs a strong ETag or a Last-Modified date, and byte ranges. If they are missing, or the file has changed, starting again is the right thing; gluing two versions together never is."
