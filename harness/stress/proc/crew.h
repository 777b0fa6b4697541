// SPDX-License-Identifier: Apache-2.0

// Crew: the processes of an epoch, one on each seat at a time, and what can be done to them.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <sys/types.h>
#include <vector>

#include "harness/stress/proc/stage.h"

namespace lockbench::stress::proc {

class Crew {
 public:
  explicit Crew(const Stage& stage) : stage_(stage) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew();  // kills who is left

  // A new life on a seat that is empty.
  void start(std::uint32_t seat, std::uint64_t most_holds = kNoLimit);

  bool alive(std::uint32_t seat) const { return processes_[seat] != 0; }
  pid_t process(std::uint32_t seat) const { return processes_[seat]; }
  std::vector<std::uint32_t> living() const;

  // Collects those that have ended by themselves; true when one of them should not have: then the
  // board has a charge.
  bool collect();

  // Returns when it is dead, and not collected: its number is still its own.
  void kill(std::uint32_t seat);
  void bury(std::uint32_t seat);  // after kill()

  void stop(std::uint32_t seat);  // returns when it has stopped
  void go_on(std::uint32_t seat);

  // Makes a process that does nothing until the crew goes, under the number of one that is buried.
  // False where the kernel does not permit that, or the number is taken.
  bool recycle(pid_t number);

  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

 private:
  [[noreturn]] void live(std::uint32_t seat, std::uint64_t life, std::uint64_t most_holds) const;

  const Stage& stage_;
  std::array<pid_t, kMostSeats> processes_{};
  std::vector<pid_t> strangers_;
};

}  // namespace lockbench::stress::proc
