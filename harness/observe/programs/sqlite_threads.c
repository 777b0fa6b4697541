// SPDX-License-Identifier: Apache-2.0

// Four threads share one connection to SQLite in serialized mode: nine reads to one update, of rows
// by their keys, in memory.
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

enum { kThreads = 4, kRows = 10000, kStatements = 300000 };

static sqlite3* database;

static void check(int result, const char* what) {
  if (result == SQLITE_OK) return;
  fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(database));
  exit(1);
}

static void* work(void* number) {
  unsigned seed = (unsigned)(long)number + 1;
  sqlite3_stmt *read, *update;
  check(sqlite3_prepare_v2(database, "select v from t where k = ?", -1, &read, NULL), "select");
  check(sqlite3_prepare_v2(database, "update t set v = v + 1 where k = ?", -1, &update, NULL),
        "update");
  for (int i = 0; i < kStatements; ++i) {
    sqlite3_stmt* const statement = i % 10 == 0 ? update : read;
    sqlite3_bind_int(statement, 1, rand_r(&seed) % kRows);
    while (sqlite3_step(statement) == SQLITE_ROW) {
    }
    sqlite3_reset(statement);
  }
  sqlite3_finalize(read);
  sqlite3_finalize(update);
  return NULL;
}

int main(void) {
  check(sqlite3_open_v2(":memory:", &database,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, NULL),
        "open");
  check(sqlite3_exec(database,
                     "create table t(k integer primary key, v integer);"
                     "with recursive c(x) as (select 0 union all select x + 1 from c limit 10000)"
                     " insert into t select x, 0 from c;",
                     NULL, NULL, NULL),
        "insert");
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  return 0;
}
