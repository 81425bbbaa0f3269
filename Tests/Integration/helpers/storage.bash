# shellcheck shell=bash
# Disks that are full, read-only or another's. What a machine cannot do is skipped with the reason; what is
# mounted goes away with the test, by unmount_all in its teardown.

# small_disk FOLDER SIZE   a file system of that size, such as 2m.
small_disk() {
    mkdir -p "$1"
    mount -t tmpfs -o "size=$2,mode=0700" small-disk "$1" 2>/dev/null ||
        skip "a small disk needs the right to mount"
    echo "$1" >>"$WORLD/mounts"
}

# unwritable FOLDER   nobody can write there until writable FOLDER.
unwritable() {
    if [[ $EUID -ne 0 ]]; then
        chmod 0500 "$1"
    else
        # Permissions say nothing to root.
        mount --bind "$1" "$1" 2>/dev/null || skip "as root, this needs the right to mount"
        mount -o remount,ro,bind "$1"
        echo "$1" >>"$WORLD/mounts"
    fi
}

writable() {
    if [[ $EUID -ne 0 ]]; then
        chmod 0700 "$1"
    else
        umount "$1"
    fi
}

# limit_files BYTES   the longest file that the service may write from now on; or `unlimited`.
limit_files() { prlimit --pid "$(service_pid)" --fsize="$1:unlimited"; }

# The world's processes end first: they may stand on what is to go.
unmount_all() {
    [[ -f $WORLD/mounts ]] || return 0
    local folder pid
    for pid in $(processes_of_this_world; service_pid); do end_process "$pid"; done
    tac "$WORLD/mounts" | while read -r folder; do
        ! mountpoint -q "$folder" || umount "$folder" || umount -l "$folder"
    done
}
