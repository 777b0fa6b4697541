// SPDX-License-Identifier: Apache-2.0

// The SQL of the locks at PostgreSQL servers. Each of them acquires and releases a key in one round
// trip each.
//
// The token is drawn from a sequence while the key is held: the part before AS MATERIALIZED is
// evaluated first, whatever the planner thinks of it, and the number is drawn for the row that it
// has when the lock is there. A sequence without a cache never gives an earlier holder the greater
// number, and does not go back when the server crashes.
#pragma once

#include <cstdint>
#include <string>

namespace lockbench::services {

// What keeps a key.
enum class PostgresqlKind {
  kAdvisory,
  kAdvisoryTransaction,
  kAdvisoryAsPublished,
  kRow,
  kLeases,  // a row for each lease of a key
};

struct Statements {
  std::string tables;                   // made once, in the schema of the trial
  std::string prepare;                  // said by each session
  std::string begin;                    // before `take` and `attempt`
  std::string take = "EXECUTE take";    // then the key in brackets: waits
  std::string attempt = "EXECUTE try";  // the same, without waiting: no row if others hold the key
  std::string release;
  std::string give_up;   // after a wait that ended without the lock
  std::string released;  // the answer to `release` if the key was held until then
  bool release_names_key = false;
  // Each of `take`, `attempt` and `release` is `EXECUTE` and the name of a prepared statement, and
  // nothing has to be said before it.
  bool prepared_alone = false;
};

// `take`, of `EXECUTE take`.
inline std::string name_in(const std::string& execution) {
  return execution.substr(execution.find(' ') + 1);
}

// `capacity`: the leases of a key.
inline Statements statements_of(PostgresqlKind kind, const std::string& schema,
                                std::uint32_t capacity) {
  // What a sequence gave to a transaction that has not committed is forgotten by a server that
  // crashes, and given again. The clock goes on.
  const std::string number = kind == PostgresqlKind::kAdvisory
                                 ? "nextval('" + schema + ".token')"
                                 : "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
  const auto prepare = [&](const std::string& type, const std::string& take,
                           const std::string& attempt, const std::string& where) {
    const std::string token = ") SELECT " + number + " FROM held";
    const std::string with = "(" + type + ") AS WITH held AS MATERIALIZED (SELECT ";
    return "PREPARE take" + with + take + token + ";PREPARE try" + with + attempt + token + where +
           ";";
  };
  const std::string row = "FROM " + schema + ".lock WHERE name = $1 FOR UPDATE";
  switch (kind) {
    case PostgresqlKind::kAdvisory:
      return {.tables = "CREATE SEQUENCE " + schema + ".token",
              .prepare = prepare("bigint", "pg_advisory_lock($1)",
                                 "pg_try_advisory_lock($1) AS got", " WHERE got") +
                         "PREPARE release(bigint) AS SELECT pg_advisory_unlock($1)",
              .begin = "",
              .release = "EXECUTE release",
              .give_up = "SELECT pg_advisory_unlock_all()",
              .released = "t",
              .release_names_key = true,
              .prepared_alone = true};
    case PostgresqlKind::kAdvisoryTransaction:
      return {.tables = "",
              .prepare = prepare("bigint", "pg_advisory_xact_lock($1)",
                                 "pg_try_advisory_xact_lock($1) AS got", " WHERE got"),
              .begin = "BEGIN;",
              .release = "COMMIT",
              .give_up = "ROLLBACK",
              .released = "COMMIT"};
    case PostgresqlKind::kAdvisoryAsPublished:
      // Nothing that belongs to a session but the lock itself, so a pooler takes all of it.
      return {.tables = "",
              .prepare = "",
              .begin = "",
              .take = "SELECT pg_advisory_lock",
              .attempt = "SELECT 1 WHERE pg_try_advisory_lock",
              .release = "SELECT pg_advisory_unlock",
              .give_up = "SELECT 1",
              .released = "t",
              .release_names_key = true};
    case PostgresqlKind::kRow:
      return {.tables = "CREATE TABLE " + schema + ".lock (name bytea PRIMARY KEY)",
              .prepare = prepare("bytea", row, row + " NOWAIT", "") +
                         "PREPARE add(bytea) AS INSERT INTO " + schema +
                         ".lock VALUES ($1) ON CONFLICT DO NOTHING",
              .begin = "BEGIN;",
              .release = "COMMIT",
              .give_up = "ROLLBACK",
              .released = "COMMIT"};
    case PostgresqlKind::kLeases: {
      const std::string lease = "number FROM " + schema + ".lease WHERE name = $1 ";
      const std::string held = "(bytea) AS WITH held AS MATERIALIZED (SELECT ";
      const std::string answer = ") SELECT " + number + " || ' ' || number FROM held;";
      // Where all are held, waits for any of them: those that wait spread over the leases.
      return {.tables = "CREATE TABLE " + schema +
                        ".lease (name bytea, number int, PRIMARY KEY (name, number))",
              .prepare = "PREPARE take" + held + lease + "ORDER BY random() LIMIT 1 FOR UPDATE" +
                         answer + "PREPARE try" + held + lease + "LIMIT 1 FOR UPDATE SKIP LOCKED" +
                         answer + "PREPARE add(bytea) AS INSERT INTO " + schema +
                         ".lease SELECT $1, generate_series(0, " + std::to_string(capacity - 1) +
                         ") ON CONFLICT DO NOTHING",
              .begin = "BEGIN;",
              .release = "COMMIT",
              .give_up = "ROLLBACK",
              .released = "COMMIT"};
    }
  }
  return {};
}

}  // namespace lockbench::services
