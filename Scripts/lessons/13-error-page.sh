#!/usr/bin/env bash
# Experiment 13: an error page is not a file.
source "${BASH_SOURCE[0]%/*}/lesson.bash"

title "13. An error page is not a file"
predict "A server answers 404, and another time 500. To the transfer that is an answer and no error; to whoever wanted the file it is none, and nothing is put in its place."
server_begin --interval 0

say "404."
run bgtool start "$SERVER/audiobook?status=404" --name audiobook-42 -o book.m4b
run bgtool resume
holds "the status is visible" has_line '^refused 1 audiobook-42 status=404$'
holds "the task has completed without a transport error" has_line '^complete 1 nil$'
holds "nothing stands where the file belongs" no_file book.m4b

say "500."
run bgtool start "$SERVER/audiobook?status=500" --name audiobook-42 -o book.m4b
run bgtool resume
holds "the status is visible" has_line '^refused 2 audiobook-42 status=500$'
holds "nothing stands where the file belongs" no_file book.m4b
remember "didCompleteWithError with nil means that the exchange is over, not that you have what you wanted. Look at the status before you move the file."
