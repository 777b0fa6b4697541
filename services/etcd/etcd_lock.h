// SPDX-License-Identifier: Apache-2.0

// EtcdLock: a lock per key at etcd, by the recipe of its v3 API.
//
// A client that wants a key creates `lockbench/<random>/<key>/<lease>` with a lease of its own, and
// learns in the same transaction which name of the key was created before. The name with the lowest
// create revision has the lock. Each other client watches for the deletion of the name that was
// created before its own, so a release wakes one client. A watchdog extends the leases of clients
// that wait or hold.
//
// Guarantees   one holder of a key as long as the server keeps what it confirmed and no holder acts
//              after its lease. FIFO order of those that wait by lock() or with a timeout. Tokens
//              grow with every hold of a key: the token is the create revision and a base
//              (etcd_server.h).
//              A request that was sent twice never leaves a name behind that nobody knows: a client
//              that is in doubt ends its lease, and with it whatever has the lease.
// Not offered  safety of a holder that is late: the resource must check the token (fence.h).
//              Recursion. Leases of parts of a second: etcd counts in seconds, and grants at least
//              1.5 times its election timeout, which is usually 2 s.
// Requires     the rules of primitives/service.h. etcd 3.4 or newer.
// fork()       children may use the primitive; each has its own connections, leases and watchdog.
// Cost         two requests for an uncontended hold, and one in each third of a lease. Three more
//              for a wait: the watch, which has a connection of its own, and one look after it.
//              One thread per process for renewals.
// Source       etcd's package clientv3/concurrency, whose clients share the recipe.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "primitives/fence.h"
#include "primitives/platform/clock.h"
#include "primitives/service.h"
#include "services/etcd/claim.h"
#include "services/etcd/etcd_server.h"
#include "services/etcd/session.h"
#include "services/service_lock.h"
#include "services/watchdog.h"

namespace lockbench::services {

struct EtcdLockSettings {
  std::chrono::seconds lease{10};
  std::chrono::milliseconds poll{1'000};  // the longest wait without an event
};

class EtcdLock {
 public:
  static constexpr Promises kPromises = kServicePromises;
  using Fence = lockbench::Fence;

  class Handle;

  // Throws ServiceError.
  EtcdLock(const EtcdGateway::Address& members, EtcdLockSettings settings);

  Handle handle(std::uint64_t key);
  Handle handle(std::string_view key);

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }  // of this process
  ServiceUse service_use() { return server_.use(); }

 private:
  std::optional<TryReason> try_once(Handle& handle, bool waits, platform::Time deadline);
  TryReason acquire(Handle& handle, bool waits, platform::Time deadline);
  EtcdClients clients() { return {server_, sessions_, watchdog_}; }
  void renew(EtcdLease& lease);

  const EtcdLockSettings settings_;
  EtcdServer server_;
  EtcdSessions sessions_;
  Watchdog<EtcdLease> watchdog_;
};

class EtcdLock::Handle {
 public:
  Handle(EtcdLock& lock, std::string prefix) : lock_(lock), prefix_(std::move(prefix)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void lock() { lock_.acquire(*this, true, platform::kForever); }
  TryResult try_lock() { return try_until(false, {}); }
  TryResult try_lock_for(std::chrono::nanoseconds timeout) {
    return try_lock_until(deadline_after(timeout));
  }
  TryResult try_lock_until(platform::Time deadline) { return try_until(true, deadline); }
  void unlock();

  // The hold has ended, or its lease is over by this process's clock. After unlock(): it had.
  bool lost() const { return ended_early_ || (claim_ != nullptr && claim_->is_over()); }
  bool expired() const { return lost(); }
  std::uint64_t token() const { return token_; }

 private:
  friend EtcdLock;
  TryResult try_until(bool waits, platform::Time deadline);

  EtcdLock& lock_;
  const std::string prefix_;  // of the names of this key
  std::unique_ptr<EtcdClaim> claim_;
  std::uint64_t token_ = 0;
  bool ended_early_ = false;
};

}  // namespace lockbench::services
