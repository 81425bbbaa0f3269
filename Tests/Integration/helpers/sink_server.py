"""Takes one upload of any size at full speed, looks at none of it, and answers with its length."""
import socket

listener = socket.create_server(("127.0.0.1", 0))
print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
client, _ = listener.accept()
head = b""
while b"\r\n\r\n" not in head:
    head += client.recv(65536)
head, _, body = head.partition(b"\r\n\r\n")
length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n")
              if line.lower().startswith(b"content-length:"))
count, buffer = len(body), bytearray(1 << 20)
while count < length:
    got = client.recv_into(buffer)
    if not got:
        break
    count += got
text = f"{count} bytes\n".encode()
head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(text)
client.sendall(head + text)
client.shutdown(socket.SHUT_WR)
while client.recv(65536):
    pass
