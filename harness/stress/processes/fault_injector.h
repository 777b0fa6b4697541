// SPDX-License-Identifier: Apache-2.0

// FaultInjector: kills, stops and replaces the processes of an epoch, and measures how soon a key
// whose holder it killed is acquired again.
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/stress/processes/epoch_context.h"
#include "harness/stress/processes/process_group.h"
#include "primitives/platform/clock.h"
#include "workloads/random.h"

namespace lockbench::stress::processes {

// Where in the lock a system call is made: the call, the two calls before it, and whether lock() or
// unlock() makes them. A lock that polls reaches the same position in each round.
struct CallPosition {
  bool unlocks = false;
  std::array<std::int32_t, 3> numbers{-1, -1, -1};  // SYS_…; the last one is this call

  auto operator<=>(const CallPosition&) const = default;
};

struct FaultsAtCall {
  std::uint64_t killed = 0;
  std::uint64_t held = 0;
};

// The number of injected faults in all epochs.
struct InjectedFaults {
  std::uint64_t killed = 0;
  std::uint64_t killed_inside = 0;
  std::uint64_t stopped = 0;
  std::uint64_t stopped_inside = 0;
  std::uint64_t recycled = 0;
  std::uint64_t not_recycled = 0;  // the kernel did not permit it
  // How many times a wake-up was lost with a process that was killed while it waited, so that
  // others slept although the key was free.
  std::uint64_t wake_ups_lost_with_waiter = 0;
  std::uint64_t ended = 0;  // processes that ended by themselves and were replaced
  std::vector<std::int64_t> recoveries_ns;
  std::map<CallPosition, FaultsAtCall> at_calls;  // all positions that were reached
  std::vector<std::string> last_at_calls;         // the last faults there, for messages
  int call_error = 0;                             // why some processes were not watched, as errno
};

class FaultInjector {
 public:
  FaultInjector(const EpochContext& context, ProcessGroup& group, InjectedFaults& injected)
      : context_(context),
        group_(group),
        injected_(injected),
        random_(derive_seed(context.plan.seed, 7)) {
    injected_.last_at_calls.clear();
  }

  // Call it about once a millisecond.
  void act();

  // Lets time pass until `end`, and injects faults at system calls meanwhile.
  void pass_time(platform::Time end);

  // Checks which keys of killed holders were acquired again.
  void count_recoveries();

  // Injects no faults after this.
  void let_all_go_on();

  // True if it killed a process in lock() or try_lock().
  bool has_killed_a_waiter() const { return killed_a_waiter_; }

 private:
  // The system calls that a process made since its last event.
  struct CallHistory {
    std::uint64_t events = 0;
    CallPosition position;
  };

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
  CallWatch::Answer at_call(const WatchedCall& call);
  CallWatch::Answer kill_at(const WatchedCall& call);
  const CallPosition* position_of(const WatchedCall& call);
  void describe(const WatchedCall& call, const CallPosition& position, const char* fault);

  const EpochContext& context_;
  ProcessGroup& group_;
  InjectedFaults& injected_;
  Random random_;
  platform::Time next_ = platform::now();
  platform::Time next_kill_ = platform::now();  // at a system call
  std::optional<std::uint32_t> stopped_;
  std::vector<Death> deaths_;
  std::array<CallHistory, kMostProcesses> histories_;
  bool over_ = false;
  bool killed_a_waiter_ = false;
};

}  // namespace lockbench::stress::processes
