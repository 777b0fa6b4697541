// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/processor_use.h"

#include <gtest/gtest.h>

#include "harness/kernel/processors.h"

namespace lockbench {
namespace {

TEST(ProcessorUse, CountsTheProcessorsAskedForAndNothingTwice) {
  //                user nice system idle iowait irq softirq steal guest guest_nice
  const char* const text =
      "cpu  10 5 0 0 0 0 0 0 0 0\n"
      "cpu0 10 1 2 100 20 3 4 5 10 1\n"
      "cpu1 1000 0 0 0 0 0 0 0 0 0\n"
      "cpu10 7 0 0 1 0 0 0 0 0 0\n"
      "intr 5 5 5\n";
  EXPECT_EQ(internal::use_since_boot(text, {0}),
            (ProcessorUse{.all = 145, .busy = 20, .stolen = 5}));
  EXPECT_EQ(internal::use_since_boot(text, {0, 10}),
            (ProcessorUse{.all = 153, .busy = 27, .stolen = 5}));
  EXPECT_EQ(internal::use_since_boot("", {0}), ProcessorUse{});
}

TEST(ProcessorUse, ACountThatWentBackIsNone) {
  EXPECT_EQ(use_between({.all = 10, .busy = 5, .stolen = 3}, {.all = 30, .busy = 9, .stolen = 2}),
            (ProcessorUse{.all = 20, .busy = 4, .stolen = 0}));
}

TEST(ProcessorUse, OfThisMachineOnlyGrows) {
  const std::vector<int> processors = allowed_processor_numbers();
  const std::optional<ProcessorUse> before = ProcessorUse::now(processors);
  const std::optional<ProcessorUse> after = ProcessorUse::now(processors);
  ASSERT_TRUE(before && after);
  EXPECT_GE(after->all, before->all);
}

}  // namespace
}  // namespace lockbench
