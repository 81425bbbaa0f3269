#!/usr/bin/env bash
# Experiment 3: what ends while nobody is there is told once, to the next process.
source "${BASH_SOURCE[0]%/*}/lesson.bash"

title "3. Finished while away"
predict "A download ends while no process is there. Its result is kept, told once to the next process, and then the session says that there is no more; the process after that hears nothing."
server_begin --interval 0.01

say "Asked for, and over before anybody looks again."
run bgtool start "$SERVER/audiobook" --name audiobook-42
until_true task_is audiobook-42 finished
run bgtool status

say "A common mistake: a process that makes up a new identifier at each launch sees nothing. What it left has no owner."
run bgtool resume --session com.example.made-up-today
holds "nothing is seen under another name" has_line '^relaunch sees: \[\]$'
say "The service knows where it is."
run bgtool sessions
holds "the list shows one result that nobody has heard" has_line 'undelivered=1'

say "The process that names the right session."
run bgtool resume
holds "the result came, and then the end of the events" has_line '^events finished$'
say "And the one after it."
run bgtool resume
holds "it is told once" has_line '^relaunch sees: \[\]$'
holds "one request at the server" equal "$(requests GET /audiobook)" 1
holds "the file is in place" same_bytes audiobook /audiobook
remember "Use the same identifier at every launch, and make the session at every launch, also when you want nothing of it. Move the file before the delegate's method returns: when it has returned the file is gone."
