// SPDX-License-Identifier: Apache-2.0

// ProcessPool: objects that the threads of a process take turns to use, and its children do not.
//
// Guarantees   one thread at a time has an object. After a fork() the child starts with none and
//              does not touch the parent's.
// Requires     no fork() while another thread is inside a call.
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
  // Absent if all are in use or none was made.
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

  // Returns an object of take(), or adds a new one, in this process.
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
