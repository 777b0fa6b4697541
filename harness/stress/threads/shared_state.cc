// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/shared_state.h"

#include <unistd.h>

namespace lockbench::stress::threads {

void fail(SharedState& state, const FailureRecord& failure) {
  std::uint32_t expected = SharedState::kNot;
  // relaxed, and release: the process that reads it does so after this one has ended.
  if (state.failed.compare_exchange_strong(expected, SharedState::kBeing,
                                           std::memory_order_relaxed)) {
    state.failure = failure;
    state.failed.store(SharedState::kIs, std::memory_order_release);
    _exit(0);
  }
  for (;;) pause();
}

}  // namespace lockbench::stress::threads
