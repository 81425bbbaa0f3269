// SQLite for Swift: the destructor constants are casts that Swift cannot import, and it cannot call
// variadic functions.
#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H
#include <sqlite3.h>

static inline int csqlite_bind_text_copy(sqlite3_stmt *s, int i, const char *text, int length) {
    return sqlite3_bind_text(s, i, text, length, SQLITE_TRANSIENT);
}
static inline int csqlite_bind_blob_copy(sqlite3_stmt *s, int i, const void *bytes, int length) {
    return sqlite3_bind_blob(s, i, bytes, length, SQLITE_TRANSIENT);
}

/// Closing the last connection then neither writes the journal back nor deletes it: a file that is only
/// looked at stays as it was found.
static inline int csqlite_leave_journal_on_close(sqlite3 *db) {
    return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
#endif
