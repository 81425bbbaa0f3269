#!/usr/bin/env bash
# Experiment 9: what a background session accepts, and what it refuses.
source "${BASH_SOURCE[0]%/*}/lesson.bash"

title "9. What it accepts"
predict "A download, an upload of a file and a data task go together on one session. What cannot outlive the process is refused at once, with a message that names the rule: completion handlers, async calls, and bodies that are Data or a stream."
server_begin --interval 0
head -c 3000 /dev/urandom >photo.jpg

say "The program in Sources/Lessons/lesson-what-it-accepts. Each refusal ends the process that asks for it, so each is made by a child process."
run lesson-what-it-accepts "$SERVER" photo.jpg
holds "the download has completed, under its description" has_line '^complete book nil$'
holds "its temporary file is in the service's own folder" has_line "^file book 20000 in $URLSESSIOND_HOME/"
holds "the upload has completed, with the answer's body" has_line '^answer photo [0-9]+ POST /uploads 3000 bytes$'
holds "the data task has completed, with its bytes" has_line '^answer state 300 '

# refused RULE CALL…   each has ended its process with that rule
refused() {
    local call
    for call in "${@:2}"; do has_line "^refused $call: ended by signal [0-9]+: .*$1" || return 1; done
}
holds "no completion handlers" refused 'does not take completion handlers' data-handler download-handler resume-handler upload-handler
holds "no async calls" refused 'does not take async transfers' async-data async-download async-upload async-bytes
holds "an upload is from a file, not from memory or a stream" refused 'uploads from a file only' upload-data upload-stream
holds "no other body is a stream" refused 'takes no body streams' body-stream
holds "eleven calls were refused" equal "$(grep -c '^refused' <<<"$output")" 11
holds "the service has outlived all of them" test -n "$(service_process)"

server_saw POST /uploads
holds "the server received the file once" equal "$(log_values end POST /uploads received)" 3000
remember "A closure dies with its process, and so does what is in memory. Speak to a delegate, write a body to a file first, and know your tasks by taskDescription."
