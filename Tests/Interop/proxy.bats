#!/usr/bin/env bats
# The same servers behind squid, named by http_proxy and https_proxy.
load interop_helper

proxy_start() {
    local port
    port=$(free_ports 1)
    cat >"$STATE/squid.conf" <<CONFIGURATION
http_port 127.0.0.1:$port
http_access allow all
cache deny all
pid_filename $STATE/squid.pid
access_log stdio:$STATE/squid.log
cache_log $STATE/squid.cache.log
coredump_dir $STATE
pinger_enable off
visible_hostname localhost
shutdown_lifetime 0 seconds
CONFIGURATION
    background squid /usr/sbin/squid -N -f "$STATE/squid.conf"
    wait_until 20 is_open "$port"
    export http_proxy=http://127.0.0.1:$port https_proxy=http://127.0.0.1:$port
}

proxy_saw() { grep -q "$1" "$STATE/squid.log"; }

@test "proxy: a file arrives whole" {
    proxy_start
    make_resource book.bin 3000001
    run_bgtool start "$SERVER/files/book.bin" --name it -o it
    finish_as "$WWW/store/book.bin"
    wait_until 10 proxy_saw "GET $SERVER/files/book.bin"
}

@test "proxy: cut, and gone on" {
    needs pace
    proxy_start
    make_resource book.bin 4000001
    cut_short "$SERVER/slow/files/book.bin"
    finish_as "$WWW/store/book.bin"
    assert_continued /slow/files/book.bin
    wait_until 10 proxy_saw TCP_MISS/206
}

@test "proxy: TLS through its tunnel" {
    proxy_start
    make_resource book.bin 3000001
    SSL_CERT_FILE=$CA run_bgtool start "https://127.0.0.1:$TLS_PORT/files/book.bin" --name it -o it
    finish_as "$WWW/store/book.bin"
    # A tunnel is noted when it ends; the service keeps it open for the next request.
    run_bgtool service stop
    wait_until 10 proxy_saw "CONNECT 127.0.0.1:$TLS_PORT"
}
