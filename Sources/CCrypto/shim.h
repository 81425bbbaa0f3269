// libcrypto's digests for Swift.
#ifndef CCRYPTO_SHIM_H
#define CCRYPTO_SHIM_H
// SHA256_Init and its like are called deprecated in favour of EVP, which reads OpenSSL's configuration and loads
// its providers at the first call; see FileDigest.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/evp.h>
#include <openssl/sha.h>
#endif
