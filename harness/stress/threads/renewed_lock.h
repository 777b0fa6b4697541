// SPDX-License-Identifier: Apache-2.0

// RenewedLock: a lock under test that is destroyed and made anew while no thread uses it. Some
// faults show only at the first uses of a lock: when it allocates what it needs, when a table
// grows, or when a bias towards the first owner ends.
//
// Requires     No handle exists, and no other call runs, during renew().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "harness/stress/litmus/lock_under_test.h"

namespace lockbench::stress::threads {

class RenewedLock final : public LockUnderTest {
 public:
  explicit RenewedLock(std::function<std::unique_ptr<LockUnderTest>()> make)
      : make_(std::move(make)), lock_(make_()) {}

  void renew() {
    // relaxed: a hint for another thread, in case that this call never returns.
    renewing_.store(true, std::memory_order_relaxed);
    lock_.reset();  // before the next one is made: a lock may be the only one of its kind
    lock_ = make_();
    renewing_.store(false, std::memory_order_relaxed);
  }
  // Whether renew() is under way: then there is no lock to use.
  bool renewing() const { return renewing_.load(std::memory_order_relaxed); }

  std::unique_ptr<LockHandle> handle(std::uint64_t key) override { return lock_->handle(key); }
  std::unique_ptr<LockHandle> handle_both(std::uint64_t a, std::uint64_t b) override {
    return lock_->handle_both(a, b);
  }
  std::uint32_t capacity() const override { return lock_->capacity(); }
  std::optional<std::size_t> keys_kept() const override { return lock_->keys_kept(); }
  const void* object() const override { return lock_->object(); }

 private:
  const std::function<std::unique_ptr<LockUnderTest>()> make_;
  std::unique_ptr<LockUnderTest> lock_;
  std::atomic<bool> renewing_{false};
};

}  // namespace lockbench::stress::threads
