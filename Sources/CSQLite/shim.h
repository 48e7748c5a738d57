#include <sqlite3.h>

/* Has the connection leave the write-ahead log as it is when it closes. (Swift can't call a variadic function.) */
static inline int csqlite_keep_log(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
