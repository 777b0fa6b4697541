// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/litmus/readers_order.h"

#include <gtest/gtest.h>

namespace lockbench::stress {
namespace {

constexpr bool kReads = false;
constexpr bool kWrites = true;

TEST(ReadersOrder, LetsReadersPassReadersInEach) {
  for (const auto order : {ReadersOrder::kNone, ReadersOrder::kTaskFair, ReadersOrder::kPhaseFair,
                           ReadersOrder::kWritersFirst}) {
    EXPECT_EQ(may_pass(order, kReads, kReads, false), MayPass::kYes);
  }
}

TEST(ReadersOrder, IsThatOfArrivalWhereItIsTaskFair) {
  EXPECT_EQ(may_pass(ReadersOrder::kTaskFair, kReads, kWrites, false), MayPass::kNo);
  EXPECT_EQ(may_pass(ReadersOrder::kTaskFair, kWrites, kReads, false), MayPass::kNo);
  EXPECT_EQ(may_pass(ReadersOrder::kTaskFair, kWrites, kWrites, false), MayPass::kNo);
}

TEST(ReadersOrder, LetsReadersInAfterEachWriterWhereItIsPhaseFair) {
  EXPECT_EQ(may_pass(ReadersOrder::kPhaseFair, kReads, kWrites, true), MayPass::kYes);
  EXPECT_EQ(may_pass(ReadersOrder::kPhaseFair, kReads, kWrites, false), MayPass::kAfterAWriter);
  EXPECT_EQ(may_pass(ReadersOrder::kPhaseFair, kWrites, kWrites, true), MayPass::kNo);
}

TEST(ReadersOrder, KeepsReadersBehindWritersWhereTheseAreFirst) {
  EXPECT_EQ(may_pass(ReadersOrder::kWritersFirst, kReads, kWrites, true), MayPass::kNo);
  EXPECT_EQ(may_pass(ReadersOrder::kWritersFirst, kWrites, kReads, true), MayPass::kYes);
}

}  // namespace
}  // namespace lockbench::stress
