// SPDX-License-Identifier: Apache-2.0

// Log: what the threads of one run were seen to do, each entry with its moment, in memory that
// outlives them.
//
// Moments are drawn from one counter by fetch_add, after lock() has returned and before unlock() is
// called. All draws have one order, and in it a draw that happens before another comes first (write
// to write coherence). A correct lock makes each unlock() happen before the lock() that it lets in
// returns; so, put in the order of their moments, what the threads of a correct lock did is
// something that its model can do. No clock is asked, and no order is guessed.
//
// Invariants
//   I1  a page, and the entries that belong to it, are written by the one thread of its number.
//   I2  entries are read when their writer's process has ended.
//   I3  the counter alone orders anything, and it does so between a lock() and its unlock(): there
//       it cannot give a lock the order of stores and loads that its own code forgot. But it is a
//       fence on x86: what comes after a lock() cannot be seen before it, whatever the lock did.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/stress/litmus/program.h"
#include "harness/stress/threads/notebook.h"
#include "harness/stress/threads/shared_state.h"
#include "harness/stress/trace/trace.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/shared_array.h"

namespace lockbench::stress::threads {

class Log final : public Notebook {
 public:
  // Room for `passes` times through the acts of each thread.
  Log(const LitmusProgram& program, std::uint32_t passes);

  void wants(std::uint32_t thread, std::uint32_t act) override {
    put(pages_[thread].wants, act + 1);
  }
  void wants_nothing(std::uint32_t thread) override { put(pages_[thread].wants, 0); }

  void note(std::uint32_t thread, Entry entry) override {
    // relaxed: the order of draws is all that is asked for.
    entry.moment = moments_->next.fetch_add(1, std::memory_order_relaxed);
    Word& noted = pages_[thread].noted;
    const std::uint64_t count = get(noted);
    entries_[firsts_[thread] + count] = entry;
    // release: whoever ends the process here ends it with whole entries only.
    noted.store(count + 1, std::memory_order_release);
  }

  // A number that changes when anything is noted.
  std::uint64_t noted() const;

  // When the threads' process has ended: the deeds in their order, up to the first moment that a
  // thread drew and did not live to note.
  std::vector<stress::Deed> deeds(const LitmusProgram& program) const;
  std::vector<Trace::Wait> waits(const LitmusProgram& program) const;
  bool whole() const;  // no such moment

 private:
  struct alignas(platform::kCacheLine) Moments {
    std::atomic<std::uint64_t> next{0};
  };
  struct alignas(platform::kCacheLine) Page {
    Word noted{0};
    Word wants{0};  // an act's number and 1; 0: none
  };

  std::span<const Entry> entries_of(std::uint32_t thread) const;

  std::vector<std::size_t> firsts_;  // of each thread: its first entry's number
  platform::SharedObject<Moments> moments_;
  platform::SharedArray<Page> pages_;
  platform::SharedArray<Entry> entries_;
};

}  // namespace lockbench::stress::threads
