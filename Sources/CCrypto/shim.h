// libcrypto's digests for Swift.
#ifndef CCRYPTO_SHIM_H
#define CCRYPTO_SHIM_H
#include <openssl/evp.h>
#include <openssl/sha.h>

/// SHA-256 of some bytes; whether it came about. By functions that are called deprecated in favour of EVP, which
/// reads OpenSSL's configuration and loads its providers at the first call; see FileDigest.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
static inline int ccrypto_sha256(const void *bytes, size_t count, unsigned char digest[SHA256_DIGEST_LENGTH]) {
    SHA256_CTX context;
    return SHA256_Init(&context) && SHA256_Update(&context, bytes, count) && SHA256_Final(digest, &context);
}
#pragma clang diagnostic pop
#endif
