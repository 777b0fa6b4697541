// SPDX-License-Identifier: Apache-2.0

// Recorder: what the threads or processes of one run were observed to do, in one order, in memory
// that outlives each of them.
//
// An event and its position are written in one step: a compare-and-swap of the first word that is
// still empty. So a process leaves no gap, whenever it is killed, and if one event happens before
// another, it stands before it. A correct lock makes each unlock() happen before the lock() that it
// lets in returns; releases are recorded before unlock() and acquisitions after lock(). So what is
// recorded of a correct lock is something that its model can do. No clock is read.
//
// That a process will be killed is recorded before it is killed, so whoever finds it dead comes
// after that event. The last events of the process itself may come after it
// (processes/possible_traces.h).
//
// Not offered  independence: the compare-and-swap is a fence on x86, between a lock() and its
//              unlock(). Ordering failures of a lock may be hidden. Engines that look for these use
//              RecentEvents.
//
// Invariants
//   I1  the words before `hint_` are not empty; a word that is not empty never changes.
//   I2  a page is written by the thread or process of its number.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/stress/trace/event.h"
#include "harness/stress/trace/shared_words.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/shared_array.h"

namespace lockbench::stress {

class Recorder {
 public:
  // Requires at most `room` calls of append(), acquired() and releases() together.
  Recorder(std::uint32_t threads, std::size_t room) : pages_(threads), words_(room) {}

  // By the thread of the event.
  void requests(const Event& request) { put(pages_[request.thread].request, pack(request)); }
  void answered(std::uint32_t thread) { put(pages_[thread].request, 0); }
  void acquired(const Event& event);
  void releases(const Event& event);

  // By anybody.
  void append(const Event& event);

  // A number that grows whenever an event is recorded.
  std::uint64_t count() const { return hint_->load(std::memory_order_relaxed); }
  bool is_holding(std::uint32_t thread) const { return get(pages_[thread].holds) != 0; }

  // The request that has not returned, or had not when the thread ended.
  std::optional<Event> pending(std::uint32_t thread) const;

  // Requires that the writers have ended, or do nothing.
  std::vector<Event> events() const;

 private:
  struct alignas(platform::kCacheLine) Page {
    Word request{0};
    Word holds{0};
  };

  platform::SharedArray<Page> pages_;
  platform::SharedArray<Word> words_;
  platform::SharedObject<Word> hint_;
};

}  // namespace lockbench::stress
