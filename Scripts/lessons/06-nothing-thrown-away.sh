#!/usr/bin/env bash
# Experiment 6: a pause keeps what has arrived.
# shellcheck disable=SC2119
source "${BASH_SOURCE[0]%/*}/lesson.bash"

title "6. Nothing thrown away"
predict "A download is paused at 70 percent and asked for again. The second request asks for the rest only, and the two together are exactly the file."
server_begin --interval 0.02

say "Paused at 70 percent: cancelled, and the bytes kept."
run bgtool start "$(standing_at 1400000)" --name audiobook-42
until_true reaches received audiobook-42 1400000
run bgtool cancel audiobook-42 --keep
open_gate

say "Asked for again."
run bgtool start "$(standing_at 1400000)" --name audiobook-42
run bgtool resume

until_true has_ended GET /audiobook 2
server_saw GET /audiobook
offset=$(sed -n 's/^resumed 2 audiobook-42 offset=//p' <<<"$output")
holds "the delegate heard where it goes on" equal "$offset" 1400000
holds "the second request asks for the rest" equal "$(log_values start GET /audiobook range | tail -1)" "bytes=$offset-"
holds "and only if the file is still the same" equal "$(log_values start GET /audiobook ifRange | grep -vc null)" 1
holds "the file is the server's" same_bytes audiobook /audiobook
remember "Cancel by producing resume data, and keep that data: it is small, and describes the bytes that are held. Without it the next request starts at 0."
