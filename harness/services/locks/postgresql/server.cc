// SPDX-License-Identifier: Apache-2.0

#include "harness/services/locks/postgresql/server.h"

#include "harness/services/locks/random_text.h"
#include "primitives/key.h"

namespace lockbench::services {
namespace {

// Settings that a server or an account may have changed would end waits and holds early. A session
// that a pooler shares gets no settings: `Statements::begin` has those of a transaction.
std::string settings_of_session(const PostgresqlSettings& settings, std::chrono::milliseconds wait,
                                const std::string& prepare = "") {
  if (!settings.prepared) return "";
  return "SET client_min_messages = warning; SET statement_timeout = 0;"
         "SET idle_in_transaction_session_timeout = 0; SET standard_conforming_strings = on;"
         "SET default_transaction_isolation = 'read committed';SET lock_timeout = " +
         std::to_string(wait.count()) + ";" + prepare;
}

// Nobody can tell whether a schema that was made behind a pooler is in use, so its name is none of
// those that abandoned() looks for.
std::string name_of_schema(const PostgresqlSettings& settings) {
  return (settings.prepared ? "lockbench_" : "lockbench_pooled_") + random_text();
}

// The advisory lock of a schema's owner. `name`: in SQL.
std::string owned(const std::string& name) {
  return "hashtextextended(" + name + ", 0)";
}

// Schemas of this account whose owner's lock was free and is held now.
std::string abandoned() {
  return "WITH ours AS MATERIALIZED (SELECT nspname::text AS name FROM pg_namespace "
         "WHERE nspname ~ '^lockbench_[0-9a-f]{32}$' AND pg_get_userbyid(nspowner) = current_user) "
         "SELECT string_agg(name, ',') FROM ours WHERE pg_try_advisory_lock(" +
         owned("name") + ")";
}

}  // namespace

PostgresqlServer::PostgresqlServer(const std::string& address, const PostgresqlSettings& settings)
    : settings_(settings),
      schema_(name_of_schema(settings)),
      salt_(KeyHash{}(schema_)),
      statements_(statements_of(settings, schema_)),
      owner_({.text = libpq_address(address),
              .setup = settings_of_session(settings, Session::kPatience / 2)},
             *counts_),
      pool_({.text = libpq_address(address),
             .setup = settings_of_session(settings, kLongestWait, statements_.prepare)},
            *counts_) {
  if (sessions_are_own()) {
    drop_abandoned();
    owner_.request("SELECT pg_advisory_lock(" + owned("'" + schema_ + "'") + ")");
  }
  owner_.request("CREATE SCHEMA " + schema_ + ";" + statements_.tables);
}

// Those that a server does not give back stay for the next trial.
void PostgresqlServer::drop_abandoned() {
  const std::string names = owner_.request(abandoned()).value;
  if (!names.empty()) owner_.request("DROP SCHEMA IF EXISTS " + names + " CASCADE");
  owner_.request("SELECT pg_advisory_unlock_all()");
}

PostgresqlServer::~PostgresqlServer() {
  if (process_ != getpid()) return;  // the schema is its parent's, too
  try {
    owner_.request("DROP SCHEMA IF EXISTS " + schema_ + " CASCADE");
  } catch (const ServiceError&) {
    // The next trial drops it, unless it was made behind a pooler.
  }
}

ServiceUse PostgresqlServer::use() const {
  return use_of(*counts_);
}

}  // namespace lockbench::services
