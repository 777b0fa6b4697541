// SPDX-License-Identifier: Apache-2.0

// ClientGroup: the clients of an epoch, at most one in each slot at a time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <sys/types.h>

#include "harness/stress/services/client.h"

namespace lockbench::stress::services {

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
