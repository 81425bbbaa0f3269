#!/usr/bin/env bash
# Experiment 4: the file that was being uploaded is removed.
source "${BASH_SOURCE[0]%/*}/lesson.bash"

title "4. Source removed"
predict "The file of an upload is deleted while it is being sent. The upload ends with a defined error that names the file, in words that a person can act on."
server_begin --interval 0.1
head -c 5000000 /dev/urandom >photo.jpg

say "Handed over, and deleted in the middle."
run bgtool upload photo.jpg "$SERVER/uploads" --name photo-upload-7
until_true reaches sent photo-upload-7 100000
run rm photo.jpg
until_true task_is photo-upload-7 failed

say "What the next process is told."
run bgtool resume
holds "the error is that the file does not exist" has_line '^complete 1 NSURLErrorDomain -1100 '
holds "it names the file" has_line 'photo\.jpg'
holds "resume says by its exit status that something failed" equal "$status" 1
remember "Keep the source until the upload has ended, in a folder that nobody tidies up; and tell the person which file was removed and what to do, rather than a number."
