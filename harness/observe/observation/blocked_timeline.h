// SPDX-License-Identifier: Apache-2.0

// BlockedTimeline: when threads of a program waited for its locks.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "harness/observe/observation/observation.h"

namespace lockbench {

class BlockedTimeline {
 public:
  // The most periods that of() returns; those of a longer program are longer.
  static constexpr std::size_t kMostPeriods = 240;

  // Call it regularly while the program runs. `blocked_s`: so far, of each record. `at_s`: since
  // the program's start.
  void note(std::map<std::size_t, double> blocked_s, double at_s);

  // The periods between the notes, of the process with this ObservedProcess::record.
  std::vector<BlockedPeriod> of(std::size_t record) const;

 private:
  struct Note {
    double at_s = 0;
    std::map<std::size_t, double> blocked_s;
  };
  std::vector<Note> notes_;
};

}  // namespace lockbench
