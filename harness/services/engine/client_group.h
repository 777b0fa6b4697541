// SPDX-License-Identifier: Apache-2.0

// ClientGroup: the clients of an epoch, at most one in each slot at a time.
//
// Client: one process in a slot of an epoch. It takes keys through the lock and counts in the
// resource.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <sys/types.h>

#include "harness/services/engine/plan.h"
#include "harness/services/engine/resource.h"
#include "harness/services/engine/shared_state.h"
#include "harness/stress/registered_lock.h"
#include "workloads/random.h"

namespace lockbench::stress::services {

// The state that the clients of an epoch share.
struct EpochContext {
  SharedState& state;
  const RegisteredLock& entry;
  const EpochPlan& plan;
  Resource& resource;
  LockUnderTest& lock;
};

class Client {
 public:
  Client(const EpochContext& context, std::uint32_t number, std::uint64_t life);

  // Until the epoch stops. Then it takes a key once more: the faults are over.
  void run();

 private:
  bool stopping() const { return get(state_.stop) != 0; }
  bool hold(std::uint32_t key, std::uint64_t how);
  bool acquire(LockHandle& handle, std::uint32_t key, std::uint64_t how);
  void check_token(std::uint32_t key, std::uint64_t before, std::uint64_t token);
  void count(std::uint32_t key, std::uint64_t token);
  void sleep_while_holding();
  void record(Act::Kind kind, std::uint32_t key = 0, std::uint64_t number = 0);

  const EpochContext& context_;
  SharedState& state_;
  ClientSlot& slot_;
  const std::uint32_t number_;
  Random random_;
};

class ClientGroup {
 public:
  explicit ClientGroup(const EpochContext& context) : context_(context) {}
  ~ClientGroup();  // kills the clients that are left
  ClientGroup(const ClientGroup&) = delete;
  ClientGroup& operator=(const ClientGroup&) = delete;

  void start(std::uint32_t slot);  // an empty one
  bool alive(std::uint32_t slot) const { return processes_[slot] != 0; }
  bool stopped(std::uint32_t slot) const { return stopped_[slot]; }

  // Collects the clients that have ended. Returns how many are left.
  std::uint32_t collect();

  void stop(std::uint32_t slot);
  void go_on(std::uint32_t slot);
  void replace(std::uint32_t slot);  // kills the client and starts another one

  // A client that holds a key and is not stopped.
  std::optional<std::uint32_t> holder(std::uint64_t draw) const;

 private:
  const EpochContext& context_;
  std::array<pid_t, kMostClients> processes_{};
  std::array<bool, kMostClients> stopped_{};
};

}  // namespace lockbench::stress::services
