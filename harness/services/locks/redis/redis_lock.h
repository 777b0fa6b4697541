// SPDX-License-Identifier: Apache-2.0

// RedisLock: a lock per key at one Redis server, with a lease that is renewed while it is held.
//
// A key is held while the server has the string `lockbench:<random>:{key}`, whose value is random
// and whose expiry is the lease. A script sets it if it is absent and returns a token; a script
// deletes it if it still has the holder's value. A client that waits enters a queue at the server
// and listens to a channel of its connection. A release sends a message to the first in the queue
// that still listens, which then tries again. A client also tries again when the holder's lease
// ends, and at the latest after the poll period. A watchdog extends the leases of holds that last.
//
// Guarantees   one holder of a key as long as the server keeps what it was told, no clock jumps,
//              and no holder acts after its lease. Tokens grow with every hold of a key: the token
//              is the server's time, or one more than the last token if that is greater. So it also
//              grows if the server forgets everything, unless its clock goes back.
//              A client that was stopped while it waits delays the others by the poll period.
// Not offered  safety of a holder that is late: the resource must check the token (fence.h).
//              Holds that survive a failover: replication is asynchronous. Recursion. Strict FIFO
//              order: a client that comes when the key is free takes it.
// Requires     the rules of primitives/service.h. Redis 5 or newer.
// fork()       children may use the primitive; each has its own connections and watchdog.
// Cost         two requests for an uncontended hold. One thread per process for renewals.
// Source       the page of the command SET in Redis's manual, "Patterns"; the wake-up by a message
//              is known from Redisson.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "harness/services/locks/redis/lock_scripts.h"
#include "harness/services/locks/redis/redis_server.h"
#include "primitives/fence.h"
#include "primitives/platform/clock.h"
#include "primitives/service.h"

namespace lockbench::services {

struct RedisLockSettings {
  std::chrono::milliseconds lease{10'000};
  std::chrono::milliseconds poll{1'000};  // the longest wait without a message
  bool renews = true;
  std::uint32_t capacity = 1;  // holders of a key at once
};

class RedisLock {
 public:
  static constexpr Promises kPromises = kServicePromises;
  using Fence = lockbench::Fence;

  class Handle;

  // Throws ServiceError.
  RedisLock(const Address& address, RedisLockSettings settings);
  ~RedisLock();

  Handle handle(std::uint64_t key);
  Handle handle(std::string_view key);

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }  // of this process
  ServiceUse service_use() { return server_.use(); }

 private:
  struct Hold;
  class Watchdog;

  TryReason acquire(Handle& handle, bool waits, platform::Time deadline);
  TryReason wait_and_acquire(Connection& connection, Handle& handle, platform::Time deadline);
  bool try_acquire(Connection& connection, Handle& handle, std::string_view if_held,
                   std::string_view listener, platform::Duration& lease_left);
  void release(Handle& handle);
  void renew(Hold& hold);

  const RedisLockSettings settings_;
  const std::string lease_ms_;
  const std::string capacity_;
  const LockScripts scripts_;
  RedisServer server_;
  RedisPool subscribers_;
  const std::unique_ptr<Watchdog> watchdog_;
};

// A hold, which the watchdog may still know when its handle is gone.
struct RedisLock::Hold {
  std::string name;
  std::string value;
  std::atomic<platform::Time> lease_end{platform::Time{}};  // by this process's clock
  std::atomic<bool> lost{false};
  std::atomic<bool> released{false};  // from then on, neither time nor a renewal ends it
};

class RedisLock::Handle : public ServiceMembers<Handle> {
 public:
  Handle(RedisLock& lock, std::string name) : lock_(lock), name_(std::move(name)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void unlock();

  // The hold has ended, or its lease is over by this process's clock. After unlock(): it had.
  bool lost() const;
  bool expired() const { return lost(); }
  std::uint64_t token() const { return token_; }

 private:
  friend RedisLock;
  friend ServiceMembers<Handle>;
  TryReason acquire(bool waits, platform::Time deadline) {
    return lock_.acquire(*this, waits, deadline);
  }

  RedisLock& lock_;
  const std::string name_;
  std::uint64_t token_ = 0;
  std::shared_ptr<Hold> hold_;  // of the last acquisition
};

// The same for several holders of a key: a semaphore per key. The server has a sorted set of the
// holders' values instead of a string. A release wakes one client that waits, and so does the end
// of a lease, at the latest after the poll period.
class RedisSemaphore : public RedisLock {
 public:
  RedisSemaphore(const Address& address, RedisLockSettings settings)
      : RedisLock(address, settings), capacity_(settings.capacity) {}

  std::uint32_t capacity() const { return capacity_; }

 private:
  const std::uint32_t capacity_;
};

}  // namespace lockbench::services
