// SPDX-License-Identifier: Apache-2.0

// Redlock: a lock per key at several Redis servers that do not know each other.
//
// A client sets the key to its random value at all servers at once, as RedisLock does at one, and
// holds it if more than half of them accepted that before the lease, less a share for clocks that
// drift, was over. Otherwise it deletes its value everywhere and tries again after a random time.
//
// Guarantees   one holder of a key while more than half of the servers keep what they were told and
//              measure time at about the same speed, and no holder acts after its lease. Holds and
//              waits go on while a minority of the servers is lost.
// Not offered  tokens: the servers have no common order. Wake-ups. FIFO order, recursion, renewal.
// Requires     the rules of primitives/service.h. An odd number of servers.
// fork()       children may use the primitive; each has its own connections.
// Cost         two requests to each server for an uncontended hold; those of one step are sent to
//              all servers before the first answer is read.
// Source       S. Sanfilippo, "Distributed Locks with Redis", in Redis's manual. M. Kleppmann, "How
//              to do distributed locking", 2016, doubts that its guarantees are enough.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/services/locks/redis/redis_server.h"
#include "primitives/platform/clock.h"
#include "primitives/service.h"

namespace lockbench::services {

struct RedlockSettings {
  std::chrono::milliseconds lease{10'000};
  std::chrono::milliseconds retry{20};  // the longest random time before another try
};

class Redlock {
 public:
  static constexpr Promises kPromises = kServicePromises;

  class Handle : public ServiceMembers<Handle> {
   public:
    Handle(Redlock& lock, std::string name) : lock_(lock), name_(std::move(name)) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void unlock() { lock_.release(*this); }

    // By this process's clock.
    bool lost() const { return platform::now() >= lease_end_; }

   private:
    friend Redlock;
    friend ServiceMembers<Handle>;
    TryReason acquire(bool waits, platform::Time deadline) {
      return lock_.acquire(*this, waits, deadline);
    }

    Redlock& lock_;
    const std::string name_;
    std::string value_;
    platform::Time lease_end_{};
  };

  // Throws ServiceError if not more than half of the servers can be used.
  Redlock(const std::vector<Address>& addresses, RedlockSettings settings);

  Handle handle(std::uint64_t key) { return {*this, name_of(std::to_string(key))}; }
  Handle handle(std::string_view key) { return {*this, name_of(key)}; }

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }  // of this process
  ServiceUse service_use();

 private:
  // The answers of the servers to a request: how many answered, and how many answered with yes.
  struct Votes {
    std::size_t answers = 0;
    std::size_t yes = 0;
  };

  std::string name_of(std::string_view key) const { return servers_.front()->name_of(key); }
  std::size_t majority() const { return servers_.size() / 2 + 1; }
  Votes ask_all(const Words& words);
  TryReason try_acquire(Handle& handle);
  [[noreturn]] void refuse_minority() const;
  TryReason acquire(Handle& handle, bool waits, platform::Time deadline);
  void release(Handle& handle);

  const RedlockSettings settings_;
  const std::string lease_ms_;
  const std::chrono::milliseconds patience_;  // for the answer of a server
  std::vector<std::unique_ptr<RedisServer>> servers_;
};

}  // namespace lockbench::services
