// SPDX-License-Identifier: Apache-2.0

// How many executions the exhaustive search makes of tiny programs. Every order of steps that
// matter is among them; and the exact numbers are held fast, so that nobody makes the search leave
// something out, or do it twice, without noticing.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/stress/explore/weak_program.h"

namespace lockbench::stress::explore {
namespace {

// There are (n k)! / (k!)^n orders of n threads with k steps each on one word.
TEST(Executions, ShowEveryOrderOfStepsThatMatter) {
  for (const MemoryModel memory_model : {MemoryModel::kSequential, MemoryModel::kTso}) {
    const auto orders = [&](const char* program) {
      return explored(weak_program_from(program), memory_model, kUnbounded).outcomes.size();
    };
    EXPECT_EQ(orders("x+1.rlx | x+1.rlx"), 2U);
    EXPECT_EQ(orders("x+1.rlx | x+1.rlx | x+1.rlx"), 6U);
    EXPECT_EQ(orders("x+1.rlx | x+1.rlx | x+1.rlx | x+1.rlx"), 24U);
    EXPECT_EQ(orders("x+1.rlx x+1.rlx | x+1.rlx x+1.rlx"), 6U);
    EXPECT_EQ(orders("x+1.rlx x+1.rlx | x+1.rlx x+1.rlx | x+1.rlx x+1.rlx"), 90U);
  }
}

// More than there are orders: two that differ only in what nobody can see are one state, but where
// nothing is left to decide both come to their end.
TEST(Executions, AreAsManyAsTheyWere) {
  using Numbers = std::vector<std::uint64_t>;  // with no preemption, 1, 2, 3 and any number
  const auto numbers = [](MemoryModel memory_model, const char* program) {
    Numbers finished;
    for (const std::uint32_t bound : {0U, 1U, 2U, 3U, kUnbounded}) {
      finished.push_back(explored(weak_program_from(program), memory_model, bound).finished);
    }
    return finished;
  };
  constexpr MemoryModel kSequential = MemoryModel::kSequential;
  constexpr MemoryModel kTso = MemoryModel::kTso;
  EXPECT_EQ(numbers(kSequential, "x.rlx | x.rlx"), (Numbers{3, 5, 5, 5, 5}));
  EXPECT_EQ(numbers(kTso, "x.rlx | x.rlx"), (Numbers{3, 5, 5, 5, 5}));
  EXPECT_EQ(numbers(kSequential, "x=1.rlx | x=1.rlx"), (Numbers{3, 5, 5, 5, 5}));
  EXPECT_EQ(numbers(kTso, "x=1.rlx | x=1.rlx"), (Numbers{3, 11, 18, 18, 18}));
  EXPECT_EQ(numbers(kTso, "x=1.rlx | y=1.rlx"), (Numbers{3, 7, 10, 10, 10}));
  EXPECT_EQ(numbers(kTso, "x=1.rlx | x.rlx"), (Numbers{3, 6, 8, 8, 8}));
  EXPECT_EQ(numbers(kSequential, "x=1.rlx y.rlx | y=1.rlx x.rlx"), (Numbers{3, 9, 13, 14, 14}));
  EXPECT_EQ(numbers(kTso, "x=1.rlx y.rlx | y=1.rlx x.rlx"), (Numbers{3, 24, 50, 55, 55}));
  EXPECT_EQ(numbers(kTso, "x+1.rlx | x+1.rlx | x+1.rlx"), (Numbers{13, 27, 32, 32, 32}));
  EXPECT_EQ(numbers(kTso, "x+1.rlx x+1.rlx | x+1.rlx x+1.rlx"), (Numbers{3, 9, 15, 16, 16}));
}

}  // namespace
}  // namespace lockbench::stress::explore
