// SPDX-License-Identifier: Apache-2.0

// ZooKeeperQueues: what all claims of a ZooKeeperLock share: sessions, counts, and the nodes of
// their queues, which are below `/lockbench/<random>` so that two trials share none.
//
// The nodes that have children are containers: the server removes them in a minute or two if a
// trial that was killed has left them.
#pragma once

#include <string>
#include <string_view>
#include <sys/types.h>
#include <unistd.h>

#include "harness/services/locks/zookeeper/session.h"
#include "primitives/service.h"

namespace lockbench::services {

class ZooKeeperClaim;

class ZooKeeperQueues {
 public:
  using Address = ZooKeeperAddress;
  using Claim = ZooKeeperClaim;

  // Throws ServiceError if the server cannot be used. No session is left, so that this process can
  // be forked.
  explicit ZooKeeperQueues(const Address& address);
  // Removes the nodes that are left, if the server can be reached.
  ~ZooKeeperQueues();
  ZooKeeperQueues(const ZooKeeperQueues&) = delete;
  ZooKeeperQueues& operator=(const ZooKeeperQueues&) = delete;

  // The node of a key, whose children are its queue.
  std::string queue_of(std::string_view key) const;
  RequestCounts& counts() { return *counts_; }
  ServiceUse use();

  ZooKeeperSessions& sessions() { return sessions_; }
  bool finds_lost_nodes() const { return address_.finds_lost_nodes; }
  // Makes the node of a key and those above it, if they are not there. False: the session has ended
  // or its connection was lost. Throws ServiceError.
  bool make(ZooKeeperSession& session, const std::string& queue) const;

 private:
  void remove_all(ZooKeeperSession& session) const;

  const SharedCounts counts_;
  const Address address_;
  const std::string root_;
  ZooKeeperSessions sessions_;
  const pid_t process_ = getpid();
  bool made_top_ = false;
};

}  // namespace lockbench::services
