// SPDX-License-Identifier: Apache-2.0

// InScratchFolder: a lock of files in a folder of its own, which is removed with the lock.
#pragma once

#include <cstddef>
#include <cstdint>

#include "primitives/concepts.h"
#include "primitives/platform/scratch_folder.h"

namespace lockbench {

template <class P>
class InScratchFolder {
 public:
  static constexpr Promises kPromises = P::kPromises;

  template <class... Arguments>
  explicit InScratchFolder(Arguments... arguments) : lock_(folder_.path(), arguments...) {}

  template <Key K>
  auto handle(K key) {
    return lock_.handle(key);
  }
  template <Key K>
  auto handle_both(K a, K b) requires PairLock<P, K> {
    return lock_.handle_both(a, b);
  }

  static constexpr std::uint32_t capacity() { return P::capacity(); }
  std::size_t lock_bytes() const { return lock_.lock_bytes(); }

 private:
  const platform::ScratchFolder folder_;
  P lock_;
};

}  // namespace lockbench
