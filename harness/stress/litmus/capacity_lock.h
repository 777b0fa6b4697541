// SPDX-License-Identifier: Apache-2.0

// CapacityLock: a lock under test built on a base lock that admits several holders at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "harness/stress/litmus/lock_under_test.h"

namespace lockbench::stress {

class CapacityLock final : public LockUnderTest {
 public:
  CapacityLock(std::unique_ptr<LockUnderTest> lock, std::uint32_t capacity)
      : lock_(std::move(lock)), capacity_(capacity) {}

  std::unique_ptr<LockHandle> handle(std::uint64_t key) override { return lock_->handle(key); }
  std::unique_ptr<LockHandle> handle_both(std::uint64_t a, std::uint64_t b) override {
    return lock_->handle_both(a, b);
  }
  std::uint32_t capacity() const override { return capacity_; }
  std::optional<std::size_t> keys_kept() const override { return lock_->keys_kept(); }
  const void* object() const override { return lock_->object(); }

 private:
  const std::unique_ptr<LockUnderTest> lock_;
  const std::uint32_t capacity_;
};

using LockMaker = std::function<std::unique_ptr<LockUnderTest>(std::uint64_t keys)>;

// Returns `make` itself for a capacity of 1.
inline LockMaker with_capacity(LockMaker make, std::uint32_t capacity) {
  if (capacity == 1) return make;
  return [make = std::move(make), capacity](std::uint64_t keys) -> std::unique_ptr<LockUnderTest> {
    return std::make_unique<CapacityLock>(make(keys), capacity);
  };
}

}  // namespace lockbench::stress
