#include <sqlite3.h>

/* Has the connection leave the write-ahead log as it is when it closes. (Swift can't call a variadic function.) */
static inline int csqlite_keep_log(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/* Has the connection take nothing on trust that a file's schema says: no triggers and views, no functions with side
   effects, no writing to what is the engine's own. */
static inline int csqlite_distrust_schema(sqlite3 *database) {
  int options[][2] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                      {SQLITE_DBCONFIG_ENABLE_VIEW, 0}};
  for (unsigned index = 0; index < sizeof options / sizeof options[0]; index++) {
    int status = sqlite3_db_config(database, options[index][0], options[index][1], (int *)0);
    if (status != SQLITE_OK) return status;
  }
  return SQLITE_OK;
}
