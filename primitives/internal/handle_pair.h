// SPDX-License-Identifier: Apache-2.0

// HandlePair: one or two handles that are locked together, as one Lockable.
//
// Guarantees   lock() takes the handles in the order given and unlock() returns them in reverse; an
//              exception or a failed try leaves none taken.
// Requires     an order that all threads that take pairs follow: then no two of them deadlock.
#pragma once

#include <optional>
#include <utility>

#include "primitives/internal/rollback.h"

namespace lockbench::internal {

template <class Handle>
class HandlePair {
 public:
  // `Target` is what a handle is made from.
  template <class Target>
  explicit HandlePair(Target&& only) : first_(std::forward<Target>(only)) {}

  template <class Target>
  HandlePair(Target&& first, Target&& second) : first_(std::forward<Target>(first)) {
    second_.emplace(std::forward<Target>(second));
  }

  HandlePair(const HandlePair&) = delete;
  HandlePair& operator=(const HandlePair&) = delete;

  void lock() {
    first_.lock();
    if (!second_) return;
    Rollback first_taken([this] { first_.unlock(); });
    second_->lock();
    first_taken.complete();
  }

  bool try_lock() {
    if (!first_.try_lock()) return false;
    if (!second_ || second_->try_lock()) return true;
    first_.unlock();
    return false;
  }

  void unlock() {
    if (second_) second_->unlock();
    first_.unlock();
  }

 private:
  Handle first_;
  std::optional<Handle> second_;
};

}  // namespace lockbench::internal
