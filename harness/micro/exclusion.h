// SPDX-License-Identifier: Apache-2.0

// The proof of an uncontended figure: the lock that was timed does lock.
//
// Nothing can go wrong between threads while one thread is alone, so a lock that does nothing would
// win every uncontended measurement. Therefore, after the timed loop and on the same object:
//   1  every key is free: the companion can take and give back each of them (violations);
//   2  with all of one key's capacity taken, the companion is not let in (violations);
//   3  this thread and the companion add to counters under the key at once (lost_updates).
//
// A primitive that promises no exclusion is asked only that this thread's own additions are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "harness/micro/companion.h"
#include "workloads/operation.h"
#include "workloads/proof.h"

namespace lockbench {

// A handle of any primitive. Virtual: the check is not timed, and would else be compiled for each.
class CheckedHandle {
 public:
  virtual ~CheckedHandle() = default;
  virtual void lock() = 0;
  virtual bool try_lock() = 0;
  virtual void unlock() = 0;
  virtual std::size_t place() const = 0;  // what the holder may write to by itself
};

template <class HandleAt>
class CheckedHandleOf final : public CheckedHandle {
 public:
  // Handles neither copy nor move.
  CheckedHandleOf(const HandleAt& handle_at, std::size_t key) : handle_(handle_at(key)) {}

  void lock() override { handle_.lock(); }
  bool try_lock() override { return handle_.try_lock(); }
  void unlock() override { handle_.unlock(); }
  std::size_t place() const override {
    if constexpr (requires { handle_.lease(); }) return handle_.lease();
    return 0;
  }

 private:
  decltype(std::declval<const HandleAt&>()(0)) handle_;
};

class ExclusionCheck {
 public:
  // `handle_at(k)` makes a handle on the k-th of `keys` keys.
  template <class HandleAt>
  ExclusionCheck(Companion& companion, HandleAt handle_at, std::size_t keys, std::uint32_t capacity)
      : companion_(companion),
        handle_at_([handle_at](std::size_t key) -> std::unique_ptr<CheckedHandle> {
          return std::make_unique<CheckedHandleOf<HandleAt>>(handle_at, key);
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

  std::uint64_t lost_in_race();
  void add_rounds();
  std::uint64_t found() const;

  Companion& companion_;
  const std::function<std::unique_ptr<CheckedHandle>(std::size_t)> handle_at_;
  const std::size_t keys_;
  const std::uint32_t capacity_;
  std::vector<Guarded> counts_;
};

}  // namespace lockbench
