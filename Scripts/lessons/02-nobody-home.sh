#!/usr/bin/env bash
# Experiment 2: an upload goes on while no process of its owner is there.
source "${BASH_SOURCE[0]%/*}/lesson.bash"

title "2. Nobody home"
predict "A process hands a file of 5,000,000 bytes over to be sent and ends. The count of bytes sent grows while nobody is there, every byte is sent once, and the server's answer waits for the next process."
server_begin --interval 0.05
head -c 5000000 /dev/urandom >photo.jpg

say "Handed over; the process ends."
run bgtool upload photo.jpg "$SERVER/uploads" --name photo-upload-7

say "Looked at twice, a second apart, with nobody there in between."
run bgtool status
first=$(task_value sent photo-upload-7)
sleep 1
run bgtool status
second=$(task_value sent photo-upload-7)
until_true task_is photo-upload-7 finished

say "The next process is told what the server answered."
run bgtool resume

server_saw POST /uploads
holds "the count has grown in between" between $((first + 1)) "$second" 5000000
holds "the answer's body has reached the next process" has_line '^answer 1 photo-upload-7 status=20[0-9] .'
holds "the server has received every byte, once" equal "$(log_values end POST /uploads received)" 5000000
holds "one request at the server" equal "$(requests POST /uploads)" 1
remember "An upload in the background is sent from a file, because the file is still there when the process is not. It must stay as it was until it has been sent."
