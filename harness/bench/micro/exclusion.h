// SPDX-License-Identifier: Apache-2.0

// The proof of an uncontended figure: it checks that the timed lock does exclude other threads.
//
// With only one thread, nothing can go wrong between threads, so a lock that does nothing would
// win every uncontended measurement. Therefore, after the timed loop and on the same object:
//   1  every key is free: the companion can acquire and release each of them (violations);
//   2  while all of one key's capacity is held, the companion cannot enter (violations);
//   3  this thread and the companion add to counters under the key at once (lost_updates).
//
// For a primitive that promises no exclusion, only the additions of this thread are checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "harness/bench/micro/companion.h"
#include "workloads/operation.h"
#include "workloads/proof.h"

namespace lockbench {

// A handle of any primitive. The functions are virtual because the check is not timed and would
// otherwise be compiled for each primitive.
class CheckedHandle {
 public:
  virtual ~CheckedHandle() = default;
  virtual void lock() = 0;
  virtual bool try_lock() = 0;
  virtual void unlock() = 0;
  virtual std::size_t slot() const = 0;  // the slot that only its holder may write to
};

template <class HandleAt>
class CheckedHandleOf final : public CheckedHandle {
 public:
  // Handles neither copy nor move.
  CheckedHandleOf(const HandleAt& handle_at, std::size_t key) : handle_(handle_at(key)) {}

  void lock() override { handle_.lock(); }
  bool try_lock() override { return handle_.try_lock(); }
  void unlock() override { handle_.unlock(); }
  std::size_t slot() const override { return lease_of(handle_); }

 private:
  decltype(std::declval<const HandleAt&>()(0)) handle_;
};

class ExclusionCheck {
 public:
  // `handle_at(k)` makes a handle on key number k of the `keys` keys.
  template <class HandleAt>
  ExclusionCheck(Companion& companion, HandleAt handle_at, std::size_t keys, std::uint32_t capacity)
      : companion_(companion),
        handle_at_([handle_at](std::size_t key) -> std::unique_ptr<CheckedHandle> {
          return std::unique_ptr<CheckedHandle>(new CheckedHandleOf<HandleAt>(handle_at, key));
        }),
        keys_(keys),
        capacity_(capacity),
        counts_(capacity) {}

  Proof prove();
  Proof prove_alone();

 private:
  std::uint64_t keys_left_taken();
  bool could_enter(std::size_t key);

  // Acquisitions beyond the capacity, and acquisitions refused although the key was free.
  std::uint64_t intruders();

  std::uint64_t lost_updates_in_race();
  void add_rounds();
  std::uint64_t found() const;

  Companion& companion_;
  const std::function<std::unique_ptr<CheckedHandle>(std::size_t)> handle_at_;
  const std::size_t keys_;
  const std::uint32_t capacity_;
  std::vector<Guarded> counts_;
};

}  // namespace lockbench
