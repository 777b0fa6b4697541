// SPDX-License-Identifier: Apache-2.0

#include "harness/services/engine/fault.h"

#include <algorithm>
#include <iterator>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

namespace lockbench::stress::services {
namespace {

using enum FaultKind;
using enum FaultTarget;

constexpr Fault kAll[] = {
    {kStopHolder, "stop_holder", kClient, "SIGSTOP of a holder for longer than its lease"},
    {kKillHolder, "kill_holder", kClient, "SIGKILL of a holder; another process replaces it"},
    {kPauseServer, "pause_server", kServer, "SIGSTOP of a server"},
    {kRestartServer, "restart_server", kServer, "SIGKILL of a server, which keeps its data"},
    {kEmptyServer, "empty_server", kServer, "SIGKILL of a server, which loses its data"},
    {kEndSession, "end_session", kServer, "a session at a server is ended: its process or lease"},
    {kDelay, "delay", kNetwork, "what is sent arrives later"},
    {kPartition, "partition", kNetwork, "nothing arrives until the fault ends"},
    {kCut, "cut", kNetwork, "all connections are reset"},
    {kHalfOpen, "half_open", kNetwork, "connections are silent, and reset when the fault ends"},
    {kFailover, "failover", kServer, "SIGKILL of a server; its replica serves on, and lags behind"},
    {kKillLeader, "kill_leader", kServer, "SIGKILL of a cluster's leader, which keeps its data"},
    {kLoseMajority, "lose_majority", kServer,
     "SIGKILL of more than half of a cluster, which keep their data"},
    {kClockStep, "clock_step", kServer, "the clock of a server steps, and steps back"},
    {kClockStepMost, "clock_step_most", kServer,
     "the clocks of more than half of the servers step, and step back"},
    {kLosePackets, "lose_packets", kNetwork, "single packets are lost"},
    {kDelayPackets, "delay_packets", kNetwork, "each packet is late by another time"},
    {kPartLeader, "part_leader", kPeers, "a cluster's leader cannot reach the other members"},
    {kPartLeaderOneWay, "part_leader_one_way", kPeers,
     "packets between a cluster's leader and the others arrive in one direction alone"},
};

constexpr auto kName = [](std::string* out, const Fault& fault) { out->append(fault.name); };

static_assert(std::size(kAll) == kFaultKinds);

}  // namespace

std::span<const Fault> all_faults() {
  return kAll;
}

const Fault& fault_of(FaultKind kind) {
  return kAll[static_cast<std::size_t>(kind)];
}

bool may_end_holds(FaultKind kind, bool leases) {
  switch (kind) {
    case kStopHolder:
    case kKillHolder:  // that of the killed client, of which nothing is certain anyway
      return false;
    case kEmptyServer:
    case kEndSession:
    case kFailover:
    case kClockStep:
    case kClockStepMost:
      return true;
    default:
      return !leases;
  }
}

absl::StatusOr<std::vector<FaultKind>> faults_from(std::string_view list) {
  std::vector<FaultKind> kinds;
  if (list.empty()) {
    for (const Fault& fault : kAll) {
      if (!steps_clocks(fault.kind)) kinds.push_back(fault.kind);
    }
    return kinds;
  }
  for (const std::string& name : std::vector<std::string>(absl::StrSplit(std::string(list), ','))) {
    const auto* const found = std::find_if(std::begin(kAll), std::end(kAll),
                                           [&](const Fault& fault) { return fault.name == name; });
    if (found == std::end(kAll)) {
      return absl::InvalidArgumentError(absl::StrCat("faults: `", name, "` is none; say some of ",
                                                     absl::StrJoin(kAll, ",", kName)));
    }
    if (std::find(kinds.begin(), kinds.end(), found->kind) == kinds.end()) {
      kinds.push_back(found->kind);
    }
  }
  return kinds;
}

std::string names_of(const std::vector<FaultKind>& kinds) {
  return absl::StrJoin(kinds, ",",
                       [](std::string* out, FaultKind kind) { out->append(fault_of(kind).name); });
}

}  // namespace lockbench::stress::services
