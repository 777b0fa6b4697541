// SPDX-License-Identifier: Apache-2.0

// Fault: what the engine `services` does to clients, servers and the network between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace lockbench::stress::services {

enum class FaultKind : std::uint8_t {
  kStopHolder,
  kKillHolder,
  kPauseServer,
  kRestartServer,
  kEmptyServer,
  kEndSession,
  kDelay,
  kPartition,
  kCut,
  kHalfOpen,
  kFailover,
  kKillLeader,
  kLoseMajority,
  kClockStep,
  kClockStepMost,
  kLosePackets,
  kDelayPackets,
  kPartLeader,
  kPartLeaderOneWay,
};
inline constexpr std::size_t kFaultKinds = 19;

enum class FaultTarget : std::uint8_t {
  kClient,
  kServer,
  kNetwork,  // between clients and a server
  kPeers     // between a member of a cluster and the others
};

struct Fault {
  FaultKind kind;
  std::string_view name;
  FaultTarget target;
  std::string_view meaning;  // for users
};

// In the order of FaultKind.
std::span<const Fault> all_faults();
const Fault& fault_of(FaultKind kind);

// True if the fault steps clocks of servers.
constexpr bool steps_clocks(FaultKind kind) {
  return kind == FaultKind::kClockStep || kind == FaultKind::kClockStepMost;
}

// True if the fault is of single packets or of members' links, which only network namespaces have.
constexpr bool needs_packets(FaultKind kind) {
  return kind == FaultKind::kLosePackets || kind == FaultKind::kDelayPackets ||
         kind == FaultKind::kPartLeader || kind == FaultKind::kPartLeaderOneWay;
}

// True if holds may end at such a fault: the service forgets them, or a connection that they last
// as long as. `leases`: holds last as long as a lease, and not as a connection.
bool may_end_holds(FaultKind kind, bool leases);

// The kinds that `list` names, separated by commas. If it is empty: all but steps of clocks, after
// which a server of Redis or ZooKeeper that forgets its data gives tokens that are too small.
// InvalidArgument lists those that exist.
absl::StatusOr<std::vector<FaultKind>> faults_from(std::string_view list);

// `stop_holder,kill_holder`.
std::string names_of(const std::vector<FaultKind>& kinds);

}  // namespace lockbench::stress::services
