// libcurl for Swift. Swift cannot call C's variadic functions, so each kind of argument of
// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt gets a wrapper that says its type.
#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <openssl/ssl.h>

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
/// libcurl copies the string. NULL puts the option back to its default.
static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
/// libcurl does not copy the list: it must outlive the transfer.
static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}
/// libcurl copies the bytes.
static inline CURLcode ccurl_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
    return curl_easy_setopt(easy, option, &blob);
}
static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_write_callback(CURL *easy, CURLoption option, curl_write_callback value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_read_callback(CURL *easy, curl_read_callback value) {
    return curl_easy_setopt(easy, CURLOPT_READFUNCTION, value);
}
static inline CURLcode ccurl_set_seek_callback(CURL *easy, curl_seek_callback value) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value);
}
static inline CURLcode ccurl_set_socket_callback(CURL *easy, curl_sockopt_callback value) {
    return curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, value);
}
static inline CURLcode ccurl_set_close_callback(CURL *easy, curl_closesocket_callback value) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
}
static inline CURLcode ccurl_set_prerequest_callback(CURL *easy, curl_prereq_callback value) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}
/// The string belongs to the handle and lives until its next transfer or its end.
static inline CURLcode ccurl_get_string(CURL *easy, CURLINFO info, const char **value) {
    return curl_easy_getinfo(easy, info, value);
}
/// The list is the caller's: it goes with curl_slist_free_all.
static inline CURLcode ccurl_get_list(CURL *easy, CURLINFO info, struct curl_slist **value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode ccurl_get_pointer(CURL *easy, CURLINFO info, void **value) {
    return curl_easy_getinfo(easy, info, value);
}
/// What TLS agreed upon on the connection that the transfer uses now, as IANA numbers them. Both are 0 without TLS,
/// and where libcurl is built with another library than OpenSSL.
static inline void ccurl_get_tls(CURL *easy, int *version, int *suite) {
    struct curl_tlssessioninfo *session = NULL;
    *version = *suite = 0;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || session == NULL) return;
    if (session->backend != CURLSSLBACKEND_OPENSSL || session->internals == NULL) return;
    const SSL *ssl = (const SSL *)session->internals;
    const SSL_CIPHER *cipher = SSL_get_current_cipher(ssl);
    *version = SSL_version(ssl);
    if (cipher != NULL) *suite = SSL_CIPHER_get_protocol_id(cipher);
}
static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

/// The bundle that libcurl trusts by itself; NULL when it has none.
static inline const char *ccurl_default_ca_file(void) { return curl_version_info(CURLVERSION_NOW)->cainfo; }

/// The result that a CURLMSG_DONE message carries: in C a union, which Swift reads only by copying.
static inline CURLcode ccurl_message_result(const CURLMsg *message) { return message->data.result; }
#endif
