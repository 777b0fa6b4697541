// SPDX-License-Identifier: Apache-2.0

// Nemesis: kills, stops and replaces the processes of an epoch, and times how soon a key whose
// holder it killed is had again.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/stress/proc/crew.h"
#include "harness/stress/proc/stage.h"
#include "primitives/platform/clock.h"
#include "workloads/random.h"

namespace lockbench::stress::proc {

// What was done, in all epochs.
struct Deeds {
  std::uint64_t killed = 0;
  std::uint64_t killed_inside = 0;
  std::uint64_t stopped = 0;
  std::uint64_t stopped_inside = 0;
  std::uint64_t recycled = 0;
  std::uint64_t not_recycled = 0;  // the kernel would not
  std::uint64_t ended = 0;         // by themselves, and followed by others
  std::vector<std::int64_t> recoveries_ns;
};

class Nemesis {
 public:
  Nemesis(const Stage& stage, Crew& crew, Deeds& deeds)
      : stage_(stage), crew_(crew), deeds_(deeds), random_(derive_seed(stage.plan.seed, 7)) {}

  // Call it about once a millisecond.
  void act();

  // Looks whether keys of the dead were had again.
  void look_for_recoveries();

  void let_all_go_on();

 private:
  struct Death {
    std::uint32_t key;
    std::uint64_t entries;
    std::int64_t died_ns;
  };

  void strike();
  std::optional<std::uint32_t> victim();
  bool is_inside(std::uint32_t seat) const;
  void kill(std::uint32_t seat);
  void note_deaths(std::uint64_t name);
  bool somebody_wants(std::uint32_t key) const;
  void stop(std::uint32_t seat);
  void fill_empty_seats();

  const Stage& stage_;
  Crew& crew_;
  Deeds& deeds_;
  Random random_;
  platform::Time next_ = platform::now();
  std::optional<std::uint32_t> stopped_;
  std::vector<Death> deaths_;
};

}  // namespace lockbench::stress::proc
