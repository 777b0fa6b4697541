// SPDX-License-Identifier: Apache-2.0

// Trace: the events of one run in the order in which they were observed, and how the run ended.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/stress/trace/event.h"

namespace lockbench::stress {

struct Trace {
  enum End : std::uint8_t {
    kFinished,      // every thread finished its acts
    kStuck,         // no thread can ever run again
    kUsedDeadWord,  // the lock accessed a word after the word was destroyed
    kCutOff,        // something else ended the run: the later events are unknown
  };

  // A key whose capacity is larger than the number of threads that could hold it at once.
  struct Shortage {
    std::uint32_t key = 0;
    std::uint32_t free = 0;
  };

  std::vector<Event> events;  // kAcquire, kRelease, kExpire and kDie
  End end = kCutOff;
  std::vector<Event> waits;  // if kStuck: the requests that never returned
  // Observed after all threads had ended:
  std::optional<std::uint64_t> keys_kept;
  std::optional<Shortage> shortage;
};

}  // namespace lockbench::stress
