// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/trace/trace_text.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench::stress {
namespace {

using ::testing::ElementsAre;

TEST(TraceText, IsToldInTheOrderOfTime) {
  EXPECT_THAT(trace_text({{3'500, "thread 1", Doing::kHas, "key 0"},
                          {1'000, "thread 0", Doing::kGives, "key 0"},
                          {9'000, "process 2", Doing::kEnded, ""}},
                         1'000),
              ElementsAre("0.0 us, thread 0 gives back key 0", "2.5 us, thread 1 has key 0",
                          "8.0 us, process 2 ends"));
}

TEST(TraceText, TellsTheLastOfWhatIsLong) {
  std::vector<Said> said;
  for (std::uint64_t i = 0; i < 100; ++i)
    said.push_back({i * 1'000, "thread 0", Doing::kWants, "key 0"});
  const std::vector<std::string> lines = trace_text(said, 0);
  EXPECT_EQ(lines.size(), 60U);
  EXPECT_EQ(lines.back(), "99.0 us, thread 0 wants key 0");
}

}  // namespace
}  // namespace lockbench::stress
