// SPDX-License-Identifier: Apache-2.0

// LookPace: how long a thread that spins for a lock waits between two looks at it.
//
// The cost of a look decides. A look at a line that no other core has written since the last look
// disturbs nobody: the line is in this core's cache, and the same holder still holds the lock. So
// it is repeated soon, and a lock that is released is found free within two fetches of a line. A
// look that had to fetch the line took it from a holder that perhaps does several short operations
// in a row, and found that another thread was sooner: the next one comes after twice as long. The
// time that a look takes tells the two apart, and is the unit of all intervals: they are longer
// where lines are farther away, or where many threads want one.
//
// A prompt wait looks after a quarter of a fetch, and some looks that had to fetch the line do not
// change that. The lock was passed on, but its holders do other work in between, and this thread
// will be sooner next time: most waits below saturation end then. It is over once the line was
// written between two looks in a row: then holds are shorter than it takes to pass the lock on.
//
// Pure: the times are the caller's, in ticks (platform/spin.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace lockbench::internal {

class LookPace {
 public:
  // A wait begins. `hit`: what a look at a line of this core takes, at least 1. `prompt`: whether
  // the wait is prompt at first.
  void begin(std::uint64_t hit, bool prompt) {
    hit_ = hit;
    if (fetch_ == 0) fetch_ = kFirstFetch * hit;
    prompt_ = prompt ? kPromptFetches : 0;
    was_hit_ = false;
    quarters_ = prompt ? kPrompt : kShortest;
    longest_ = kUsual;
  }

  // A look took so long, and found the lock held.
  void note(std::uint64_t took) {
    const bool before = std::exchange(was_hit_, took < kHitsOfAFetch * hit_);
    if (was_hit_) return;
    // A look that was interrupted says little about the line.
    fetch_ = (7 * fetch_ + std::min(took, 4 * fetch_)) / 8;
    if (before && prompt_ != 0) {
      --prompt_;
      return;
    }
    prompt_ = 0;
    quarters_ = std::min(2 * std::max(quarters_, kShortest), longest_);
  }

  // The wait is long: intervals may grow to twice as much, up to `times` the usual longest one.
  void relax(std::uint64_t times) { longest_ = std::min(2 * longest_, times * kUsual); }

  // Until the next look.
  std::uint64_t interval() const { return quarters_ * fetch_ / kFetch; }

  // The longest interval of a wait that is not long: a microsecond or two.
  std::uint64_t usual_interval() const { return kUsual * fetch_ / kFetch; }

 private:
  // A look that takes so many hits is none.
  static constexpr std::uint64_t kHitsOfAFetch = 2;
  // The time of a fetch, in hits, before one was timed.
  static constexpr std::uint64_t kFirstFetch = 6;
  // So many fetches do not end a prompt wait.
  static constexpr unsigned kPromptFetches = 6;
  // Intervals, in quarters of a fetch.
  static constexpr std::uint64_t kPrompt = 1;
  static constexpr std::uint64_t kFetch = 4;
  static constexpr std::uint64_t kShortest = 2 * kFetch;
  static constexpr std::uint64_t kUsual = 24 * kFetch;

  std::uint64_t hit_ = 1;
  std::uint64_t fetch_ = 0;  // the mean of the last ones, in all waits of the thread; 0: none yet
  unsigned prompt_ = 0;      // how many more fetches leave the wait prompt
  bool was_hit_ = false;     // the last look
  std::uint64_t quarters_ = kShortest;
  std::uint64_t longest_ = kUsual;
};

}  // namespace lockbench::internal
