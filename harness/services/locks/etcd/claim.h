// SPDX-License-Identifier: Apache-2.0

// EtcdClaim: a name in the queue for a key, `lockbench/<random>/<key>/<lease>`. The first ones
// hold, as many as the capacity is; usually one.
//
// Invariants
//   I1  While a claim has entered, its lease belongs to it alone and a watchdog extends it.
//   I2  A claim that is destroyed without leave() gives its lease up: it is not renewed or used any
//       more, so the name goes with it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "harness/services/locks/etcd/queues.h"
#include "harness/services/locks/etcd/requests.h"
#include "harness/services/locks/etcd/session.h"
#include "harness/services/locks/queue_lock.h"
#include "primitives/platform/clock.h"

namespace lockbench::services {

class EtcdClaim {
 public:
  using Position = QueuePosition;

  // `prefix`: of all names for the key. Throws ServiceError.
  EtcdClaim(EtcdQueues& queues, const std::string& prefix);
  ~EtcdClaim();
  EtcdClaim(const EtcdClaim&) = delete;
  EtcdClaim& operator=(const EtcdClaim&) = delete;

  // As queue_lock.h has them.
  Position enter(bool only_if_free);
  Position await_change(platform::Time deadline);
  bool leave();

  // The lease has ended, or is over by this process's clock.
  bool is_over() const { return lease_->lost || platform::now() >= lease_->end.load(); }
  // The token of a claim that holds.
  std::uint64_t token() const { return base_ + revision_; }

 private:
  Position look();
  Position position_in(const Json& last, const Json& base);

  EtcdQueues& queues_;
  const EtcdSessions::Lease session_;
  const std::shared_ptr<EtcdLease> lease_;
  const EtcdNames names_;
  const std::string name_;
  std::uint64_t revision_ = 0;       // at which the name was created
  std::uint64_t seen_revision_ = 0;  // of the server, when it told the position
  std::uint64_t base_ = 0;
  std::string predecessor_;
  bool entered_ = false;
  bool in_doubt_ = false;  // a copy of the request may still create the name
};

}  // namespace lockbench::services
