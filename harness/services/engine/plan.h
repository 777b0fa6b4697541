// SPDX-License-Identifier: Apache-2.0

// EpochPlan: what clients do and which faults hit them, generated from a seed. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/services/engine/fault.h"

namespace lockbench::stress::services {

inline constexpr std::uint32_t kMostKeys = 3;

struct PlannedFault {
  FaultKind kind = FaultKind::kStopHolder;
  std::chrono::milliseconds at{};     // after the beginning of the epoch
  std::chrono::milliseconds lasts{};  // 0: it has no duration
  std::uint32_t server = 0;           // unless it hits a client
  std::uint64_t draw = 0;             // chooses among the clients or sessions that are suitable
  std::chrono::milliseconds delay{};  // of kDelay, and the longest one of kDelayPackets
  std::uint32_t lost_permille = 0;    // of kLosePackets
  std::chrono::milliseconds step{};   // of clocks; less than 0: back

  bool operator==(const PlannedFault&) const = default;
};

struct EpochPlan {
  std::vector<FaultKind> kinds;  // those that were drawn from
  std::uint64_t seed = 1;
  std::uint32_t clients = 4;
  std::uint32_t keys = 1;
  std::chrono::milliseconds length{};
  std::chrono::milliseconds longest_hold{};
  std::vector<PlannedFault> faults;  // ordered by `at`
};

// The values that an epoch depends on besides its seed.
struct EpochTerms {
  std::uint32_t clients = 4;
  std::uint32_t servers = 1;
  std::uint32_t most_keys = kMostKeys;
  std::chrono::milliseconds lease{};  // 0: a hold lasts as long as its connection
};

// The same arguments give the same plan on every machine. `kinds`: not empty.
EpochPlan plan_epoch(const std::vector<FaultKind>& kinds, std::uint64_t seed,
                     const EpochTerms& terms);

// The kinds of faults of epoch number `epoch`: all at first, then each alone and all in turn.
std::vector<FaultKind> kinds_for(std::uint64_t epoch, const std::vector<FaultKind>& all);

// After the last fault, each client must have had a key within this time: a lost client's lease
// ends, and a client notices within seven seconds that a server does not answer what it asked.
std::chrono::milliseconds liveness_bound(std::chrono::milliseconds lease);

// "4 clients, 2 keys, 1200 ms, holds of up to 5 ms; faults: 300 ms stop_holder for 250 ms, …".
std::string text_of(const EpochPlan& plan);

}  // namespace lockbench::stress::services
