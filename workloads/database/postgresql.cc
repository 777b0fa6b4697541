// SPDX-License-Identifier: Apache-2.0

// PostgreSQL: one table for each shard, on a server that is already running.
#include <string>
#include <vector>

#include "workloads/database/libpq.h"
#include "workloads/database/sharded_database.h"

namespace lockbench {
namespace {

constexpr char kSchema[] = "lockbench_scratch";
constexpr char kCreateSchema[] = "CREATE SCHEMA lockbench_scratch";
constexpr char kDropSchema[] = "DROP SCHEMA IF EXISTS lockbench_scratch CASCADE";

// A session that holds this advisory lock may use the schema. The number is the letters of the name
// "lockbnch".
constexpr char kTakeSchema[] =
    "SET lock_timeout = '10s'; SELECT pg_advisory_lock(7813573191375151976)";

std::string table_of(std::uint64_t shard) {
  return std::string(kSchema) + ".shard_" + std::to_string(shard);
}

class PostgresqlConnection final : public Connection {
 public:
  PostgresqlConnection(const std::string& address, std::uint64_t shard, std::uint32_t number)
      : session_(address) {
    const std::string where = " WHERE connection = " + std::to_string(number);
    session_.execute("SET synchronous_commit = off");
    session_.prepare("read", "SELECT uses FROM " + table_of(shard) + where);
    session_.prepare("write", "UPDATE " + table_of(shard) + " SET uses = $1::bigint" + where);
  }

  std::uint64_t uses() override { return std::stoull(session_.run("read")); }
  void begin() override { session_.execute("BEGIN"); }
  void set_uses(std::uint64_t uses) override { session_.run("write", std::to_string(uses)); }
  void commit() override { session_.execute("COMMIT"); }
  void roll_back() noexcept override { session_.execute_ignoring_errors("ROLLBACK"); }

 private:
  libpq::Session session_;
};

// A schema that belongs to this object and is dropped with it.
class Schema {
 public:
  explicit Schema(const std::string& address) : session_(address) {
    try {
      session_.execute(kTakeSchema);
    } catch (const DatabaseError& error) {
      throw DatabaseError(std::string(error.what()) +
                          "; another lockbench may be at work in this database: give each its own");
    }
    // Removes what a killed trial left behind, too.
    session_.execute("SET client_min_messages = warning");
    session_.execute(kDropSchema);
    session_.execute(kCreateSchema);
  }
  ~Schema() { session_.execute_ignoring_errors(kDropSchema); }
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;

  void add_table(std::uint64_t shard, std::uint32_t records) {
    session_.execute("CREATE UNLOGGED TABLE " + table_of(shard) +
                     " (connection integer PRIMARY KEY, uses bigint NOT NULL)");
    session_.execute("INSERT INTO " + table_of(shard) +
                     " SELECT number, 0 FROM generate_series(0, " + std::to_string(records - 1) +
                     ") AS number");
  }

  std::uint64_t sum(std::uint64_t shard) {
    return std::stoull(session_.execute("SELECT sum(uses) FROM " + table_of(shard)));
  }

 private:
  libpq::Session session_;
};

class PostgresqlDatabase final : public ShardedDatabase {
 public:
  PostgresqlDatabase(const DatabaseSize& size, const std::string& address)
      : size_(size), schema_(address) {
    for (std::uint64_t shard = 0; shard < size.shards; ++shard) {
      schema_.add_table(shard, size.connections);
      for (std::uint32_t number = 0; number < size.connections; ++number) {
        connections_.push_back(std::make_unique<PostgresqlConnection>(address, shard, number));
      }
    }
  }

  Connection& connection(std::uint64_t shard, std::uint32_t number) override {
    return *connections_[shard * size_.connections + number];
  }

  std::uint64_t uses(std::uint64_t shard) override { return schema_.sum(shard); }

 private:
  const DatabaseSize size_;
  Schema schema_;
  std::vector<std::unique_ptr<PostgresqlConnection>> connections_;  // shard by shard
};

}  // namespace

std::unique_ptr<ShardedDatabase> open_postgresql(const DatabaseSize& size,
                                                 const std::string& address) {
  return std::make_unique<PostgresqlDatabase>(size, address);
}

}  // namespace lockbench
