// SPDX-License-Identifier: Apache-2.0

// ProcessGroup: the processes of an epoch, one on each slot at a time, and what can be done to
// them.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <sys/types.h>
#include <vector>

#include "harness/stress/processes/epoch_context.h"

namespace lockbench::stress::processes {

class ProcessGroup {
 public:
  explicit ProcessGroup(const EpochContext& context) : context_(context) {}
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;
  ~ProcessGroup();  // kills who is left

  // A new life on a slot that is empty.
  void start(std::uint32_t slot, std::uint64_t most_holds = kNoLimit);

  bool alive(std::uint32_t slot) const { return processes_[slot] != 0; }
  pid_t process(std::uint32_t slot) const { return processes_[slot]; }
  std::vector<std::uint32_t> living() const;

  // Collects those that have ended by themselves; true when one of them should not have: then the
  // state has a failure.
  bool collect();

  // Returns when it is dead, and not collected: its number is still its own.
  void kill(std::uint32_t slot);
  void bury(std::uint32_t slot);  // after kill()

  void stop(std::uint32_t slot);  // returns when it has stopped
  void go_on(std::uint32_t slot);

  // Makes a process that does nothing until the group goes, under the number of one that is buried.
  // False where the kernel does not permit that, or the number is taken.
  bool recycle(pid_t number);

  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

 private:
  [[noreturn]] void live(std::uint32_t slot, std::uint64_t life, std::uint64_t most_holds) const;

  const EpochContext& context_;
  std::array<pid_t, kMostProcesses> processes_{};
  std::vector<pid_t> unrelated_;
};

}  // namespace lockbench::stress::processes
