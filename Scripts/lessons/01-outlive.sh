#!/usr/bin/env bash
# Experiment 1: a transfer outlives the process that asked for it.
# shellcheck disable=SC2119
source "${BASH_SOURCE[0]%/*}/lesson.bash"

title "1. Outlive"
predict "A process asks for a download and ends. The transfer goes on without it, and another process that names the same session finds it, with the same number and the same description, further on than it was left."
server_begin

say "One process asks, looks on for two seconds, and ends."
run bgtool start "$SERVER/audiobook" --name audiobook-42 --wait 2
at_exit=$(task_value received audiobook-42)

say "No process of ours is alive now. A second passes."
sleep 1

say "A new process with the same session identifier."
run bgtool resume
at_relaunch=$(sed -n 's/^relaunch sees: \["1 audiobook-42 received=\([0-9]*\)"\]$/\1/p' <<<"$output")

server_saw GET /audiobook
holds "some of it had arrived when start exited" between 100000 "$at_exit" 1900000
holds "more of it, and not the whole, when resume came" between $((at_exit + 1)) "$at_relaunch" 1999999
holds "the whole file finished, without an error" has_line '^finished 1 audiobook-42 2000000$'
holds "one request at the server" equal "$(requests GET /audiobook)" 1
holds "and that without a Range" equal "$(log_values start GET /audiobook range)" null
holds "the file is the server's" same_bytes audiobook /audiobook
remember "The process describes the transfer, the service owns it. Exit, Ctrl-C and kill -9 of the process do not end it; what finds it again is the session's identifier."
