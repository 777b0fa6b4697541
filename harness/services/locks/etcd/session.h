// SPDX-License-Identifier: Apache-2.0

// EtcdSession: a connection and a lease, which one handle at a time has while it waits or holds.
//
// Guarantees   A lease that may not be the client's own any more, or with which a request that was
//              given up may still make a key, is never used for another hold.
// fork()       a child that drops the session of its parent leaves it as it is.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "harness/services/locks/connection_pool.h"
#include "harness/services/locks/etcd/gateway.h"
#include "primitives/platform/clock.h"

namespace lockbench::services {

// A lease, which a watchdog may still know when its session is gone.
struct EtcdLease {
  std::string id;
  std::atomic<platform::Time> end{platform::Time{}};  // by this process's clock, if not renewed
  std::atomic<bool> lost{false};
  std::chrono::seconds length{0};  // as the server granted it
};

// Asks the server to keep the lease. False: it has none. Throws ServiceError.
bool renew(EtcdGateway& gateway, EtcdLease& lease, RequestCounts& counts);

struct EtcdSessionAddress {
  EtcdGateway::Address members;
  std::chrono::seconds lease;  // asked for; a server may grant a longer one
};

class EtcdSession {
 public:
  using Address = EtcdSessionAddress;

  EtcdSession(const Address& address, RequestCounts& counts)
      : address_(address), counts_(counts), gateway_(address.members, counts) {}

  EtcdGateway& gateway() { return gateway_; }

  // The lease, of which at least two thirds are left. Throws ServiceError.
  const std::shared_ptr<EtcdLease>& fresh_lease();

  // The server will end the lease by itself, or has done so.
  void drop_lease() { lease_.reset(); }

  // Ends the lease and the keys that it has. False: it had ended. Throws ServiceError.
  bool revoke_lease();

 private:
  void grant();

  const Address address_;
  RequestCounts& counts_;
  EtcdGateway gateway_;
  std::shared_ptr<EtcdLease> lease_;  // nullptr: none
};

using EtcdSessions = ConnectionPool<EtcdSession>;

}  // namespace lockbench::services
