// SPDX-License-Identifier: Apache-2.0

// Trace: what the threads of a program were seen to do with a lock, in the order in which it
// was seen, to be held against a model of the lock.
//
// A take is seen when it has returned, a giving back before it is begun. So a thread that is seen
// to hold does hold, and what a correct lock is seen to do is something that its model can do.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace lockbench::stress {

struct Deed {
  enum Kind : std::uint8_t {
    kTakes,
    kLetsGo,
    kExpires,  // has held for as long as a hold may last
    kDies,     // is killed while it holds
  };
  Kind kind = kTakes;
  std::uint32_t thread = 0;
  std::vector<std::uint32_t> keys;  // those taken at once together; of kDies none
  std::uint32_t lease = 0;

  bool operator==(const Deed&) const = default;
};

struct Trace {
  enum End : std::uint8_t {
    kAllGone,   // every thread came to its end
    kStill,     // nobody can ever run again
    kGoneUsed,  // the lock used a word whose life was over
    kCutOff,    // something else ended it: nothing can be said of what would have come
  };

  // A call that never returned, at a standstill: somebody waits for all of these keys.
  struct Wait {
    std::uint32_t thread = 0;
    std::vector<std::uint32_t> keys;
  };

  // A key that could be had by fewer at once than it should.
  struct Shortage {
    std::uint32_t key = 0;
    std::uint32_t free = 0;
  };

  std::vector<Deed> deeds;
  End end = kCutOff;
  std::vector<Wait> waits;  // at a standstill
  // Found when everybody had gone:
  std::optional<std::uint64_t> keys_kept;
  std::optional<Shortage> shortage;
};

}  // namespace lockbench::stress
