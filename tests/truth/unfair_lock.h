// SPDX-License-Identifier: Apache-2.0

// UnfairLock: a global lock that lets threads in very unequally, and counts whom it let in.
//
// Guarantees   while the first thread that ever came keeps coming, it has `share` turns to each
//              turn of another. When the lock is gone, the turns of its threads stand as one more
//              line of the file that the environment's LOCKBENCH_TRUTH_TURNS names, if it does: an
//              account of its own, to hold the harness's figures against. It begins anew when a
//              thread comes for the first time.
//
// Invariants
//   I1  turns_ is read and written only by the holder; its first element is the favoured thread's.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "primitives/global_lock.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/spin.h"
#include "primitives/platform/thread.h"

namespace lockbench {

class UnfairLock {
 public:
  static constexpr Promises kPromises{};

  class Handle {
   public:
    explicit Handle(UnfairLock& owner) : owner_(owner), claim_(owner.lock_.handle(0ull)) {}

    void lock() {
      claim_.lock();
      if (owner_.takes_turn()) return;
      // The favoured one may have left for good: after this long, others go on without it.
      constexpr platform::Duration kPatience = std::chrono::milliseconds(1);
      const platform::Time end = platform::now() + kPatience;
      do {
        claim_.unlock();
        platform::yield();
        claim_.lock();
      } while (!owner_.takes_turn(platform::now() >= end));
    }
    bool try_lock() {
      if (!claim_.try_lock()) return false;
      if (owner_.takes_turn()) return true;
      claim_.unlock();
      return false;
    }
    void unlock() { claim_.unlock(); }

   private:
    UnfairLock& owner_;
    GlobalLock<>::Handle claim_;
  };

  explicit UnfairLock(std::uint64_t share) : share_(share) { turns_.reserve(kThreadsExpected); }
  UnfairLock(const UnfairLock&) = delete;
  UnfairLock& operator=(const UnfairLock&) = delete;

  ~UnfairLock() {
    const char* const name = std::getenv("LOCKBENCH_TRUTH_TURNS");
    if (name == nullptr) return;
    std::ofstream file(name, std::ios::app);
    for (const Turns& own : turns_) file << own.count << ' ';
    file << '\n';
  }

  Handle handle(std::uint64_t) { return Handle(*this); }

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  static constexpr std::size_t kThreadsExpected = 64;

  struct Turns {
    platform::ThreadToken thread;
    std::uint64_t count;
  };

  // Counts a turn of the caller, who holds the lock, if it may have one.
  bool takes_turn(bool in_any_case = false) {
    const platform::ThreadToken self = platform::this_thread();
    auto own = std::find_if(turns_.begin(), turns_.end(),
                            [self](const Turns& turns) { return turns.thread == self; });
    if (own == turns_.end()) {
      // Turns that were taken while not all were there belong to no window.
      for (Turns& turns : turns_) turns.count = 0;
      own = turns_.insert(own, {self, 0});
    }
    const bool favoured = own == turns_.begin();
    if (!favoured && !in_any_case && turns_.front().count < share_ * (own->count + 1)) return false;
    ++own->count;
    return true;
  }

  const std::uint64_t share_;
  std::vector<Turns> turns_;  // I1
  GlobalLock<> lock_;
};

}  // namespace lockbench
