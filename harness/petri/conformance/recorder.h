// SPDX-License-Identifier: Apache-2.0

// Recorder: the events of all threads or processes of one run, in one order, in memory that remains
// after they have ended.
//
// append() writes an event and its position in one step: a compare-and-swap of the first word that
// is still empty. So a process that is killed leaves no gap, and an event that happens before
// another one has the lower position. A correct lock makes each unlock() happen before the return
// of the lock() that it admits. Releases are recorded before unlock() and acquisitions after
// lock(). So the recorded trace of a correct lock is one that its model can produce. The recorder
// reads no clock.
//
// The kill of a process is recorded before it happens, so events of threads that find the process
// dead come after it. The last events of the killed process itself may also come after it
// (processes/possible_traces.h).
//
// Not offered  Recording without an effect on the lock. On x86 the compare-and-swap is a fence
//              between a lock() and its unlock(), which may hide missing memory orders of a lock.
//              Engines that look for missing orders use RecentEvents.
//
// Invariants
//   I1  The words before `hint_` are not empty. A word that is not empty never changes.
//   I2  Only the thread or process with the number of a page writes the page.
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
  // Requires: append(), acquired() and releases() are called at most `room` times in total.
  Recorder(std::uint32_t threads, std::size_t room) : pages_(threads), words_(room) {}

  // Only the thread of the event calls these.
  void requests(const Event& request) { put(pages_[request.thread].request, pack(request)); }
  void answered(std::uint32_t thread) { put(pages_[thread].request, 0); }
  void acquired(const Event& event);
  void releases(const Event& event);

  // Any thread may call these.
  void append(const Event& event);

  // A number that grows whenever an event is recorded.
  std::uint64_t count() const { return hint_->load(std::memory_order_relaxed); }
  bool is_holding(std::uint32_t thread) const { return get(pages_[thread].holds) != 0; }

  // The request whose call has not returned, or had not returned when the thread ended.
  std::optional<Event> pending(std::uint32_t thread) const;

  // Requires: the writers have ended, or write nothing meanwhile.
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
