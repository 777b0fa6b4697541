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

#include "harness/services/locks/etcd/claim.h"
#include "harness/services/locks/etcd/queues.h"
#include "harness/services/locks/queue_lock.h"

namespace lockbench::services {

using EtcdLock = QueueLock<EtcdQueues>;

// The same for several holders of a key: a semaphore per key. The first names of the queue have it.
// A release wakes all that wait, and a try that is refused has made a name and deleted it again.
class EtcdSemaphore : public EtcdLock {
 public:
  EtcdSemaphore(const EtcdQueues::Address& address, std::chrono::milliseconds poll)
      : EtcdLock(address, poll), capacity_(address.capacity) {}

  std::uint32_t capacity() const { return capacity_; }

 private:
  const std::uint32_t capacity_;
};

}  // namespace lockbench::services
