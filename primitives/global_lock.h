// SPDX-License-Identifier: Apache-2.0

// GlobalLock: one base lock for all keys.
//
// Guarantees   mutual exclusion between threads, whatever their keys; what the base lock promises.
// Not offered  parallel holds of two keys: it is measured to show the cost of this.
// fork()       not while a thread holds or waits for the lock, if the child uses it.
// Cost         the base lock's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "primitives/adaptive_mutex.h"
#include "primitives/concepts.h"
#include "primitives/internal/claim.h"
#include "primitives/platform/layout.h"

namespace lockbench {

template <BaseLock Base = AdaptiveMutex>
class GlobalLock {
 public:
  static constexpr Promises kPromises{.one_lock = true, .timed = TimedLockable<Base>};

  using Handle = internal::Claim<Base>;

  Handle handle(std::uint64_t) { return Handle(base_); }
  Handle handle(std::string_view) { return Handle(base_); }

  // Both keys have the one lock, which is taken once.
  template <Key K>
  Handle handle_both(K, K) {
    return Handle(base_);
  }

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  alignas(platform::kCacheLine) Base base_;
};

}  // namespace lockbench
