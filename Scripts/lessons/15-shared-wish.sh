#!/usr/bin/env bash
# Experiment 15: several callers want one address.
# shellcheck disable=SC2119
source "${BASH_SOURCE[0]%/*}/lesson.bash"

title "15. Shared wish"
predict "Several callers want one file. The server is asked once, and each caller is answered once. One that changes its mind takes nothing from the others. When the last one does, the download is a pause: its bytes are kept, and the next process that wants the file goes on from there."
server_begin --interval 0
mkdir shelf

say "The program in Sources/Lessons/lesson-shared-wish. Three callers; the second cancels at once."
run lesson-shared-wish "$SERVER/audiobook" --into shelf --callers 3 --cancel 2
server_saw GET /audiobook
holds "each was answered, once" equal "$(grep -c '^answer ' <<<"$output")" 3
holds "the one that cancelled hears so" has_line '^answer 2 cancelled$'
holds "the others have the file" equal "$(grep -c '^answer [13] file .*/shelf/audiobook$' <<<"$output")" 2
holds "one request at the server" equal "$(requests GET /audiobook)" 1
holds "the file is the server's" same_bytes shelf/audiobook /audiobook

say "Two callers of another file. When 700,000 bytes of it have arrived both cancel, and the process ends."
ADDRESS="$SERVER/bytes/2000000/film?hold=gate&holdat=700000"
run lesson-shared-wish "$ADDRESS" --into shelf --callers 2 --pause-at 700000
holds "both were answered" equal "$(grep -c '^answer [12] cancelled$' <<<"$output")" 2
holds "nothing stands where the file belongs" no_file shelf/film
until_true has_ended GET /bytes/2000000/film
open_gate

say "The next process wants it."
run lesson-shared-wish "$ADDRESS" --into shelf
until_true has_ended GET /bytes/2000000/film 2
server_saw GET /bytes/2000000/film
holds "it went on from there" equal "$(log_values start GET /bytes/2000000/film range | tail -1)" bytes=700000-
holds "the two requests together sent exactly the file" equal "$(log_values end GET /bytes/2000000/film sent | paste -sd +)" 700000+1300000
holds "the file is the server's" same_bytes shelf/film /bytes/2000000/film
remember "Share a transfer by its wish: address, method, headers and destination. Count the callers, answer each once, and let the last one that goes turn the cancel into a pause."
