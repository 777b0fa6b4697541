// SPDX-License-Identifier: Apache-2.0

// KeySetLock: a lock under test that maps the program's keys to the keys of a key set (keys.h).
#pragma once

#include <memory>
#include <utility>

#include "harness/stress/litmus/keys.h"
#include "harness/stress/litmus/lock_under_test.h"

namespace lockbench::stress {

class KeySetLock final : public LockUnderTest {
 public:
  KeySetLock(std::unique_ptr<LockUnderTest> lock, std::uint32_t key_set)
      : lock_(std::move(lock)), key_set_(key_set) {}

  std::unique_ptr<LockHandle> handle(std::uint64_t key) override {
    return lock_->handle(key_value(key_set_, key));
  }
  std::unique_ptr<LockHandle> handle_both(std::uint64_t a, std::uint64_t b) override {
    return lock_->handle_both(key_value(key_set_, a), key_value(key_set_, b));
  }
  std::uint32_t capacity() const override { return lock_->capacity(); }
  std::optional<std::size_t> keys_kept() const override { return lock_->keys_kept(); }
  const void* object() const override { return lock_->object(); }

 private:
  const std::unique_ptr<LockUnderTest> lock_;
  const std::uint32_t key_set_;
};

// Returns `lock` itself for key set 0.
inline std::unique_ptr<LockUnderTest> with_key_set(std::unique_ptr<LockUnderTest> lock,
                                                   std::uint32_t key_set) {
  if (key_set == 0) return lock;
  return std::make_unique<KeySetLock>(std::move(lock), key_set);
}

}  // namespace lockbench::stress
