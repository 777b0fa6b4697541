// SPDX-License-Identifier: Apache-2.0

// RedisServer: what every lock at one Redis server has: connections, counts, and the names of its
// keys, which begin with a random prefix so that two trials share none.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <unistd.h>

#include "harness/services/locks/address.h"
#include "harness/services/locks/redis/connection.h"
#include "harness/services/locks/service_lock.h"
#include "primitives/service.h"

namespace lockbench::services {

// A prefix for the names of keys; no other call returns the same.
std::string new_prefix();

class RedisServer {
 public:
  explicit RedisServer(const Address& address, std::string prefix = new_prefix());
  // Removes the keys that are left, if the server can be reached.
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  // Throws ServiceError if the server cannot be used.
  void check() { cpu_before_s_ = cpu_s(); }

  RedisPool::Lease connection() { return pool_.take(); }
  RequestCounts& counts() { return *counts_; }
  ServiceUse use();

  // The braces keep all names of a key together in a cluster.
  const std::string& prefix() const { return prefix_; }
  std::string name_of(std::string_view key) const { return prefix_ + "{" + std::string(key) + "}"; }

 private:
  double cpu_s();
  void remove_keys();

  const SharedCounts counts_;
  RedisPool pool_;
  const std::string prefix_;
  const pid_t process_ = getpid();
  double cpu_before_s_ = 0;
};

}  // namespace lockbench::services
