// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/calls/library_orders.h"

#include <thread>

#include <absl/container/flat_hash_map.h>

#include "harness/stress/explore/world/world.h"
#include "harness/symbols/source_places.h"

namespace lockbench::stress::explore {
namespace {

constexpr char kSharedPointers[] = "bits/shared_ptr_atomic.h";

bool is_in_shared_pointers(const void* return_address) {
  static auto& lines = *new SourceLines();
  static auto& known = *new absl::flat_hash_map<const void*, bool>();
  const auto [found, is_new] = known.try_emplace(return_address, false);
  if (!is_new) return found->second;
  // Needs more stack than a simulated thread has.
  std::thread([&] { found->second = lines.comes_from(return_address, kSharedPointers); }).join();
  return found->second;
}

}  // namespace

std::memory_order order_of_library(const void* return_address, std::memory_order own) {
  const bool releases = own != std::memory_order_relaxed && own != std::memory_order_acquire &&
                        own != std::memory_order_consume;
  World* const world = World::of_program();
  if (releases || world == nullptr) return own;
  const World::UntrackedScope untracked(*world);
  if (!is_in_shared_pointers(return_address)) return own;
  return own == std::memory_order_relaxed ? std::memory_order_release : std::memory_order_acq_rel;
}

}  // namespace lockbench::stress::explore
