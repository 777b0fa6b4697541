// SPDX-License-Identifier: Apache-2.0

// The plug-in postgresql.so: locks at PostgreSQL servers.
#include <lockbench/plugin.h>
#include <memory>

#include "harness/services/locks/address.h"
#include "harness/services/locks/postgresql/postgresql_lock.h"

namespace {

using namespace lockbench::services;  // NOLINT: the file has nothing else
using lockbench::Arguments;
using lockbench::Number;

constexpr char kService[] = "postgresql";

const Number kPrepare{"prepare", 1, 0, 1,
                      "0: statements are sent as text, as a pooler in transaction mode needs it"};

template <PostgresqlKind kKind>
std::unique_ptr<PostgresqlAdvisory> make_advisory(const Arguments& with) {
  if (kKind == PostgresqlKind::kAdvisory && with["prepare"] == 0) {
    throw lockbench::ServiceError(
        "postgresql_advisory: prepare=0 is for poolers, which may give a lock of a session to "
        "others; say level=transaction,prepare=0");
  }
  return std::make_unique<PostgresqlAdvisory>(
      address_text_of(kService),
      PostgresqlSettings{.kind = kKind, .prepared = with["prepare"] != 0});
}

std::unique_ptr<PostgresqlRow> make_row(const Arguments& with) {
  return std::make_unique<PostgresqlRow>(address_text_of(kService), with["prepare"] != 0);
}

std::unique_ptr<PostgresqlLeases> make_leases(const Arguments& with) {
  return std::make_unique<PostgresqlLeases>(address_text_of(kService),
                                            static_cast<std::uint32_t>(with["capacity"]));
}

std::unique_ptr<PostgresqlAsPublished> make_as_published(const Arguments&) {
  return std::make_unique<PostgresqlAsPublished>(address_text_of(kService));
}

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add_line(lockbench::Line<PostgresqlAdvisory>{{.name = "postgresql_advisory",
                                                      .summary = "an advisory lock of a session",
                                                      .origin = "PostgreSQL's manual",
                                                      .choices = {{"level", "connection"}},
                                                      .numbers = {kPrepare},
                                                      .service = kService},
                                                     make_advisory<PostgresqlKind::kAdvisory>});
  locks.add_line(
      lockbench::Line<PostgresqlAdvisory>{{.name = "postgresql_advisory",
                                           .summary = "an advisory lock of a transaction",
                                           .origin = "PostgreSQL's manual",
                                           .choices = {{"level", "transaction"}},
                                           .numbers = {kPrepare},
                                           .service = kService},
                                          make_advisory<PostgresqlKind::kAdvisoryTransaction>});
  locks.add_line(lockbench::Line<PostgresqlRow>{
      {.name = "postgresql_row",
       .summary = "SELECT … FOR UPDATE in a transaction as long as the hold",
       .origin = "PostgreSQL's manual",
       .numbers = {kPrepare},
       .service = kService},
      make_row});
  locks.add_line(lockbench::Line<PostgresqlLeases>{
      {.name = "postgresql_leases",
       .summary = "rows of a key, of which SELECT … FOR UPDATE SKIP LOCKED takes a free one",
       .origin = "PostgreSQL's manual",
       .numbers = {{"capacity", 4, 2, 10'000, "leases of a key"}},
       .service = kService},
      make_leases});
  locks.add_line(lockbench::Line<PostgresqlAsPublished>{
      {.name = "postgresql_as_published",
       .summary = "an advisory lock of whichever session has the statement, without a token",
       .origin = "tutorials",
       .service = kService},
      make_as_published});
}
