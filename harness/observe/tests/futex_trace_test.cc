// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/attach/futex_trace.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// As bpftrace 0.17 printed it, shortened.
constexpr char kPrinted[] = R"(Attaching 6 probes...
begin 3005584877964
stack 12259 0 560d370c00e0 7f0d31ca412b 7f0d30c1ae58 0
words 12259 7f0d31caa482 0 560d370c00e0
left 12258 3005584900000
words 12259 7f0d31ed44a3 0 7f0d30c1b6c0
stack 12260 128 560d370c00e8 7f0d31ca412b 7f0d2fffee58 7f0d2fffee90
wait 12259 0 560d370c00e0 3005585000000 3005585140390
wait 12260 9 560d370c00e0 3005585000000 3005585000001
Lost 17 events
wait 12259 0 560d3
end 3006829271868

@over: 1

@at[12259]: 94614758097120
@at[12260]: 94614758097128
@operation[12259]: 0
@since[12259]: 3006829000000
@wakes[94614758097120, 12258]: 9189
@wakes[0x560d370c00e0, 12256]: 9337
)";

TEST(FutexTrace, HasTheWindowItsWaitsAndWhoWakes) {
  const FutexTrace trace = read_futex_trace(kPrinted);
  EXPECT_EQ(trace.begin_ns, 3005584877964U);
  EXPECT_EQ(trace.end_ns, 3006829271868U);
  ASSERT_EQ(trace.waits.size(), 2U);
  EXPECT_EQ(trace.waits[0].thread, 12259U);
  EXPECT_EQ(trace.waits[0].address, 0x560d370c00e0U);
  EXPECT_EQ(trace.waits[0].end_ns - trace.waits[0].begin_ns, 140390U);
  EXPECT_EQ(trace.waits[1].operation, 9U);
  EXPECT_EQ(trace.wakes.at({0x560d370c00e0, 12258}), 9189U);
  EXPECT_EQ(trace.wakes.at({0x560d370c00e0, 12256}), 9337U);
  EXPECT_EQ(trace.left_ns.at(12258), 3005584900000U);
  EXPECT_EQ(trace.lost, 17U);
}

TEST(FutexTrace, AStackBelongsToTheWaitsOfItsThreadAtItsAddress) {
  const FutexTrace trace = read_futex_trace(kPrinted);
  ASSERT_EQ(trace.stacks.size(), 2U);
  EXPECT_THAT(trace.stacks[0].stack.words,
              ElementsAre(0x7f0d31caa482, 0, 0x560d370c00e0, 0x7f0d31ed44a3, 0, 0x7f0d30c1b6c0));
  EXPECT_EQ(trace.stacks[1].stack.frame_pointer, 0x7f0d2fffee90U);
  EXPECT_EQ(trace.waits[0].stack, 0U);
  EXPECT_EQ(trace.waits[1].stack, FutexWait::kNoStack);
}

TEST(FutexTrace, AnOpenWaitHasItsAddressAndItsBegin) {
  const FutexTrace trace = read_futex_trace(kPrinted);
  ASSERT_EQ(trace.open.size(), 1U);  // of 12260, the begin is missing
  EXPECT_EQ(trace.open.at(12259).address, 0x560d370c00e0U);
  EXPECT_EQ(trace.open.at(12259).begin_ns, 3006829000000U);
  EXPECT_EQ(trace.open.at(12259).stack, 0U);
}

TEST(FutexTrace, WhatIsNoReportIsLeftOut) {
  const FutexTrace trace = read_futex_trace(
      "wait\nwait x\nwait 1 0 zz 5 6\nwait 1 0 a 6 5\nwords 3 4\nstack 1\nleft 1\n@wakes[1]\n"
      "@wakes[, ]: 3\n@\nbegin\nERROR: no\n");
  EXPECT_EQ(trace.begin_ns, 0U);
  EXPECT_TRUE(trace.waits.empty() && trace.stacks.empty() && trace.open.empty());
}

TEST(FutexTraceProgram, NamesTheProcessAndTheTime) {
  const std::string program = futex_trace_program(4711, std::chrono::milliseconds(250));
  EXPECT_THAT(program, HasSubstr("/pid == 4711 && !@over/"));
  EXPECT_THAT(program, HasSubstr("interval:ms:250 "));
  EXPECT_THAT(program, HasSubstr("uptr($from + 88)"));
}

}  // namespace
}  // namespace lockbench
