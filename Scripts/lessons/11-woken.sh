#!/usr/bin/env bash
# Experiment 11: the service starts the owner when everything has ended and nobody is there.
source "${BASH_SOURCE[0]%/*}/lesson.bash"

# visit_is OUTCOME [SESSION]
visit_is() { bgtool status --all | grep -q "^wakes ${2:-com\.example\.library\.relaunch} .*last=$1 "; }

# register SESSION ADDRESS COMMAND…   a session with a program of its own and a download
register() { python3 "$ROOT/Tests/Integration/helpers/rpc.py" "$URLSESSIOND_HOME/socket" launch "$1" "$2" "$(command -v "$3")" "${@:4}"; }

title "11. Woken"
predict "A download ends while no process is there, and the service starts the program that its session has registered. It is told the session, hears the events, puts the file in place and closes its visit. A program that never closes its visit is ended, and the next wake is put off."
export URLSESSIOND_VISIT_SECONDS=2
server_begin --interval 0.02

say "A download with a command to run when it is in place. The process ends at once."
run bgtool start "$SERVER/audiobook" --name audiobook-42 -o book --on-finish cp book copy
until_true test -s copy

say "Nobody has run resume: the service did. Its wakes, and what the woken program said."
until_true grep -q '^events finished' "$URLSESSIOND_HOME/log/launches.log"
run bgtool status --all
until_true visit_is closed
holds "it was started once, and has closed its visit" visit_is closed
run cat "$URLSESSIOND_HOME/log/launches.log"
holds "the file is in place" same_bytes book /audiobook
holds "the command has run" same_bytes copy /audiobook

say "The same with a program that does nothing and does not end."
register films "$SERVER/bytes/1000" sleep 300
until_true visit_is overran films
run bgtool status --all
holds "its visit was ended, and noted" has_line 'wakes films .*last=overran .*did not close its visit within 2 s'
holds "it counts twice: the next wake is two minutes away" has_line 'wakes films .*next=1[0-2][0-9]s'
remember "Make the session anew, let its events come, and call the completion handler when urlSessionDidFinishEvents has come. Every wake without the person makes the next one rarer; work that a visit queues waits as long. The person starting the program takes that back."
