// SPDX-License-Identifier: Apache-2.0

// SQLite: one file for each shard, in write-ahead mode, so that readers do not wait for the single
// writer that a file can have.
#include <algorithm>
#include <sqlite3.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "primitives/platform/scratch_folder.h"
#include "workloads/database/sharded_database.h"

namespace lockbench {
namespace {

// SQLite's own way to wait for another writer sleeps for up to 100 ms, which would dominate the
// measurement. This function tries again after 50 µs, and then at growing intervals of at most half
// a millisecond.
int wait_for_writer(void*, int attempts) {
  usleep(static_cast<useconds_t>(50 * std::min(attempts + 1, 10)));
  return 1;
}

[[noreturn]] void fail(sqlite3* file, const std::string& what) {
  throw DatabaseError("SQLite: " + what + ": " + sqlite3_errmsg(file));
}

class Statement {
 public:
  Statement(sqlite3* file, const std::string& text) : file_(file) {
    if (sqlite3_prepare_v2(file, text.c_str(), -1, &statement_, nullptr) != SQLITE_OK) {
      fail(file, text);
    }
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void bind(int index, std::uint64_t value) {
    sqlite3_bind_int64(statement_, index, static_cast<sqlite3_int64>(value));
  }

  // Runs the statement to its end. Returns the first number of the first row, or 0 if there are no
  // rows.
  std::uint64_t run() {
    const int first = sqlite3_step(statement_);
    const sqlite3_int64 number = first == SQLITE_ROW ? sqlite3_column_int64(statement_, 0) : 0;
    const int last = sqlite3_reset(statement_);
    if ((first != SQLITE_ROW && first != SQLITE_DONE) || last != SQLITE_OK) {
      fail(file_, sqlite3_sql(statement_));
    }
    return static_cast<std::uint64_t>(number);
  }

  // The same for a destructor; it reports no error.
  void run_ignoring_errors() noexcept {
    sqlite3_step(statement_);
    sqlite3_reset(statement_);
  }

 private:
  sqlite3* const file_;
  sqlite3_stmt* statement_ = nullptr;
};

// An open file.
class File {
 public:
  explicit File(const std::string& path) {
    // Without SQLite's own mutex: the leases must keep two threads from using one connection.
    constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path.c_str(), &file_, kFlags, nullptr) != SQLITE_OK) {
      const std::string message = file_ == nullptr ? "not enough memory" : sqlite3_errmsg(file_);
      sqlite3_close(file_);
      throw DatabaseError("SQLite: " + path + ": " + message);
    }
    sqlite3_busy_handler(file_, wait_for_writer, nullptr);
  }
  ~File() { sqlite3_close(file_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void execute(const std::string& text) {
    if (sqlite3_exec(file_, text.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
      fail(file_, text);
    }
  }

  sqlite3* get() const { return file_; }

 private:
  sqlite3* file_ = nullptr;
};

class SqliteConnection final : public Connection {
 public:
  SqliteConnection(const std::string& path, std::uint32_t number)
      : file_(path),
        read_(file_.get(), "SELECT uses FROM records WHERE connection = ?1"),
        // IMMEDIATE, because a reader that becomes a writer fails if another one has written
        // meanwhile.
        begin_(file_.get(), "BEGIN IMMEDIATE"),
        write_(file_.get(), "UPDATE records SET uses = ?2 WHERE connection = ?1"),
        commit_(file_.get(), "COMMIT"),
        roll_back_(file_.get(), "ROLLBACK") {
    // Safe against a crash of this program. A crash of the machine ends the trial anyway.
    file_.execute("PRAGMA synchronous = NORMAL");
    read_.bind(1, number);
    write_.bind(1, number);
  }

  std::uint64_t uses() override { return read_.run(); }
  void begin() override { begin_.run(); }
  void set_uses(std::uint64_t uses) override {
    write_.bind(2, uses);
    write_.run();
  }
  void commit() override { commit_.run(); }
  void roll_back() noexcept override { roll_back_.run_ignoring_errors(); }

 private:
  File file_;
  Statement read_;
  Statement begin_;
  Statement write_;
  Statement commit_;
  Statement roll_back_;
};

class SqliteDatabase final : public ShardedDatabase {
 public:
  explicit SqliteDatabase(const DatabaseSize& size) : size_(size) {
    for (std::uint64_t shard = 0; shard < size.shards; ++shard) {
      make(shard);
      for (std::uint32_t number = 0; number < size.connections; ++number) {
        connections_.push_back(std::make_unique<SqliteConnection>(path(shard), number));
      }
    }
  }

  Connection& connection(std::uint64_t shard, std::uint32_t number) override {
    return *connections_[shard * size_.connections + number];
  }

  std::uint64_t uses(std::uint64_t shard) override {
    const File file(path(shard));
    return Statement(file.get(), "SELECT sum(uses) FROM records").run();
  }

 private:
  std::string path(std::uint64_t shard) const {
    return folder_.path() + "/shard-" + std::to_string(shard) + ".db";
  }

  void make(std::uint64_t shard) const {
    File file(path(shard));
    file.execute("PRAGMA synchronous = OFF");  // creation is not measured
    file.execute("PRAGMA journal_mode = WAL");
    file.execute("CREATE TABLE records (connection INTEGER PRIMARY KEY, uses INTEGER NOT NULL)");
    Statement insert(file.get(), "INSERT INTO records VALUES (?1, 0)");
    for (std::uint32_t number = 0; number < size_.connections; ++number) {
      insert.bind(1, number);
      insert.run();
    }
  }

  const DatabaseSize size_;
  const platform::ScratchFolder folder_;
  std::vector<std::unique_ptr<SqliteConnection>> connections_;  // shard by shard
};

}  // namespace

std::unique_ptr<ShardedDatabase> open_sqlite(const DatabaseSize& size) {
  // Otherwise SQLite counts the memory of all connections under one mutex, which is not a lock
  // under test. Only the first call has an effect; SQLite refuses later ones, which is correct.
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  return std::make_unique<SqliteDatabase>(size);
}

}  // namespace lockbench
