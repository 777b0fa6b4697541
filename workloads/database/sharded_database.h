// SPDX-License-Identifier: Apache-2.0

// ShardedDatabase: shards of a database, each with a number of connections for a pool.
//
// Every connection has a record of its own in its shard: a number that counts its uses. Records are
// 0 at first.
//
// Requires   One thread at a time uses a connection. Nothing in this class ensures that: it is the
//            task of the lock under test, and database libraries leave it to their users, too.
// Errors     DatabaseError, with the database's message. A Transaction that is left by an exception
//            is rolled back.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace lockbench {

class DatabaseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Connection {
 public:
  virtual ~Connection() = default;

  // The value of its record.
  virtual std::uint64_t uses() = 0;

  virtual void begin() = 0;
  virtual void set_uses(std::uint64_t uses) = 0;
  virtual void commit() = 0;
  virtual void roll_back() noexcept = 0;
};

// The scope of a transaction, from begin() to commit(); without a commit() it is rolled back.
class Transaction {
 public:
  explicit Transaction(Connection& connection) : connection_(connection) { connection_.begin(); }
  ~Transaction() {
    if (!committed_) connection_.roll_back();
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit() {
    connection_.commit();
    committed_ = true;
  }

 private:
  Connection& connection_;
  bool committed_ = false;
};

class ShardedDatabase {
 public:
  virtual ~ShardedDatabase() = default;

  virtual Connection& connection(std::uint64_t shard, std::uint32_t number) = 0;

  // The sum of a shard's records, read after all threads have left.
  virtual std::uint64_t uses(std::uint64_t shard) = 0;
};

struct DatabaseSize {
  std::uint64_t shards = 1;
  std::uint32_t connections = 1;  // of each shard
};

// One file for each shard, in a folder that is removed with the database.
std::unique_ptr<ShardedDatabase> open_sqlite(const DatabaseSize& size);

// One table for each shard, on the server at `address`, in libpq's form:
// postgresql://user@host/name. The tables are in the schema `lockbench_scratch`, which is created
// and is dropped with the database.
std::unique_ptr<ShardedDatabase> open_postgresql(const DatabaseSize& size,
                                                 const std::string& address);

// The database at `address`, or SQLite if it is empty.
inline std::unique_ptr<ShardedDatabase> open_database(const DatabaseSize& size,
                                                      const std::string& address) {
  return address.empty() ? open_sqlite(size) : open_postgresql(size, address);
}

}  // namespace lockbench
