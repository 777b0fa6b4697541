// SPDX-License-Identifier: Apache-2.0

// The SQL of the locks at PostgreSQL servers. Each of them acquires and releases a key in one round
// trip each.
//
// A token is an epoch of the server and the next number of a sequence, drawn while the key is held:
// the part before AS MATERIALIZED is evaluated first, whatever the planner thinks of it, and the
// number is drawn for the row that it has when the lock is there. A sequence without a cache never
// gives an earlier holder the greater number while the server runs, whatever its clock does. What a
// sequence gave shortly before a crash may be given again, so a crash must begin a new epoch. The
// epoch that runs is in a table that is not logged: the server empties it when it recovers. Whoever
// finds it empty commits the next epoch (`new_epoch`) before it gets a token.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockbench::services {

// The kind of object that keeps a key.
enum class PostgresqlKind {
  kAdvisory,
  kAdvisoryTransaction,
  kAdvisoryAsPublished,
  kRow,
  kLeases,  // a row for each lease of a key
};

struct PostgresqlSettings {
  PostgresqlKind kind = PostgresqlKind::kRow;
  std::uint32_t capacity = 1;  // leases of a key
  // Statements are prepared by each session, which is less work for the server, and sessions have
  // settings of their own. Otherwise nothing belongs to a session, so a pooler may give each
  // transaction another one; not with kAdvisory, whose lock belongs to its session.
  bool prepared = true;
};

// In each statement, $1 stands for the key.
struct Statements {
  std::string tables;   // made once, in the schema of the trial
  std::string prepare;  // said by each session
  std::string begin;    // before `take` and `attempt`
  std::string take;     // waits; the token, or no value if an epoch is to begin
  std::string attempt;  // the same, without waiting: no row if others hold the key
  std::string add;      // makes the rows of a key
  std::string release;
  std::string give_up;    // after a wait that ended without the lock
  std::string released;   // the answer to `release` if the key was held until then
  std::string new_epoch;  // unless there is one
  // Each of `take`, `attempt` and `release` is an execution of a prepared statement, and nothing
  // has to be said before it.
  bool prepared_alone = false;
};

// A statement about the key `name`, which is in SQL.
inline std::string about(std::string_view name, std::string statement) {
  const std::size_t at = statement.find("$1");
  return at == std::string::npos ? statement : statement.replace(at, 2, name);
}

// `take`, of `EXECUTE take($1)`.
inline std::string name_in(const std::string& execution) {
  const std::size_t begin = execution.find(' ') + 1;
  return execution.substr(begin, execution.find('(') - begin);
}

// The executions of statements, and what prepares them.
class PreparedStatements {
 public:
  explicit PreparedStatements(bool prepared) : prepared_(prepared) {}

  // How the statement is said from now on.
  std::string add(const std::string& name, const char* type, const std::string& text) {
    if (!prepared_) return text;
    all_ += "PREPARE " + name + "(" + type + ") AS " + text + ";";
    return "EXECUTE " + name + "($1)";
  }
  const std::string& all() const { return all_; }

 private:
  const bool prepared_;
  std::string all_;
};

inline Statements statements_of(const PostgresqlSettings& settings, const std::string& schema) {
  const PostgresqlKind kind = settings.kind;
  // Nothing that belongs to a session but the lock itself, so a pooler takes all of it.
  if (kind == PostgresqlKind::kAdvisoryAsPublished) {
    return {.take = "SELECT pg_advisory_lock($1)",
            .attempt = "SELECT 1 WHERE pg_try_advisory_lock($1)",
            .release = "SELECT pg_advisory_unlock($1)",
            .give_up = "SELECT 1",
            .released = "t"};
  }
  const bool of_session = kind == PostgresqlKind::kAdvisory;
  const char* const begin =
      "BEGIN ISOLATION LEVEL READ COMMITTED;SET LOCAL statement_timeout = 0;"
      "SET LOCAL idle_in_transaction_session_timeout = 0;";
  Statements all{.begin = of_session          ? ""
                          : settings.prepared ? "BEGIN;"
                                              : begin,
                 .release = "COMMIT",
                 .give_up = of_session ? "SELECT pg_advisory_unlock_all()" : "ROLLBACK",
                 .released = of_session ? "t" : "COMMIT",
                 .prepared_alone = of_session && settings.prepared};
  // A crash must not forget an epoch that a token was made of.
  all.new_epoch = "SET LOCAL synchronous_commit = on;LOCK TABLE " + schema +
                  ".running IN SHARE ROW EXCLUSIVE MODE;WITH next AS (UPDATE " + schema +
                  ".epochs SET number = number + 1 WHERE NOT EXISTS (SELECT FROM " + schema +
                  ".running) RETURNING number) INSERT INTO " + schema +
                  ".running SELECT number FROM next";
  // 2^40 numbers, so that epochs have 23 bits.
  all.tables = "CREATE SEQUENCE " + schema + ".token MAXVALUE 1099511627775;CREATE TABLE " +
               schema + ".epochs AS SELECT 0::bigint AS number;CREATE UNLOGGED TABLE " + schema +
               ".running (epoch bigint);" + all.new_epoch;
  const std::string token =
      "((SELECT epoch FROM " + schema + ".running) << 40 | nextval('" + schema + ".token'))";
  const auto when_held = [](const std::string& held, const std::string& answer) {
    return "WITH held AS MATERIALIZED (SELECT " + held + ") SELECT " + answer + " FROM held";
  };
  PreparedStatements prepared(settings.prepared);
  switch (kind) {
    case PostgresqlKind::kAdvisory:
    case PostgresqlKind::kAdvisoryTransaction: {
      const std::string function =
          of_session ? "advisory_lock(($1)::bigint)" : "advisory_xact_lock(($1)::bigint)";
      all.take = prepared.add("take", "bigint", when_held("pg_" + function, token));
      all.attempt = prepared.add("try", "bigint",
                                 when_held("pg_try_" + function + " AS got", token) + " WHERE got");
      if (of_session) {
        all.release = prepared.add("release", "bigint", "SELECT pg_advisory_unlock($1)");
      }
      break;
    }
    case PostgresqlKind::kRow: {
      const std::string row = "FROM " + schema + ".lock WHERE name = ($1)::bytea FOR UPDATE";
      all.tables += ";CREATE TABLE " + schema + ".lock (name bytea PRIMARY KEY)";
      all.take = prepared.add("take", "bytea", when_held(row, token));
      all.attempt = prepared.add("try", "bytea", when_held(row + " NOWAIT", token));
      all.add = prepared.add("add", "bytea",
                             "INSERT INTO " + schema + ".lock VALUES ($1) ON CONFLICT DO NOTHING");
      break;
    }
    default: {  // kLeases
      const std::string lease = "number FROM " + schema + ".lease WHERE name = ($1)::bytea ";
      const std::string answer = token + " || ' ' || number";
      all.tables +=
          ";CREATE TABLE " + schema + ".lease (name bytea, number int, PRIMARY KEY (name, number))";
      // Where all are held, waits for any of them: those that wait spread over the leases.
      all.take = prepared.add("take", "bytea",
                              when_held(lease + "ORDER BY random() LIMIT 1 FOR UPDATE", answer));
      all.attempt =
          prepared.add("try", "bytea", when_held(lease + "LIMIT 1 FOR UPDATE SKIP LOCKED", answer));
      all.add =
          prepared.add("add", "bytea",
                       "INSERT INTO " + schema + ".lease SELECT ($1)::bytea, generate_series(0, " +
                           std::to_string(settings.capacity - 1) + ") ON CONFLICT DO NOTHING");
    }
  }
  all.prepare = prepared.all();
  return all;
}

}  // namespace lockbench::services
