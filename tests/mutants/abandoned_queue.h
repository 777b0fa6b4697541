// SPDX-License-Identifier: Apache-2.0

// AbandonedQueue: waiters in a queue, which leave their place there when they time out; the holder
// that comes to such a place skips it. The broken one looks whether a place was abandoned, and
// grants it the lock, in two steps.
//
// Source  M. Scott, W. Scherer, "Scalable queue-based spin locks with timeout", 2001.
#pragma once

#include <chrono>

#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/spin.h"
#include "tests/mutants/bases.h"

namespace lockbench::mutants {

enum class AbandonFault {
  kNone,
  kTwoSteps,  // looks whether the next waiter is still there, then grants it the lock
};

template <AbandonFault kFault>
class AbandonedQueue : public WaitsUntil<AbandonedQueue<kFault>> {
 public:
  bool try_lock() {
    Place* const mine = new Place;
    Place* none = nullptr;
    if (last_.compare_exchange_strong(none, mine, std::memory_order_acq_rel)) {
      holder_ = mine;
      return true;
    }
    delete mine;
    return false;
  }

  bool wait_until(platform::Time deadline) {
    Place* const mine = new Place;
    Place* const before = last_.exchange(mine, std::memory_order_acq_rel);
    if (before != nullptr) {
      before->next.store(mine, std::memory_order_release);
      while (mine->state.load(std::memory_order_acquire) == kWaits) {
        if (platform::now() >= deadline && change(*mine, kAbandoned)) return false;
        platform::pause();
      }
    }
    holder_ = mine;
    return true;
  }

  void unlock() {
    Place* place = holder_;
    for (;;) {
      Place* const next = next_of(*place);
      delete place;
      if (next == nullptr || grant(*next)) return;
      place = next;  // abandoned
    }
  }

 private:
  enum State : int { kWaits, kGranted, kAbandoned };

  struct Place {
    platform::Atomic<Place*> next{nullptr};
    platform::Atomic<int> state{kWaits};
  };

  static bool change(Place& place, State to) {
    int waits = kWaits;
    return place.state.compare_exchange_strong(waits, to, std::memory_order_acq_rel);
  }

  static bool grant(Place& place) {
    if (kFault == AbandonFault::kNone) return change(place, kGranted);
    if (place.state.load(std::memory_order_acquire) != kWaits) return false;
    place.state.store(kGranted, std::memory_order_release);
    return true;
  }

  // Null if `place` is the last one; the queue is empty then.
  Place* next_of(Place& place) {
    Place* self = &place;
    if (place.next.load(std::memory_order_acquire) == nullptr &&
        last_.compare_exchange_strong(self, nullptr, std::memory_order_acq_rel)) {
      return nullptr;
    }
    while (place.next.load(std::memory_order_acquire) == nullptr) platform::pause();
    return place.next.load(std::memory_order_acquire);
  }

  platform::Atomic<Place*> last_{nullptr};
  Place* holder_ = nullptr;
};

}  // namespace lockbench::mutants
