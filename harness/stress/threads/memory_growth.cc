// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/memory_growth.h"

#include <chrono>
#include <cstdint>
#include <malloc.h>
#include <memory>

namespace lockbench::stress::threads {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kHolds = 20'000;
// Fewer holds show nothing, so a lock that is this slow is not checked.
constexpr std::uint32_t kLeastHolds = 4'000;
constexpr std::chrono::milliseconds kMost{20};

std::uint64_t bytes_in_use() {
  const auto heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

// Returns the number of holds.
std::uint32_t hold_repeatedly(EpochContext& context, std::uint64_t first_key, bool new_keys) {
  const Clock::time_point until = Clock::now() + kMost;
  std::uint32_t holds = 0;
  for (; holds < kHolds && Clock::now() < until; ++holds) {
    const std::unique_ptr<LockHandle> handle =
        context.lock.handle(new_keys ? first_key + holds : 0);
    handle->lock();
    handle->unlock();
  }
  add(context.state.beat);
  return holds;
}

}  // namespace

void check_memory_growth(EpochContext& context) {
  const Abilities& abilities = context.entry.abilities;
  const bool new_keys =
      abilities.reclaims && abilities.any_key && context.plan.program.key_set == 0;
  if (hold_repeatedly(context, kHolds, new_keys) < kLeastHolds) return;
  const std::uint64_t before = bytes_in_use();
  const std::uint32_t holds = hold_repeatedly(context, 2 * kHolds, new_keys);
  const std::uint64_t after = bytes_in_use();
  if (holds < kLeastHolds) return;
  check(context.state, kOwnSlot,
        HeapGrowth{.holds = holds, .bytes = after > before ? after - before : 0});
}

}  // namespace lockbench::stress::threads
