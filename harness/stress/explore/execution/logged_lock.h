// SPDX-License-Identifier: Apache-2.0

// LoggedLock: a lock under test that marks in the access log which allocations are its handles.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "harness/stress/explore/world/access_log.h"
#include "harness/stress/litmus/lock_under_test.h"

namespace lockbench::stress::explore {

class LoggedLock final : public LockUnderTest {
 public:
  LoggedLock(std::unique_ptr<LockUnderTest> lock, AccessLog& log)
      : lock_(std::move(lock)), log_(log) {}

  std::unique_ptr<LockHandle> handle(std::uint64_t key) override {
    log_.expect_handle();
    return lock_->handle(key);
  }
  std::unique_ptr<LockHandle> handle_both(std::uint64_t a, std::uint64_t b) override {
    log_.expect_handle();
    return lock_->handle_both(a, b);
  }
  std::uint32_t capacity() const override { return lock_->capacity(); }
  std::optional<std::size_t> keys_kept() const override { return lock_->keys_kept(); }
  const void* object() const override { return lock_->object(); }

 private:
  const std::unique_ptr<LockUnderTest> lock_;
  AccessLog& log_;
};

}  // namespace lockbench::stress::explore
