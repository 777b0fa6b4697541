// SPDX-License-Identifier: Apache-2.0

// GuardedArray: the objects that the locks of a trial guard, one for each key or lease.
//
// Guarantees   threads of this process use them; if `shared`, children that are forked later do,
// too. Requires     for `shared`: objects that need no destructor and hold no pointers to memory of
// one
//              process. Simulated atomics need one, and simulated threads are no processes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "primitives/platform/shared_array.h"

namespace lockbench {

template <class T>
class GuardedArray {
 public:
  // Not one kind of memory for both: shared memory has small pages and belongs to no node, so the
  // figures of threads would change.
  explicit GuardedArray(std::size_t count, bool shared = false) : count_(count) {
    if (!shared) {
      own_.reset(new T[count]);
      first_ = own_.get();
    } else if constexpr (std::is_trivially_destructible_v<T>) {
      shared_ = std::make_unique<platform::SharedArray<T>>(count);
      first_ = shared_->begin();
    } else {
      throw std::logic_error("these objects cannot be shared by processes");
    }
  }

  T& operator[](std::size_t i) const { return first_[i]; }
  T* data() const { return first_; }
  std::span<const T> all() const { return {first_, count_}; }

 private:
  struct Nothing {};
  using Shared = typename decltype([] {
    if constexpr (std::is_trivially_destructible_v<T>) {
      return std::type_identity<platform::SharedArray<T>>();
    } else {
      return std::type_identity<Nothing>();
    }
  }())::type;

  const std::size_t count_;
  std::unique_ptr<T[]> own_;
  std::unique_ptr<Shared> shared_;
  T* first_ = nullptr;
};

}  // namespace lockbench
