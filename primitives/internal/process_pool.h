// SPDX-License-Identifier: Apache-2.0

// ProcessPool: things that threads of this process use by turns and a child of it must not.
//
// Guarantees   a thing is one thread's at a time; after a fork() the child starts with none, and
//              the parent's are left as they are.
// Requires     no fork() while another thread is in here.
#pragma once

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "primitives/futex_mutex.h"
#include "primitives/platform/process.h"

namespace lockbench::internal {

template <class T>
class ProcessPool {
 public:
  // Absent when all are in use, or there never was one.
  std::optional<T> take() {
    std::scoped_lock guard(mutex_);
    const platform::ProcessId self = platform::this_process();
    if (self != process_) idle_.clear();
    process_ = self;
    if (idle_.empty()) return std::nullopt;
    std::optional<T> taken(std::move(idle_.back()));
    idle_.pop_back();
    return taken;
  }

  // What take() returned in this process, or what was made instead.
  void give(T thing) {
    std::scoped_lock guard(mutex_);
    idle_.push_back(std::move(thing));
  }

 private:
  FutexMutex mutex_;
  platform::ProcessId process_ = 0;
  std::vector<T> idle_;
};

}  // namespace lockbench::internal
