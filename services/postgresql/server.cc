// SPDX-License-Identifier: Apache-2.0

#include "services/postgresql/server.h"

#include "primitives/key.h"
#include "services/random_text.h"

namespace lockbench::services {
namespace {

std::string wait_at_most(std::chrono::milliseconds time) {
  return "SET lock_timeout = " + std::to_string(time.count()) + ";";
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
      schema_("lockbench_" + random_text()),
      salt_(KeyHash{}(schema_)),
      statements_(statements_of(settings, schema_)),
      owner_({.text = libpq_address(address), .setup = wait_at_most(Session::kPatience / 2)},
             *counts_),
      pool_({.text = libpq_address(address),
             .setup = wait_at_most(kLongestWait) + statements_.prepare},
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
    // The next trial drops it.
  }
}

ServiceUse PostgresqlServer::use() const {
  return use_of(*counts_);
}

}  // namespace lockbench::services
