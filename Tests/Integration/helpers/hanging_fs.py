"""A file system that hangs: one file, `source`, which can be looked at and opened, and whose reads
never return. It speaks to /dev/fuse itself; when it ends, so does the file system.

    hanging_fs.py FOLDER SIZE      must be allowed to mount; says `mounted`, and `read` each time
"""
import ctypes
import os
import stat
import struct
import sys

LOOKUP, FORGET, GETATTR, OPEN, READ, INIT = 1, 2, 3, 14, 15, 26
RELEASE, FLUSH, INTERRUPT, BATCH_FORGET = 18, 25, 36, 42
UNANSWERED = {FORGET, READ, INTERRUPT, BATCH_FORGET}
HEADER = struct.Struct("<IIQQIIII")
ROOT, SOURCE = 1, 2
ENOENT, ENOSYS = 2, 38
NAME = b"source"


def mount(folder, device):
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
    if libc.mount(b"hang", folder.encode(), b"fuse", 0, options.encode()) != 0:
        sys.exit(f"cannot mount: {os.strerror(ctypes.get_errno())}")


def attributes(node, size):
    mode = stat.S_IFDIR | 0o755 if node == ROOT else stat.S_IFREG | 0o644
    length = 0 if node == ROOT else size
    return struct.pack(
        "<6Q10I", node, length, (length + 511) // 512, 1, 1, 1, 0, 0, 0, mode, 1, os.getuid(),
        os.getgid(), 0, 4096, 0)


def answer(operation, node, body, size):
    """The answer's bytes, or an error's number."""
    if operation == INIT:
        return struct.pack("<4I2H2I2H8I", 7, 31, 65536, 0, 16, 12, 65536, 1, 0, 0, *[0] * 8)
    if operation == LOOKUP:
        if body.rstrip(b"\0") != NAME:
            return ENOENT
        return struct.pack("<4Q2I", SOURCE, 0, 3600, 3600, 0, 0) + attributes(SOURCE, size)
    if operation == GETATTR:
        return struct.pack("<Q2I", 3600, 0, 0) + attributes(node, size)
    if operation == OPEN:
        return struct.pack("<Q2I", 1, 0, 0)
    return b"" if operation in (RELEASE, FLUSH) else ENOSYS


def serve(device, size):
    while True:
        request = os.read(device, 1 << 18)
        _, operation, unique, node, *_ = HEADER.unpack_from(request)
        if operation == READ:
            print("read", flush=True)
        if operation in UNANSWERED:
            continue
        given = answer(operation, node, request[HEADER.size:], size)
        error, data = (-given, b"") if isinstance(given, int) else (0, given)
        os.write(device, struct.pack("<IiQ", 16 + len(data), error, unique) + data)


def main():
    folder, size = sys.argv[1], int(sys.argv[2])
    try:
        device = os.open("/dev/fuse", os.O_RDWR)
    except OSError as error:
        sys.exit(f"cannot mount: {error}")
    mount(folder, device)
    print("mounted", flush=True)
    serve(device, size)


main()
