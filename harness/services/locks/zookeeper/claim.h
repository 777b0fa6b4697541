// SPDX-License-Identifier: Apache-2.0

// ZooKeeperClaim: a node in the queue for a key, `/lockbench/<random>/<key>/<random>-<number>`,
// which ends with its session. Who has the lowest number holds.
//
// If the connection is lost, nobody knows whether the node was made or removed. So its name begins
// with a random text: after a new connection within the same session, a claim looks for it, unless
// it is one of zookeeper_as_published.
// ZooKeeper closes the old connection of a session before it takes the new one, so nothing comes
// late.
//
// Invariants
//   I1  While a claim has entered, its session belongs to it alone.
//   I2  A claim that is destroyed without leave() ends its session, and with it the node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/services/locks/queue_lock.h"
#include "harness/services/locks/zookeeper/queues.h"
#include "harness/services/locks/zookeeper/session.h"
#include "primitives/platform/clock.h"

namespace lockbench::services {

class ZooKeeperClaim {
 public:
  using Position = QueuePosition;

  ZooKeeperClaim(ZooKeeperQueues& queues, const std::string& queue);
  ~ZooKeeperClaim();
  ZooKeeperClaim(const ZooKeeperClaim&) = delete;
  ZooKeeperClaim& operator=(const ZooKeeperClaim&) = delete;

  // As queue_lock.h has them.
  Position enter(bool only_if_free);
  Position await_change(platform::Time deadline);
  bool leave();
  bool is_over() const { return session_->is_over(); }
  std::uint64_t token() const { return token_; }

 private:
  Position make_node();
  std::optional<ZooKeeperAnswer> list(bool latest);
  bool find(const ZooKeeperAnswer& children);
  Position look();
  Position position_in(const ZooKeeperAnswer& children);

  ZooKeeperQueues& queues_;
  const ZooKeeperSessions::Lease session_;
  const std::string queue_;
  const std::string begin_;  // of the name of the node
  std::string node_;         // its path; empty: it is not known to be there
  std::string predecessor_;
  std::uint64_t token_ = 0;
  bool entered_ = false;
};

}  // namespace lockbench::services
