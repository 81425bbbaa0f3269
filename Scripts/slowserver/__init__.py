"""A web server that is slow on purpose, and wrong on request.

A transfer that ends in a millisecond teaches nothing about transfers. This server hands
out its bytes at a walking pace, 50,000 every 0.25 s unless told otherwise, takes uploads
at the same pace, and writes down every request, so that a person or a test can see what
a client did while nobody watched it.

    slow_server.py                          serve on http://127.0.0.1:8765, log to the terminal
    slow_server.py --port 0 --log requests  serve on a free port, log to a file
    slow_server.py --digest /audiobook      print the SHA-256 that a download must have

Resources
    GET  /audiobook           2,000,000 bytes
    GET  /bytes/N             N bytes; also /bytes/N/any/name
    POST, PUT  any path, such as /uploads
                              answered "POST /uploads 1000 bytes", with the body's SHA-256
                              in the field X-SHA256
    GET  /                    this description

By default the server is a good one: strong ETag, Last-Modified, single ranges, If-Range,
HEAD, 100 Continue, keep-alive. Every departure from that is asked for in the query of the
request that should suffer it, as in /audiobook?drop=500000&etag=weak, and they combine.
A parameter that is not listed means nothing here, so a signed address passes unharmed.

The log has two lines of JSON for each request, "start" and "end", sharing an id. `path` is
the request target byte for byte (one character a byte), `sent` and `received` count body
bytes. The end line is written too when the client leaves or the server breaks off.

For tests there are two controls, which are not logged:
    GET  /-/received          body bytes received so far, as {"/uploads": 1000}, of the
                              uploads in progress at each path, or of the last one there
    POST /-/release/NAME      lets the requests with hold=NAME go on, present and future

The bytes of a resource depend on its path, its version and the offset alone: `content`
says how. Import it to check any slice without having the rest.
"""
from __future__ import annotations
