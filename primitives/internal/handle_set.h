// SPDX-License-Identifier: Apache-2.0

// HandleSet: any number of handles that are locked together, as one Lockable.
//
// Guarantees   lock() takes the handles in the order given and unlock() returns them in reverse; an
//              exception or a failed try leaves none taken.
// Requires     an order that all threads that take several handles follow: then no two of them
//              deadlock.
// Cost         `FixedSeats` lie within the set; `HeapSeats` are one allocation.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>

#include "primitives/internal/rollback.h"

namespace lockbench::internal {

// Room for at most kSeats handles, which neither copy nor move.
template <class Handle, std::size_t kSeats>
class FixedSeats {
 public:
  explicit FixedSeats(std::size_t) {}
  std::optional<Handle>& operator[](std::size_t i) { return seats_[i]; }

 private:
  std::array<std::optional<Handle>, kSeats> seats_;
};

// Room for as many as it is told.
template <class Handle>
class HeapSeats {
 public:
  explicit HeapSeats(std::size_t seats) : seats_(new std::optional<Handle>[seats]) {}
  std::optional<Handle>& operator[](std::size_t i) { return seats_[i]; }

 private:
  std::unique_ptr<std::optional<Handle>[]> seats_;
};

template <class Seats>
class HandleSet {
 public:
  // `target_of(i)` is what the handle number i, below `size`, is made from.
  template <class TargetOf>
  HandleSet(std::size_t size, const TargetOf& target_of) : size_(size), seats_(size) {
    for (std::size_t i = 0; i < size; ++i) seats_[i].emplace(target_of(i));
  }

  HandleSet(const HandleSet&) = delete;
  HandleSet& operator=(const HandleSet&) = delete;

  void lock() {
    std::size_t taken = 0;
    Rollback all_taken([this, &taken] { give_back(taken); });
    for (; taken < size_; ++taken) seats_[taken]->lock();
    all_taken.complete();
  }

  bool try_lock() {
    for (std::size_t taken = 0; taken < size_; ++taken) {
      if (seats_[taken]->try_lock()) continue;
      give_back(taken);
      return false;
    }
    return true;
  }

  void unlock() { give_back(size_); }

  // Locks that are taken: two keys that share one count once.
  std::size_t size() const { return size_; }

 private:
  void give_back(std::size_t taken) {
    while (taken > 0) seats_[--taken]->unlock();
  }

  const std::size_t size_;
  Seats seats_;
};

}  // namespace lockbench::internal
