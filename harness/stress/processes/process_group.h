// SPDX-License-Identifier: Apache-2.0

// ProcessGroup: the processes of an epoch, at most one in each slot at a time. Starts, stops, kills
// and collects them.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <sys/types.h>
#include <vector>

#include "harness/stress/processes/call_watch.h"
#include "harness/stress/processes/epoch_context.h"

namespace lockbench::stress::processes {

class ProcessGroup {
 public:
  explicit ProcessGroup(const EpochContext& context) : context_(context) {}
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;
  ~ProcessGroup();  // kills the processes that are left

  // Starts a new process in an empty slot.
  void start(std::uint32_t slot, std::uint64_t most_holds = kNoLimit);

  bool alive(std::uint32_t slot) const { return processes_[slot] != 0; }
  pid_t process(std::uint32_t slot) const { return processes_[slot]; }
  std::vector<std::uint32_t> living() const;

  // Collects the processes that have ended by themselves. Returns true if the state has a failure,
  // for example because one of them ended although it should not.
  bool collect();

  // Returns when the process is dead but not collected, so no other process can have its number.
  void kill(std::uint32_t slot);
  void bury(std::uint32_t slot);  // collects the process after kill()

  void stop(std::uint32_t slot);  // returns when it has stopped
  void go_on(std::uint32_t slot);

  // Starts a process that does nothing until the group is destroyed, with the number of a process
  // that was collected. Returns false if the kernel does not permit that or if the number is in
  // use.
  bool recycle(pid_t number);

  // Watches the processes' system calls if the epoch's fault requires it.
  CallWatch& calls() { return calls_; }

  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

 private:
  [[noreturn]] void live(std::uint32_t slot, std::uint64_t life, std::uint64_t most_holds) const;

  const EpochContext& context_;
  std::array<pid_t, kMostProcesses> processes_{};
  std::vector<pid_t> unrelated_;
  CallWatch calls_;
};

}  // namespace lockbench::stress::processes
