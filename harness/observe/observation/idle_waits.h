// SPDX-License-Identifier: Apache-2.0

// IdleWaits: in which share of the time a thread waited for a lock while a processor had nothing to
// do. A program gains by its locks in no other time: while all processors work, a thread that waits
// keeps none of them from working.
//
// Guarantees   The share is an upper limit that holds with 97.5 % (Wilson's interval for a binomial
//              share; Wilson, 1927), for samples at random distances.
// Requires     The processors of the machine are those that the program may use: the kernel says
//              only of all together how many threads run.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string_view>

#include "harness/observe/observation/recording_file.h"

namespace lockbench {

class IdleWaits {
 public:
  // `processors`: of the machine.
  explicit IdleWaits(std::uint32_t processors) : processors_(processors) {}

  // Looks at all recorded processes. Returns the time to the next sample, 5 to 15 ms.
  std::chrono::nanoseconds sample(const RecordingFile& recording);

  // Of the time of the process in this slot of the recording. Absent: too few samples to say less
  // than all of it.
  std::optional<double> share_at_most(std::size_t slot) const;

 private:
  struct Counts {
    std::uint64_t all = 0;
    std::uint64_t idle_waits = 0;
  };

  std::uint32_t processors_;
  std::map<std::size_t, Counts> counts_;  // by slot
  std::minstd_rand random_;
};

namespace internal {

// The threads that run or could run, of the text of /proc/loadavg: `0.20 0.18 0.12 3/80 11206` has
// 3. Absent if it is something else.
std::optional<std::uint32_t> runnable_threads(std::string_view loadavg);

// The upper limit of a share of which `found` of `all` samples are known; `all` above 0.
double share_at_most(std::uint64_t found, std::uint64_t all);

}  // namespace internal

}  // namespace lockbench
