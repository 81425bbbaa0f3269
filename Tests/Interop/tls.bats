#!/usr/bin/env bats
# HTTPS with a certificate of an authority that only this test knows.
load interop_helper

@test "TLS: a file arrives, by the authority that SSL_CERT_FILE names" {
    make_resource book.bin 1500001
    SSL_CERT_FILE=$CA run_bgtool start "https://127.0.0.1:$TLS_PORT/files/book.bin" --name it -o it
    assert_status 0
    finish_as "$WWW/store/book.bin"
}

@test "TLS: a service that was killed trusts the same authority" {
    needs pace
    make_resource book.bin 4000001
    export SSL_CERT_FILE=$CA
    cut_short "https://127.0.0.1:$TLS_PORT/slow/files/book.bin"
    unset SSL_CERT_FILE
    finish_as "$WWW/store/book.bin"
    assert_continued /slow/files/book.bin tls
}

@test "TLS: an unknown authority ends the task with -1202 and a clear sentence" {
    make_resource book.bin 1000
    run_bgtool start "https://127.0.0.1:$TLS_PORT/files/book.bin" --name it -o it
    run_bgtool resume
    assert_status 1
    assert_line "complete 1 NSURLErrorDomain -1202 the certificate is not trusted"
    assert_no_file "$HERE/it"
}
