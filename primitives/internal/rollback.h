// SPDX-License-Identifier: Apache-2.0

// Rollback: undoes the first steps of something that a later step did not complete. As a catch
// block that rethrows, and available without exceptions, too.
#pragma once

#include <utility>

namespace lockbench::internal {

// Calls `undo()` at the end of its scope, unless complete() was called.
template <class Undo>
class Rollback {
 public:
  explicit Rollback(Undo undo) : undo_(std::move(undo)) {}
  Rollback(const Rollback&) = delete;
  Rollback& operator=(const Rollback&) = delete;
  ~Rollback() {
    if (!complete_) undo_();
  }

  void complete() noexcept { complete_ = true; }

 private:
  const Undo undo_;
  bool complete_ = false;
};

}  // namespace lockbench::internal
