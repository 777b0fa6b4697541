// SPDX-License-Identifier: Apache-2.0

// PostgresqlAdvisory, PostgresqlRow: a lock per key at one PostgreSQL server. PostgresqlLeases:
// several numbered leases per key.
//
// A hold belongs to a session: an advisory lock of the session or of its transaction, or the lock
// of a row by SELECT … FOR UPDATE, whose transaction lasts as long as the hold. Each handle that
// holds or waits has a session for itself. A client that waits is asleep in one request, and the
// server answers it when the key is free; lock_timeout ends the wait, and the client asks again
// unless its time is up. The server releases what a session holds when the session ends, whether
// its client was killed or an administrator ended it.
//
// Guarantees   one holder of a key whose session lasts. Tokens grow with every hold of a key, also
//              over a crash of the server and whatever its clock does (statements.h). A hold has no
//              lease: a client that stands still keeps it.
// Not offered  safety of a holder whose session was ended: it learns that from lost() or at the
//              latest from unlock(), so the resource must check the token (fence.h). Holds that
//              survive a restart or a failover; after a failover to a server that lags by its last
//              crash, tokens may go back. Recursion. Strict FIFO order: a wait of more than
//              kLongestWait begins anew.
// Requires     the rules of primitives/service.h. PostgreSQL 12 or newer; a session for each hold
//              and each wait (max_connections); no pooler that gives a session to several clients,
//              unless a hold is a transaction and nothing is prepared.
// fork()       children may use the primitive; each has its own sessions.
// Cost         two requests for an uncontended hold.
// Source       the chapter "Explicit Locking" of PostgreSQL's manual.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "harness/services/locks/postgresql/server.h"
#include "harness/services/locks/service_lock.h"
#include "primitives/fence.h"
#include "primitives/platform/clock.h"
#include "primitives/service.h"

namespace lockbench::services {

class PostgresqlLock {
 public:
  using Fence = lockbench::Fence;

  class Handle;

  // Throws ServiceError.
  PostgresqlLock(const std::string& address, const PostgresqlSettings& settings)
      : server_(address, settings) {}

  Handle handle(std::uint64_t key);
  Handle handle(std::string_view key);

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }  // of this process
  ServiceUse service_use() const { return server_.use(); }

 protected:
  std::string name_of(std::uint64_t key) const;  // in SQL
  std::string name_of(std::string_view key) const;

 private:
  bool keeps_rows() const {
    return server_.kind() == PostgresqlKind::kRow || server_.kind() == PostgresqlKind::kLeases;
  }
  Session::Answer ask(Session& session, const std::string& key, platform::Duration wait);
  TryReason acquire(Handle& handle, bool waits, platform::Time deadline);
  void release(Handle& handle);

  PostgresqlServer server_;
};

// The key is a number of 64 bits at the server. Keys that are numbers never share one; of keys that
// are texts, two share one by a chance of 2^-64.
class PostgresqlAdvisory : public PostgresqlLock {
 public:
  static constexpr Promises kPromises = [] {
    Promises promises = kServicePromises;
    promises.lock_per_key = false;
    return promises;
  }();

  using PostgresqlLock::PostgresqlLock;
};

// The key is a row, which is made when it is used first.
class PostgresqlRow : public PostgresqlLock {
 public:
  static constexpr Promises kPromises = kServicePromises;

  PostgresqlRow(const std::string& address, bool prepared)
      : PostgresqlLock(address, {.kind = PostgresqlKind::kRow, .prepared = prepared}) {}
};

class PostgresqlLock::Handle : public ServiceMembers<Handle> {
 public:
  // `key`: in SQL.
  Handle(PostgresqlLock& lock, std::string key) : lock_(lock), key_(std::move(key)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (session_) (*session_)->close();  // an exception ended the hold
  }

  void unlock() { lock_.release(*this); }

  // The session has ended, as far as this machine knows. After unlock(): it had.
  bool lost() const { return session_ ? (*session_)->is_lost() : lost_; }
  bool expired() const { return lost(); }
  std::uint64_t token() const { return token_; }

 private:
  friend PostgresqlLock;
  friend ServiceMembers<Handle>;
  TryReason acquire(bool waits, platform::Time deadline) {
    return lock_.acquire(*this, waits, deadline);
  }

  PostgresqlLock& lock_;
  const std::string key_;
  std::uint64_t token_ = 0;
  bool lost_ = false;
  std::optional<SessionPool::Lease> session_;  // while it is held

 protected:
  std::uint32_t lease_ = 0;  // of PostgresqlLeases
};

// Each lease of a key is a row, which a holder locks in a transaction as long as the hold. SKIP
// LOCKED finds one that is free; if there is none, a client waits for one that is chosen at random,
// and looks again after 100 ms: another one may be free, or the one may be its own. All are made
// when the key is used first.
//
// Not offered  detection of deadlocks: each hold has a session of its own, so the server does not
//              know which holds are of one thread. FIFO order.
// Cost         two requests for an uncontended hold; three more for one that waits, and again every
//              100 ms.
class PostgresqlLeases : private PostgresqlLock {
 public:
  static constexpr Promises kPromises = kServicePromises;

  using PostgresqlLock::Fence;

  class Handle : public PostgresqlLock::Handle {
   public:
    using PostgresqlLock::Handle::Handle;
    std::uint32_t lease() const { return lease_; }
  };

  PostgresqlLeases(const std::string& address, std::uint32_t capacity)
      : PostgresqlLock(address, {.kind = PostgresqlKind::kLeases, .capacity = capacity}),
        capacity_(capacity) {}

  Handle handle(std::uint64_t key) { return {*this, name_of(key)}; }
  Handle handle(std::string_view key) { return {*this, name_of(key)}; }
  std::uint32_t capacity() const { return capacity_; }

  using PostgresqlLock::lock_bytes;
  using PostgresqlLock::service_use;

 private:
  const std::uint32_t capacity_;
};

// An advisory lock of a session as tutorials have it: one statement to lock, one to unlock, and no
// token. Behind a pooler that gives each transaction another session, the lock is that of whichever
// session had the statement.
class PostgresqlAsPublished : private PostgresqlLock {
 public:
  static constexpr Promises kPromises = PostgresqlAdvisory::kPromises;

  class Handle : public PostgresqlLock::Handle {
   public:
    using PostgresqlLock::Handle::Handle;
    std::uint64_t token() const = delete;
  };

  explicit PostgresqlAsPublished(const std::string& address)
      : PostgresqlLock(address, {.kind = PostgresqlKind::kAdvisoryAsPublished}) {}

  Handle handle(std::uint64_t key) { return {*this, name_of(key)}; }
  Handle handle(std::string_view key) { return {*this, name_of(key)}; }

  using PostgresqlLock::capacity;
  using PostgresqlLock::lock_bytes;
  using PostgresqlLock::service_use;
};

}  // namespace lockbench::services
