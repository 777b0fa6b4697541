// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/memory/arena.h"

#include <gtest/gtest.h>

namespace lockbench::stress::explore {
namespace {

constexpr std::size_t kBytes = 40;
constexpr std::size_t kAlignment = 16;

TEST(Arena, DoesNotUseFreedMemoryAgain) {
  Arena arena;
  void* const first = arena.allocate(kBytes, kAlignment);
  EXPECT_TRUE(arena.release(first));
  EXPECT_NE(arena.allocate(kBytes, kAlignment), first);
}

TEST(Arena, UsesWhatIsFreedMeanwhileAgainForTheSameSize) {
  Arena arena;
  void* const before = arena.allocate(kBytes, kAlignment);
  void* const first = arena.allocate(kBytes, kAlignment);
  void* const second = arena.allocate(kBytes, kAlignment);
  arena.release(before);
  arena.reuse(true);
  arena.release(first);
  arena.release(second);
  EXPECT_NE(arena.allocate(2 * kBytes, kAlignment), first);
  EXPECT_EQ(arena.allocate(kBytes, kAlignment), first);
  EXPECT_FALSE(arena.freed(first));
  EXPECT_TRUE(arena.freed(second));
  arena.reuse(false);
  EXPECT_NE(arena.allocate(kBytes, kAlignment), second);
}

}  // namespace
}  // namespace lockbench::stress::explore
