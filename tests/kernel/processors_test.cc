// SPDX-License-Identifier: Apache-2.0

#include "harness/kernel/processors.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

using Numbers = std::vector<int>;

// A kernel with `possible` processors, which refuses smaller sets.
internal::AskProcessors kernel_of(std::size_t possible, const Numbers& allowed) {
  return [=](std::size_t bytes, cpu_set_t* set) {
    if (bytes * 8 < possible) return EINVAL;
    const ProcessorMask mask(allowed);
    std::memcpy(set, mask.get(), std::min(bytes, mask.bytes()));
    return 0;
  };
}

TEST(Processors, AKernelMayHaveMoreThanTheCLibrarysSetHolds) {
  const Numbers allowed{0, 63, 64, 1023, 1024, 5000};
  for (const std::size_t possible : {5001, 8192, 65536}) {
    Numbers found;
    EXPECT_EQ(internal::ask_processors(kernel_of(possible, allowed), found), 0);
    EXPECT_EQ(found, allowed);
  }
}

TEST(Processors, AKernelThatRefusesEachSetIsAskedNoLonger) {
  int asked = 0;
  Numbers found;
  const auto refusing = [&asked](std::size_t, cpu_set_t*) { return ++asked, EINVAL; };
  EXPECT_EQ(internal::ask_processors(refusing, found), EINVAL);
  EXPECT_LT(asked, 20);
  asked = 0;
  const auto forbidden = [&asked](std::size_t, cpu_set_t*) { return ++asked, EPERM; };
  EXPECT_EQ(internal::ask_processors(forbidden, found), EPERM);
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(found.empty());
}

TEST(Processors, AMaskHoldsAnyNumber) {
  const ProcessorMask mask({3, 5000});
  EXPECT_GE(mask.bytes() * 8, 5001u);
  EXPECT_TRUE(CPU_ISSET_S(5000, mask.bytes(), mask.get()));
  EXPECT_EQ(CPU_COUNT_S(mask.bytes(), mask.get()), 2);
  EXPECT_EQ(ProcessorMask({}).bytes(), sizeof(cpu_set_t));
}

TEST(Processors, TheStatusOfATaskListsThem) {
  EXPECT_EQ(internal::processors_in_status("Name:\tx\nCpus_allowed:\tf\nCpus_allowed_list:\t0-2,"
                                           "1500\nMems_allowed:\t1"),
            (Numbers{0, 1, 2, 1500}));
  for (const char* const without : {"", "\nCpus_allowed_list:", "\nCpus_allowed_list:\tall"}) {
    EXPECT_EQ(internal::processors_in_status(without), Numbers{}) << without;
  }
}

TEST(ProcessorLists, AreReadAndWritten) {
  for (const auto& [text, numbers] : {std::pair<const char*, Numbers>{"0", {0}},
                                      {"0-3,6", {0, 1, 2, 3, 6}},
                                      {"2,0-1,0", {2, 0, 1, 0}},
                                      {"1,3-4,1048575", {1, 3, 4, 1048575}}}) {
    EXPECT_EQ(parse_processor_list(text), numbers) << text;
    EXPECT_EQ(processor_list(numbers), text);
  }
  EXPECT_EQ(parse_processor_list("2,0,0"), (Numbers{2, 0, 0}));
  EXPECT_EQ(processor_list({}), "");
  for (const char* const wrong : {"", "3-1", "x", "0-", "0,,2", "-1", "0-1048576"}) {
    EXPECT_EQ(parse_processor_list(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace lockbench
