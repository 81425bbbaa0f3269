#!/usr/bin/env bash
# Experiment 14: several downloads at once, with a progress for each and one for all.
source "${BASH_SOURCE[0]%/*}/lesson.bash"

# held NAME [PARAMETERS]   2,000,000 bytes that stand still at 500,000 until the gate is opened
held() { echo "$SERVER/bytes/2000000/$1?hold=gate&holdat=500000${2:+&$2}"; }

# on_screen   what a terminal shows in the end of what was written to it: bars are drawn over one another
on_screen() {
    python3 -c 'import re, sys
screen = []
for line in sys.stdin.read().replace("\r", "").replace("\x1b[J", "").splitlines():
    while up := re.match(r"\x1b\[(\d+)A", line):
        del screen[-int(up[1]):]
        line = line[up.end():]
    screen.append(line)
print("\n".join(screen))'
}

# look_on   as a person does on a terminal, for three seconds
look_on() {
    shown "\$ bgtool resume --timeout 3"
    output=$(script -qec "bgtool resume --timeout 3" /dev/null </dev/null | on_screen) || true
    awk '{ print "    " $0 }' <<<"$output"
}

title "14. Many at once"
predict "Three downloads go on together. Each has a progress of its own, and the progress of all is their sum. As soon as one of them does not say how long it is, nobody knows how much there is in all, and no percentage is made up."
server_begin --interval 0

say "Three wishes in one command. The server holds each at a quarter."
run bgtool start "$(held a)" "$(held b)" "$(held c)"
for name in a b c; do until_true reaches received "$name" 500000; done
look_on
holds "each has its own progress" equal "$(grep -c '^[abc]  .* 25 %  500,000 of 2,000,000 bytes$' <<<"$output")" 3
holds "that of all is the sum" has_line '^all 3  .* 25 %  1,500,000 of 6,000,000 bytes$'

say "A fourth one, of which the server does not say the length."
run bgtool start "$(held d length=chunked)"
until_true reaches received d 500000
look_on
holds "its length is unknown" has_line '^d  500,000 bytes of an unknown number$'
holds "and so is that of all" has_line '^all 4  2,000,000 bytes of an unknown number$'
holds "the others are shown as before" equal "$(grep -c '^[abc]  .* 25 %' <<<"$output")" 3

say "The server goes on."
open_gate
run bgtool resume
holds "a is the server's" same_bytes a /bytes/2000000/a
holds "b is the server's" same_bytes b /bytes/2000000/b
holds "c is the server's" same_bytes c /bytes/2000000/c
holds "d is the server's" same_bytes d /bytes/2000000/d
remember "Add up what has arrived and what is expected over all transfers, those that have ended too, or the sum runs backwards. An unknown length is -1: show bytes then, and no percentage."
