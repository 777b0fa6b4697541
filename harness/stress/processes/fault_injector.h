// SPDX-License-Identifier: Apache-2.0

// FaultInjector: kills, stops and replaces the processes of an epoch, and measures how soon a key
// whose holder it killed is acquired again.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/stress/processes/epoch_context.h"
#include "harness/stress/processes/process_group.h"
#include "primitives/platform/clock.h"
#include "workloads/random.h"

namespace lockbench::stress::processes {

// The number of injected faults in all epochs.
struct InjectedFaults {
  std::uint64_t killed = 0;
  std::uint64_t killed_inside = 0;
  std::uint64_t stopped = 0;
  std::uint64_t stopped_inside = 0;
  std::uint64_t recycled = 0;
  std::uint64_t not_recycled = 0;  // the kernel did not permit it
  std::uint64_t ended = 0;         // processes that ended by themselves and were replaced
  std::vector<std::int64_t> recoveries_ns;
};

class FaultInjector {
 public:
  FaultInjector(const EpochContext& context, ProcessGroup& group, InjectedFaults& injected)
      : context_(context),
        group_(group),
        injected_(injected),
        random_(derive_seed(context.plan.seed, 7)) {}

  // Call it about once a millisecond.
  void act();

  // Checks which keys of killed holders were acquired again.
  void count_recoveries();

  void let_all_go_on();

 private:
  struct Death {
    std::uint32_t key;
    std::uint64_t grants;
    std::int64_t died_ns;
  };

  void inject_fault();
  std::optional<std::uint32_t> victim();
  bool is_inside(std::uint32_t slot) const;
  void kill(std::uint32_t slot);
  void note_deaths(std::uint64_t name);
  bool somebody_wants(std::uint32_t key) const;
  void stop(std::uint32_t slot);
  void refill_empty_slots();

  const EpochContext& context_;
  ProcessGroup& group_;
  InjectedFaults& injected_;
  Random random_;
  platform::Time next_ = platform::now();
  std::optional<std::uint32_t> stopped_;
  std::vector<Death> deaths_;
};

}  // namespace lockbench::stress::processes
