// SPDX-License-Identifier: Apache-2.0

#include "harness/machine/coherence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/machine/model_of_four.h"

namespace lockbench::machine {
namespace {

class CoherenceTest : public testing::Test {
 protected:
  Coherence::Transfer request(std::uint32_t processor, bool writes, Picoseconds arrival) {
    const Coherence::Transfer transfer = coherence_.reserve(line_, processor, writes, arrival);
    Coherence::grant(line_, processor, writes);
    return transfer;
  }
  Coherence::Transfer read(std::uint32_t processor, Picoseconds arrival) {
    return request(processor, false, arrival);
  }
  Coherence::Transfer write(std::uint32_t processor, Picoseconds arrival) {
    return request(processor, true, arrival);
  }
  bool has(std::uint32_t processor, bool writes) const {
    return Coherence::has(line_, processor, writes);
  }

  const MachineModel model_ = model_of_four();
  const Coherence coherence_{model_};
  Line line_;
};

TEST_F(CoherenceTest, ALineThatNoCacheHasComesFromMemoryAndBelongsToItsReader) {
  EXPECT_EQ(coherence_.distance(line_, 0, false), 50 * kNs);
  const Coherence::Transfer transfer = read(0, 25 * kNs);
  EXPECT_EQ(transfer.begins, 25 * kNs);
  EXPECT_EQ(transfer.ends, 50 * kNs);
  EXPECT_TRUE(has(0, true));
  EXPECT_FALSE(has(1, false));
}

TEST_F(CoherenceTest, AReadLeavesAShareToTheFormerOwner) {
  write(0, 0);
  EXPECT_EQ(coherence_.distance(line_, 1, false), 100 * kNs);
  read(1, 1000 * kNs);
  EXPECT_TRUE(has(0, false));
  EXPECT_TRUE(has(1, false));
  EXPECT_FALSE(has(0, true));
  EXPECT_FALSE(has(1, true));
}

TEST_F(CoherenceTest, AWriteTakesTheLineFromAllOthers) {
  read(0, 0);
  read(1, 1000 * kNs);
  write(2, 2000 * kNs);
  EXPECT_TRUE(has(2, true));
  EXPECT_FALSE(has(0, false));
  EXPECT_FALSE(has(1, false));
}

TEST_F(CoherenceTest, TheOnlySharerWritesWithoutATransfer) {
  line_.sharers.add(3);
  EXPECT_EQ(coherence_.distance(line_, 3, true), 0);
}

TEST_F(CoherenceTest, AWriteWaitsForTheFarthestSharerAndAReadForTheNearest) {
  MachineModel model = model_of_four();
  model.latency[2 * 4 + 1] = model.latency[1 * 4 + 2] = 30 * kNs;
  const Coherence coherence(model);
  line_.sharers.add(0);
  line_.sharers.add(1);
  EXPECT_EQ(coherence.distance(line_, 2, false), 30 * kNs);
  EXPECT_EQ(coherence.distance(line_, 2, true), 100 * kNs);
}

TEST_F(CoherenceTest, ARequestForALineThatIsUnderWayFollowsIt) {
  write(0, 0);  // from memory: ends at 25 ns, and its access at 35 ns
  const Coherence::Transfer first = write(1, 1000 * kNs);
  const Coherence::Transfer second = write(2, 1000 * kNs);
  EXPECT_EQ(first.begins, 1000 * kNs);
  EXPECT_EQ(first.ends, 1050 * kNs);
  EXPECT_EQ(second.begins, 1110 * kNs);  // half of the way after the access of the first, which
  EXPECT_EQ(second.ends, 1160 * kNs);    // takes 10 ns
}

TEST_F(CoherenceTest, ReadersOfASharedLineDoNotFollowEachOther) {
  write(0, 0);
  read(1, 1000 * kNs);  // ends at 1050 ns, and its access at 1051 ns
  const Coherence::Transfer second = read(2, 1000 * kNs);
  EXPECT_EQ(second.begins, 1051 * kNs);
  EXPECT_EQ(second.ends, 1101 * kNs);
}

TEST_F(CoherenceTest, TheOwnerHasTheLineUntilTheTransferBegins) {
  write(0, 0);
  coherence_.reserve(line_, 1, true, 1000 * kNs);
  EXPECT_TRUE(has(0, true));
  Coherence::grant(line_, 1, true);
  EXPECT_FALSE(has(0, false));
  EXPECT_TRUE(has(1, true));
}

TEST(ProcessorSet, VisitsItsMembersInOrder) {
  ProcessorSet set;
  EXPECT_TRUE(set.empty());
  for (const std::uint32_t processor : {511U, 0U, 64U, 63U}) set.add(processor);
  std::vector<std::uint32_t> seen;
  set.for_each([&seen](std::uint32_t processor) { seen.push_back(processor); });
  EXPECT_THAT(seen, testing::ElementsAre(0, 63, 64, 511));
  EXPECT_FALSE(set.has(1));
}

}  // namespace
}  // namespace lockbench::machine
