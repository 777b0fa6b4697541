// SPDX-License-Identifier: Apache-2.0

// EtcdQueues: what all claims of an EtcdLock share.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/services/locks/etcd/etcd_server.h"
#include "harness/services/locks/etcd/session.h"
#include "harness/services/locks/watchdog.h"

namespace lockbench::services {

class EtcdClaim;

class EtcdQueues {
 public:
  struct Address {
    EtcdGateway::Address members;
    std::chrono::seconds lease;  // asked for; a server may grant a longer one
    std::uint32_t capacity = 1;  // holders of a key at once
  };
  using Claim = EtcdClaim;

  // Throws ServiceError if the server cannot be used.
  explicit EtcdQueues(const Address& address)
      : server_(address.members),
        sessions_({.members = address.members, .lease = address.lease}, server_.counts()),
        watchdog_(std::chrono::nanoseconds(address.lease) / 3,
                  [this](EtcdLease& lease) { extend(lease); }),
        capacity_(address.capacity) {}

  // The beginning of the names for a key.
  std::string queue_of(std::string_view key) const { return server_.name_of(key); }
  RequestCounts& counts() { return server_.counts(); }
  ServiceUse use() { return server_.use(); }

  EtcdServer& server() { return server_; }
  EtcdSessions& sessions() { return sessions_; }
  Watchdog<EtcdLease>& watchdog() { return watchdog_; }
  std::uint32_t capacity() const { return capacity_; }

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
  const std::uint32_t capacity_;
};

}  // namespace lockbench::services
