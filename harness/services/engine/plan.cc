// SPDX-License-Identifier: Apache-2.0

#include "harness/services/engine/plan.h"

#include <algorithm>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include "workloads/random.h"

namespace lockbench::stress::services {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLeaseOfNone{150};  // how long clients are stopped whose holds do not expire
constexpr milliseconds kFirstFault{100};
constexpr std::uint64_t kMostFaults = 5;
constexpr milliseconds kShortestElection{2000};

milliseconds between(Random& random, milliseconds least, milliseconds most) {
  return least + milliseconds(random.below(static_cast<std::uint64_t>((most - least).count()) + 1));
}

// Most servers come back before their clients give up; one in eight after it.
milliseconds outage(Random& random) {
  using namespace std::chrono_literals;
  return random.below(8) == 0 ? between(random, 2000ms, 3000ms) : between(random, 20ms, 500ms);
}

milliseconds duration_of(FaultKind kind, milliseconds lease, Random& random) {
  switch (kind) {
    case FaultKind::kStopHolder:
      return between(random, lease * 12 / 10, lease * 25 / 10);
    case FaultKind::kKillHolder:
    case FaultKind::kEndSession:
    case FaultKind::kCut:
      return {};
    case FaultKind::kPartLeader:
    case FaultKind::kPartLeaderOneWay:
      // The others elect another leader meanwhile.
      return between(random, kShortestElection, 2 * kShortestElection);
    default:
      return outage(random);
  }
}

// Long enough to end leases that have just begun. Three of four go forward; when the fault is over,
// the clock goes the other way.
milliseconds step_of_clock(milliseconds lease, Random& random) {
  const milliseconds step = between(random, lease / 2, lease * 3);
  return random.below(4) == 0 ? -step : step;
}

}  // namespace

EpochPlan plan_epoch(const std::vector<FaultKind>& kinds, std::uint64_t seed,
                     const EpochTerms& terms) {
  constexpr milliseconds kLongestHolds[] = {milliseconds(0), milliseconds(2), milliseconds(20),
                                            milliseconds(100)};
  Random random(seed);
  EpochPlan plan{.kinds = kinds, .seed = seed, .clients = terms.clients};
  plan.keys = random.below(2) == 0 ? 1 : static_cast<std::uint32_t>(1 + random.below(kMostKeys));
  plan.keys = std::min(plan.keys, terms.most_keys);
  plan.longest_hold = kLongestHolds[random.below(std::size(kLongestHolds))];
  const milliseconds lease = terms.lease.count() == 0 ? kLeaseOfNone : terms.lease;
  milliseconds at = kFirstFault;
  for (std::uint64_t left = 1 + random.below(kMostFaults); left > 0; --left) {
    PlannedFault fault{.kind = kinds[random.below(kinds.size())], .at = at};
    fault.lasts = duration_of(fault.kind, lease, random);
    fault.server = static_cast<std::uint32_t>(random.below(terms.servers));
    fault.draw = random.next();
    if (fault.kind == FaultKind::kDelay) {
      fault.delay = between(random, milliseconds(1), lease + lease / 2);
    }
    // A packet that is later than TCP waits for is sent again.
    if (fault.kind == FaultKind::kDelayPackets) {
      fault.delay = between(random, milliseconds(1), milliseconds(300));
    }
    if (fault.kind == FaultKind::kLosePackets) {
      fault.lost_permille = static_cast<std::uint32_t>(50 + random.below(351));
    }
    if (steps_clocks(fault.kind)) fault.step = step_of_clock(lease, random);
    plan.length = std::max(plan.length, at + fault.lasts);
    // The next one begins when this one is over, or meanwhile.
    at += milliseconds(20) +
          milliseconds(random.below(static_cast<std::uint64_t>(fault.lasts.count()) + 200));
    plan.faults.push_back(fault);
  }
  plan.length += milliseconds(50);
  return plan;
}

std::vector<FaultKind> kinds_for(std::uint64_t epoch, const std::vector<FaultKind>& all) {
  if (epoch % 2 == 0) return all;
  return {all[epoch / 2 % all.size()]};
}

milliseconds liveness_bound(milliseconds lease) {
  return lease * 2 + std::chrono::seconds(10);
}

std::string text_of(const EpochPlan& plan) {
  const auto one = [](std::string* out, const PlannedFault& fault) {
    absl::StrAppend(out, std::string(fault_of(fault.kind).name), " at ", fault.at.count(), " ms");
    if (fault.lasts.count() != 0) absl::StrAppend(out, " for ", fault.lasts.count(), " ms");
    if (fault.step.count() != 0) absl::StrAppend(out, " by ", fault.step.count(), " ms");
  };
  return absl::StrFormat("%d clients, %d keys, %d ms, holds of up to %d ms; planned: %s",
                         plan.clients, plan.keys, plan.length.count(), plan.longest_hold.count(),
                         absl::StrJoin(plan.faults, ", ", one));
}

}  // namespace lockbench::stress::services
