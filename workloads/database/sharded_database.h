// SPDX-License-Identifier: Apache-2.0

// ShardedDatabase: shards of a database, each with a number of connections, to be pooled.
//
// Every connection has a record of its own in its shard: a number, how often it was used. Records
// are 0 at first.
//
// Requires   a connection is used by one thread at a time. Nothing here sees to it: that is what
//            the lock under test is for, and libraries of databases leave it to their users, too.
// Errors     DatabaseError, with what the database says; a Transaction that is left by an exception
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

  // What its record says.
  virtual std::uint64_t uses() = 0;

  virtual void begin() = 0;
  virtual void set_uses(std::uint64_t uses) = 0;
  virtual void commit() = 0;
  virtual void roll_back() noexcept = 0;
};

// From begin() to commit(), or rolled back.
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

  // The sum of a shard's records, read when all have left.
  virtual std::uint64_t uses(std::uint64_t shard) = 0;
};

struct DatabaseSize {
  std::uint64_t shards = 1;
  std::uint32_t connections = 1;  // of each shard
};

// A file a shard, in a folder that goes with the database.
std::unique_ptr<ShardedDatabase> open_sqlite(const DatabaseSize& size);

// A table a shard, on the server at `address`, as libpq takes it: postgresql://user@host/name. The
// tables stand in the schema `lockbench_scratch`, which is created, and dropped with the database.
std::unique_ptr<ShardedDatabase> open_postgresql(const DatabaseSize& size,
                                                 const std::string& address);

// At `address`; SQLite when it is empty.
inline std::unique_ptr<ShardedDatabase> open_database(const DatabaseSize& size,
                                                      const std::string& address) {
  return address.empty() ? open_sqlite(size) : open_postgresql(size, address);
}

}  // namespace lockbench
