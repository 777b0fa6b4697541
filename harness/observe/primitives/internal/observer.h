// SPDX-License-Identifier: Apache-2.0

// Observer: how a lock of the program's own tells liblockbench_observe.so what happens.
#pragma once

#include <cstdint>

namespace lockbench::internal {

// The interface that liblockbench_observe.so offers under the name lockbench_observer. Members are
// only added.
struct Observer {
  struct Wait {
    std::uint64_t since;
    void* place;
  };

  void (*acquired)(const void* lock, const void* caller);
  Wait (*wait_begins)(const void* lock, const void* caller);
  void (*wait_ends)(const void* lock, const void* caller, Wait wait);
  void (*try_failed)(const void* lock);
  void (*released)(const void* lock);
  void (*ended)(const void* lock);
  // Around each call of the lock's own members: what they wait for is the lock.
  void (*enters)(const void* lock);
  void (*leaves)();
};

}  // namespace lockbench::internal
