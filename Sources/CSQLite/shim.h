// SQLite for Swift. The destructor constants are casts that Swift cannot import.
#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H
#include <sqlite3.h>

static inline int csqlite_bind_text_copy(sqlite3_stmt *s, int i, const char *text, int length) {
    return sqlite3_bind_text(s, i, text, length, SQLITE_TRANSIENT);
}
static inline int csqlite_bind_blob_copy(sqlite3_stmt *s, int i, const void *bytes, int length) {
    return sqlite3_bind_blob(s, i, bytes, length, SQLITE_TRANSIENT);
}
#endif
