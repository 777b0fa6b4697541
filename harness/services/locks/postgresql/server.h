// SPDX-License-Identifier: Apache-2.0

// PostgresqlServer: what every lock at one PostgreSQL server has: sessions, counts, and a schema of
// a random name with what tokens are made of and, for locks of rows, their table.
//
// The schema is dropped at the end. A trial that was killed leaves its schema; the next trial in
// the same database drops it: the session that made a schema holds an advisory lock of its name, so
// a schema whose lock is free belongs to nobody. Behind a pooler no session belongs to a trial.
// There, a schema has another name, and that of a trial that was killed stays.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <sys/types.h>
#include <unistd.h>

#include "harness/services/locks/postgresql/session.h"
#include "harness/services/locks/postgresql/statements.h"
#include "primitives/service.h"

namespace lockbench::services {

// The server waits for so long at most, and is then asked again: so one that is silent is noticed.
inline constexpr std::chrono::milliseconds kLongestWait{5'000};

class PostgresqlServer {
 public:
  // Throws ServiceError if the server cannot be used.
  PostgresqlServer(const std::string& address, const PostgresqlSettings& settings);
  ~PostgresqlServer();
  PostgresqlServer(const PostgresqlServer&) = delete;
  PostgresqlServer& operator=(const PostgresqlServer&) = delete;

  SessionPool::Lease session() { return pool_.take(); }
  RequestCounts& counts() { return *counts_; }
  const Statements& statements() const { return statements_; }
  PostgresqlKind kind() const { return settings_.kind; }
  // Otherwise a pooler may give each transaction another session.
  bool sessions_are_own() const { return settings_.prepared; }
  // The salt of the numbers of keys; no other trial has the same.
  std::uint64_t salt() const { return salt_; }
  ServiceUse use() const;

 private:
  void drop_abandoned();

  const SharedCounts counts_;
  const PostgresqlSettings settings_;
  const std::string schema_;
  const std::uint64_t salt_;
  const Statements statements_;
  Session owner_;
  SessionPool pool_;
  const pid_t process_ = getpid();
};

}  // namespace lockbench::services
