#!/usr/bin/env bash
# Experiment 12: the service itself is killed in mid-transfer.
# shellcheck disable=SC2119
source "${BASH_SOURCE[0]%/*}/lesson.bash"

title "12. Service killed"
predict "The service is killed in the middle of a download. Whoever comes next starts it again, and it goes on from the bytes on disk."
server_begin --interval 0.02

say "In the middle, the service is gone."
run bgtool start "$(standing_at 600000)" --name audiobook-42
until_true reaches received audiobook-42 600000
kill -KILL "$(service_process)"
open_gate

say "The next process starts it again without a word."
run bgtool resume
until_true has_ended GET /audiobook 2
server_saw GET /audiobook
holds "the second request asks for the rest" equal "$(log_values start GET /audiobook range | grep -c '^bytes=[1-9][0-9]*-$')" 1
holds "and only if the file is still the same" equal "$(log_values start GET /audiobook ifRange | grep -vc null)" 1
holds "the file is the server's" same_bytes audiobook /audiobook
remember "Nothing is told before it is on disk, and what is on disk is what counts. A crash repeats an event at worst; it loses none."
