// SPDX-License-Identifier: Apache-2.0

// EtcdQueues: what all claims of an EtcdLock share.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "services/etcd/etcd_server.h"
#include "services/etcd/session.h"
#include "services/watchdog.h"

namespace lockbench::services {

class EtcdClaim;

class EtcdQueues {
 public:
  using Address = EtcdSessionAddress;
  using Claim = EtcdClaim;

  // Throws ServiceError if the server cannot be used.
  explicit EtcdQueues(const Address& address)
      : server_(address.members),
        sessions_(address, server_.counts()),
        watchdog_(std::chrono::nanoseconds(address.lease) / 3,
                  [this](EtcdLease& lease) { extend(lease); }) {}

  // What the names for a key begin with.
  std::string queue_of(std::string_view key) const { return server_.name_of(key); }
  RequestCounts& counts() { return server_.counts(); }
  ServiceUse use() { return server_.use(); }

  EtcdServer& server() { return server_; }
  EtcdSessions& sessions() { return sessions_; }
  Watchdog<EtcdLease>& watchdog() { return watchdog_; }

 private:
  void extend(EtcdLease& lease) {
    try {
      if (!renew(*server_.connection(), lease, counts())) lease.lost = true;
    } catch (const ServiceError&) {
      // The lease ends by itself, and lost() says so then.
    }
  }

  EtcdServer server_;
  EtcdSessions sessions_;
  Watchdog<EtcdLease> watchdog_;
};

}  // namespace lockbench::services
