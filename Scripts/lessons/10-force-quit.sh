#!/usr/bin/env bash
# Experiment 10: the user ends the app on purpose.
# shellcheck disable=SC2119
source "${BASH_SOURCE[0]%/*}/lesson.bash"

title "10. Force-quit"
predict "A person ends an app on purpose. All its transfers are cancelled, it is not woken for them, and its next process hears that the user did it. A Ctrl-C is not that, nor is kill -9: they cancel nothing."
server_begin

say "Not a force-quit: the process that looks on is interrupted, and the next one killed."
run bgtool start "$SERVER/audiobook" --name audiobook-42
aside first bgtool resume
until_true grep -q '^relaunch sees' "$WORLD/first.out"
kill -INT "$aside_process"
aside second bgtool resume
until_true grep -q '^relaunch sees' "$WORLD/second.out"
kill -KILL "$aside_process"
wait "$aside_process" 2>/dev/null || true
run bgtool status
holds "the transfer goes on" has_line '^1 audiobook-42 running '

say "A force-quit."
run bgtool force-quit
holds "one transfer was cancelled" has_line 'cancelled=1 '
until_true task_is audiobook-42 failed

say "The next process."
run bgtool resume
holds "it hears the user's reason" has_line '^complete 1 NSURLErrorDomain -999 cancelled: the user quit'
until_true has_ended GET /audiobook
holds "the server was cut off before the end" between 1 "$(log_values end GET /audiobook sent)" 1999999
holds "no file was left" no_file audiobook

say "A process that looks on hears it at once."
run bgtool start "$SERVER/audiobook?hold=gate&holdat=500000" --name audiobook-43
aside watching bgtool resume
until_true grep -q '^relaunch sees' "$WORLD/watching.out"
run bgtool force-quit
holds "one transfer was cancelled" has_line 'cancelled=1 '
wait "$aside_process" 2>/dev/null || true
while read -r line; do shown "$line"; done <"$WORLD/watching.out"
holds "it hears the user's reason" grep -q '^complete 2 NSURLErrorDomain -999 cancelled: the user quit' \
    "$WORLD/watching.out"
remember "Whoever quits an app on purpose says that it shall do nothing more. An app that keeps its records by taskDescription can offer to ask again, when the person has opened it."
