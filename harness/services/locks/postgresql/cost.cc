// SPDX-License-Identifier: Apache-2.0

// postgresql-lock-cost: what the locks at PostgreSQL add to two queries
// (harness/services/locks/cost.h): the queries of an advisory lock with its token, and the plain
// functions of an advisory lock.
//
//   LOCKBENCH_POSTGRESQL=postgresql://user:password@host/database postgresql-lock-cost [BLOCKS]
#include "harness/services/locks/cost.h"

#include <array>
#include <cstdio>
#include <libpq-fe.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/services/locks/address.h"
#include "harness/services/locks/postgresql/postgresql_lock.h"
#include "harness/services/locks/random_text.h"
#include "primitives/service.h"

namespace lockbench::services {
namespace {

// libpq, and nothing else: prepared statements, each in a round trip.
class Bare {
 public:
  explicit Bare(const std::string& address)
      : address_(address), connection_(PQconnectdb(address.c_str())) {
    if (PQstatus(connection_) != CONNECTION_OK) throw ServiceError("cannot connect");
  }
  ~Bare() { PQfinish(connection_); }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;

  void prepare(const char* name, const std::string& text) {
    check(PQprepare(connection_, name, text.c_str(), 0, nullptr), PGRES_COMMAND_OK);
    prepared_.emplace_back(name, text);
  }
  void execute(const char* text) { check(PQexec(connection_, text), PGRES_COMMAND_OK); }

  void acquire() { run("take", "42"); }
  void release() { run("release", "42"); }

  // The server wakes it in its one request.
  class Client {
   public:
    explicit Client(const Bare& bare) : bare_(std::make_unique<Bare>(bare.address_)) {
      for (const auto& [name, text] : bare.prepared_) bare_->prepare(name, text);
    }
    void lock() { bare_->run("take", "43"); }
    void unlock() { bare_->run("release", "43"); }

   private:
    std::unique_ptr<Bare> bare_;
  };

 private:
  void run(const char* name, const char* of_key) {
    const std::array<const char*, 1> key{of_key};
    check(PQexecPrepared(connection_, name, 1, key.data(), nullptr, nullptr, 0), PGRES_TUPLES_OK);
  }
  static void check(PGresult* result, ExecStatusType wanted) {
    const bool sound = PQresultStatus(result) == wanted;
    PQclear(result);
    if (!sound) throw ServiceError("a bare query failed");
  }

  const std::string address_;
  PGconn* const connection_;
  std::vector<std::pair<const char*, std::string>> prepared_;
};

void run(int blocks) {
  const std::string address = libpq_address(address_text_of("postgresql"));
  PostgresqlAdvisory lock(address, {.kind = PostgresqlKind::kAdvisory});

  std::puts("the same queries, with a token:");
  Bare same(address);
  // Not a temporary one: the server writes the numbers of the lock's sequence to its log, too.
  const std::string schema = "lockbench_cost_" + random_text();
  same.execute(("SET client_min_messages = warning; CREATE SCHEMA " + schema +
                "; CREATE SEQUENCE " + schema + ".token; CREATE UNLOGGED TABLE " + schema +
                ".running AS SELECT 1::bigint AS epoch")
                   .c_str());
  same.prepare("take",
               "WITH held AS MATERIALIZED (SELECT pg_advisory_lock($1::bigint)) SELECT ((SELECT "
               "epoch FROM " +
                   schema + ".running) << 40 | nextval('" + schema + ".token')) FROM held");
  same.prepare("release", "SELECT pg_advisory_unlock($1::bigint)");
  CostOfLock(lock, same).measure(blocks);
  same.execute(("DROP SCHEMA " + schema + " CASCADE").c_str());

  std::puts("pg_advisory_lock and pg_advisory_unlock alone:");
  Bare plain(address);
  plain.prepare("take", "SELECT pg_advisory_lock($1::bigint)");
  plain.prepare("release", "SELECT pg_advisory_unlock($1::bigint)");
  CostOfLock(lock, plain).measure(blocks);
}

}  // namespace
}  // namespace lockbench::services

int main(int argc, char** argv) {
  return lockbench::services::cost_main("postgresql-lock-cost", argc, argv,
                                        lockbench::services::run);
}
