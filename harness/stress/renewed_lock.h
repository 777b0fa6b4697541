// SPDX-License-Identifier: Apache-2.0

// RenewedLock: a lock under test that is destroyed and made anew while no thread uses it. Some
// faults show only at the first uses of a lock: when it allocates what it needs, when a table
// grows, or when a bias towards the first owner ends. Others show where the next lock has the
// address of the last one: what a thread remembers of a lock may then be of another.
//
// Requires     No handle exists, and no other call runs, during renew().
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/trace/shared_words.h"

namespace lockbench::stress {

class RenewedLock final : public LockUnderTest {
 public:
  explicit RenewedLock(std::function<std::unique_ptr<LockUnderTest>()> make)
      : make_(std::move(make)), lock_(make_()) {}

  void renew() {
    put(renewing_, 1);  // a hint for another thread, in case that this call never returns
    lock_.reset();      // before the next one is made: a lock may be the only one of its kind
    lock_ = make_();
    put(renewing_, 0);
  }
  // True if renew() is under way: then there is no lock to use.
  bool renewing() const { return get(renewing_) != 0; }

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
  Word renewing_{0};
};

}  // namespace lockbench::stress
