#!/usr/bin/env bash
# Experiment 8: a session belongs to one process, and in it to one session object.
source "${BASH_SOURCE[0]%/*}/lesson.bash"

title "8. One owner"
predict "A process has a session, and a second process makes one with the same identifier: its tasks fail with -996. Then the first process makes a second session object itself. That is warned about, and the second object hears nothing, not even of its own tasks."
server_begin --interval 0

say "The program in Sources/Lessons/lesson-one-owner takes the session, starts itself once more as the second process, and makes the second object last."
run lesson-one-owner "$SERVER"
holds "the second process's task fails with -996" has_line '^second process: complete 1 NSURLErrorDomain -996 '
holds "the words say which process has the session" has_line '^second process: .* in use by another process \(pid [0-9]+\)'
holds "the second object is warned about" has_line 'identifier com\.example\.one-owner already exists'
holds "the first object heard of both tasks" has_line '^first object: heard the ends of \[1, 2\]$'
holds "the second one of none" has_line '^second object: heard the ends of \[\]$'

server_saw GET /bytes/1000
holds "the server was asked by the first process only" equal "$(requests GET /bytes/1000)" 2
remember "One session object for an identifier, made once at launch and kept where everybody finds it. A helper process or an extension that transfers too has an identifier of its own."
