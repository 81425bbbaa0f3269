#!/usr/bin/env bash
# Experiment 5: the same wish queued again at relaunch.
source "${BASH_SOURCE[0]%/*}/lesson.bash"

# asked RUN   how often the server was asked for the file of one line and order
asked() { requests GET "/bytes/100000/$1/a.zip"; }

title "5. Asked twice"
predict "A process is started again while the service runs its download of a.zip, and wants a.zip. It can queue it blindly, queue it if nothing of that description runs, or leave the decision to the service. Each is done once and twice, and before and after the download's end; what exists then says how far the way can be trusted."
server_begin --interval 0

say "The program in Sources/Lessons/lesson-asked-twice: a line for each way, with the transfers that exist after each order. The server decides when a transfer ends. In the last two lines a is the end of the download, and b the asking."
run lesson-asked-twice "$SERVER"
holds "blindly: a copy more each time" has_line '^queue-without-checking \| once=\[a\.zip, a\.zip\] twice=\[a\.zip, a\.zip, a\.zip\] .* -> repeat-sensitive$'
holds "by identifier: never a second copy while the first one runs" has_line '^by-identifier \| once=\[a\.zip\] twice=\[a\.zip\] ab=\[a\.zip\] ba=\[a\.zip\] -> robust$'
holds "but one more when the first has just ended" has_line '^finish-and-queue \| once=\[\] twice=\[\] ab=\[a\.zip\] ba=\[\] -> order-sensitive$'
holds "by wish: none, whichever comes first" has_line '^by-wish \| once=\[\] twice=\[\] ab=\[\] ba=\[\] -> robust$'

say "What each has cost at the server: the requests for one file."
holds "blindly: two, then three" equal "$(asked queue-without-checking/once) $(asked queue-without-checking/twice)" "2 3"
holds "by identifier: one" equal "$(asked by-identifier/once) $(asked by-identifier/twice)" "1 1"
holds "by identifier, just after the end: two" equal "$(asked finish-and-queue/ab) $(asked finish-and-queue/ba)" "2 1"
holds "by wish: one in every order" equal "$(asked by-wish/once) $(asked by-wish/twice) $(asked by-wish/ab) $(asked by-wish/ba)" "1 1 1 1"
remember "At launch ask what there is before you queue: list the tasks, take the kept results, update your records, and only then queue. What you must not fetch twice let enqueueMissing decide: it looks at what runs, at results nobody has taken and at files that are in place, in one step."
