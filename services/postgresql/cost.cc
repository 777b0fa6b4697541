// SPDX-License-Identifier: Apache-2.0

// postgresql-lock-cost: what the locks at PostgreSQL add to two queries (services/cost.h): the
// queries of an advisory lock with its token, and the plain functions of an advisory lock.
//
//   LOCKBENCH_POSTGRESQL=postgresql://user:password@host/database postgresql-lock-cost [BLOCKS]
#include "services/cost.h"

#include <array>
#include <cstdio>
#include <libpq-fe.h>
#include <string>

#include "primitives/service.h"
#include "services/address.h"
#include "services/postgresql/postgresql_lock.h"
#include "services/random_text.h"

namespace lockbench::services {
namespace {

// libpq, and nothing else: prepared statements, each in a round trip.
class Bare {
 public:
  explicit Bare(const std::string& address) : connection_(PQconnectdb(address.c_str())) {
    if (PQstatus(connection_) != CONNECTION_OK) throw ServiceError("cannot connect");
  }
  ~Bare() { PQfinish(connection_); }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;

  void prepare(const char* name, const std::string& text) {
    check(PQprepare(connection_, name, text.c_str(), 0, nullptr), PGRES_COMMAND_OK);
  }
  void execute(const char* text) { check(PQexec(connection_, text), PGRES_COMMAND_OK); }

  void acquire() { run("take"); }
  void release() { run("release"); }

 private:
  void run(const char* name) {
    const std::array<const char*, 1> key{"42"};
    check(PQexecPrepared(connection_, name, 1, key.data(), nullptr, nullptr, 0), PGRES_TUPLES_OK);
  }
  static void check(PGresult* result, ExecStatusType wanted) {
    const bool sound = PQresultStatus(result) == wanted;
    PQclear(result);
    if (!sound) throw ServiceError("a bare query failed");
  }

  PGconn* const connection_;
};

void run(int blocks) {
  const std::string address = libpq_address(address_text_of("postgresql"));
  PostgresqlAdvisory lock(address, PostgresqlKind::kAdvisory);

  std::puts("the same queries, with a token:");
  Bare same(address);
  // Not a temporary one: the server writes the numbers of the lock's sequence to its log, too.
  const std::string schema = "lockbench_cost_" + random_text();
  same.execute(("SET client_min_messages = warning; CREATE SCHEMA " + schema +
                "; CREATE SEQUENCE " + schema + ".token")
                   .c_str());
  same.prepare("take",
               "WITH held AS MATERIALIZED (SELECT pg_advisory_lock($1::bigint)) SELECT nextval('" +
                   schema + ".token') FROM held");
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
