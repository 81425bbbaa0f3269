# shellcheck shell=bash disable=SC2034
OFFERS="pace put dated"

launch() { background origin /usr/sbin/lighttpd -D -f "$STATE/configuration"; }

# It writes its log in pieces, and what it holds when it is told to open it anew.
read_log() {
    kill -HUP "$ORIGIN_PID"
    sleep 0.2
    cat "$STATE/access${1:+.$1}.log"
}

# It remembers a file's ETag for a second or two unless it is told not to, and gives the bytes of a new file
# under the old one's for so long: no client can see through that.
write_configuration() {
    cat <<CONFIGURATION
server.modules = ("mod_redirect", "mod_setenv", "mod_deflate", "mod_accesslog", "mod_webdav", "mod_openssl")
server.document-root = "$WWW"
server.bind = "127.0.0.1"
server.port = $PORT
server.pid-file = "$STATE/pid"
server.errorlog = "$STATE/error.log"
server.stat-cache-engine = "disable"
server.upload-dirs = ("$STATE")
mimetype.assign = (".txt" => "text/plain", "" => "application/octet-stream")
deflate.cache-dir = ""
accesslog.format = "%m\t%U\t%s\t%{Range}i\t%{If-Range}i\t%{Authorization}i"
accesslog.filename = "$STATE/access.log"
\$SERVER["socket"] == "127.0.0.1:$OTHER_PORT" { accesslog.filename = "$STATE/access.other.log" }
\$SERVER["socket"] == "127.0.0.1:$TLS_PORT" {
    accesslog.filename = "$STATE/access.tls.log"
    ssl.engine = "enable"
    ssl.pemfile = "$STATE/tls.pem"
}
\$HTTP["url"] =~ "^/slow/" { connection.kbytes-per-second = $((PACE / 1024)) }
\$HTTP["url"] =~ "^/(slow/)?dated/" { static-file.etags = "disable" }
\$HTTP["url"] =~ "^/(slow/)?zip/" {
    deflate.mimetypes = ("text/plain")
    deflate.allowed-encodings = ("gzip")
}
\$HTTP["url"] =~ "^/(slow/)?packed/" { setenv.set-response-header = ("Content-Encoding" => "gzip") }
\$HTTP["url"] =~ "^/put/" { webdav.activate = "enable" }
\$HTTP["url"] =~ "^/small/" {
    webdav.activate = "enable"
    server.max-request-size = 100
}
url.redirect-code = 302
url.redirect = (
    "^/near/(.*)" => "http://127.0.0.1:$PORT/files/\$1",
    "^/away/(.*)" => "http://127.0.0.1:$OTHER_PORT/files/\$1"
)
CONFIGURATION
}
