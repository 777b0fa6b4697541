// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/machine/coherence.h"

#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/predict/tests/machine/model_of_four.h"

namespace lockbench::machine {
namespace {

class CoherenceTest : public testing::Test {
 protected:
  explicit CoherenceTest(MachineModel model = model_of_four()) : model_(std::move(model)) {}

  Coherence::Transfer request(std::uint32_t processor, bool writes, Picoseconds arrival) {
    const Coherence::Transfer transfer =
        coherence_.request(line_, {.processor = processor, .writes = writes, .arrival = arrival})
            .value_or(Coherence::Transfer{});
    if (line_.waiting.empty()) coherence_.grant(line_, processor, writes);
    return transfer;
  }
  Coherence::Transfer read(std::uint32_t processor, Picoseconds arrival) {
    return request(processor, false, arrival);
  }
  Coherence::Transfer write(std::uint32_t processor, Picoseconds arrival) {
    return request(processor, true, arrival);
  }
  // The next of those that wait; notes its processor.
  Coherence::Transfer next() {
    const auto [request, transfer] = coherence_.serve_next(line_);
    coherence_.grant(line_, request.processor, request.writes);
    served_.push_back(request.processor);
    return transfer;
  }
  bool has(std::uint32_t processor, bool writes) const {
    return Coherence::has(line_, processor, writes);
  }

  const MachineModel model_;
  const Coherence coherence_{model_};
  Line line_;
  std::vector<std::uint32_t> served_;
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
  write(2, 1020 * kNs);
  EXPECT_EQ(first.begins, 1000 * kNs);
  EXPECT_EQ(first.ends, 1050 * kNs);
  const Coherence::Transfer second = next();
  EXPECT_EQ(second.begins, 1110 * kNs);  // half of the way after the access of the first, which
  EXPECT_EQ(second.ends, 1160 * kNs);    // takes 10 ns
}

TEST_F(CoherenceTest, ARequestThatComesLaterIsNotServedEarlier) {
  write(0, 0);
  write(1, 1000 * kNs);  // its access ends at 1060 ns
  EXPECT_EQ(write(2, 1060 * kNs).begins, 1110 * kNs);
  EXPECT_EQ(write(3, 2000 * kNs).begins, 2000 * kNs);
}

TEST_F(CoherenceTest, ARequestThatWaitedAlreadyIsPassedOnWithTheLine) {
  write(0, 0);
  write(1, 1000 * kNs);
  write(2, 1000 * kNs);
  const Coherence::Transfer second = next();
  EXPECT_EQ(second.begins, 1060 * kNs);  // after one access of the first
  EXPECT_EQ(second.ends, 1160 * kNs);    // the whole way
}

TEST_F(CoherenceTest, ReadersOfASharedLineDoNotFollowEachOther) {
  write(0, 0);
  read(1, 1000 * kNs);  // ends at 1050 ns, and its access at 1051 ns
  read(2, 1020 * kNs);
  const Coherence::Transfer second = next();
  EXPECT_EQ(second.begins, 1051 * kNs);
  EXPECT_EQ(second.ends, 1101 * kNs);
}

TEST_F(CoherenceTest, TheOwnerHasTheLineUntilTheTransferBegins) {
  write(0, 0);
  ASSERT_TRUE(coherence_.request(line_, {.processor = 1, .writes = true, .arrival = 1000 * kNs})
                  .has_value());
  EXPECT_TRUE(has(0, true));
  coherence_.grant(line_, 1, true);
  EXPECT_FALSE(has(0, false));
  EXPECT_TRUE(has(1, true));
}

TEST_F(CoherenceTest, InOneClusterRequestsAreServedAsTheyCome) {
  for (const std::uint32_t processor : {0U, 2U, 1U, 3U}) write(processor, 1000 * kNs + processor);
  for (int i = 0; i < 3; ++i) next();
  EXPECT_THAT(served_, testing::ElementsAre(1, 2, 3));
}

MachineModel model_of_quiet_transfers() {
  MachineModel model = model_of_four();
  model.quiet = 0.6;
  return model;
}

class QuietTest : public CoherenceTest {
 protected:
  QuietTest() : CoherenceTest(model_of_quiet_transfers()) {}
};

TEST_F(QuietTest, ATransferAfterALongTimeIsShorterThanAHandover) {
  write(0, 0);
  EXPECT_EQ(coherence_.distance(line_, 1, true), 100 * kNs);
  EXPECT_EQ(coherence_.quiet_distance(line_, 1, true), 60 * kNs);
  const Coherence::Transfer transfer = write(1, 1000 * kNs);
  EXPECT_EQ(transfer.begins, 1000 * kNs);
  EXPECT_EQ(transfer.ends, 1030 * kNs);  // the second half of 60 ns
  // Its access ends at 1040 ns, and for 50 ns from then on its directory does not know.
  EXPECT_EQ(write(2, 1080 * kNs).ends, 1140 * kNs);
}

TEST_F(QuietTest, ARequestThatWaitedTakesAWholeHandover) {
  write(0, 0);
  write(1, 1000 * kNs);  // its access ends at 1040 ns
  write(2, 1020 * kNs);
  EXPECT_EQ(next().ends, 1140 * kNs);
}

TEST_F(QuietTest, AMemoryIsAsFarAsItWas) {
  EXPECT_EQ(coherence_.quiet_distance(line_, 0, false), 50 * kNs);
}

MachineModel model_whose_reads_take() {
  MachineModel model = model_of_four();
  model.reads_take = true;
  return model;
}

class ReadsTakeTest : public CoherenceTest {
 protected:
  ReadsTakeTest() : CoherenceTest(model_whose_reads_take()) {}
};

TEST_F(ReadsTakeTest, AReadTakesALineThatAnotherHasWritten) {
  write(0, 0);
  read(1, 1000 * kNs);
  EXPECT_TRUE(has(1, true));
  EXPECT_FALSE(has(0, false));
}

TEST_F(ReadsTakeTest, AReadCopiesALineThatItsOwnerHasOnlyRead) {
  write(0, 0);
  read(1, 1000 * kNs);
  read(2, 2000 * kNs);
  EXPECT_TRUE(has(1, false));
  EXPECT_TRUE(has(2, false));
  EXPECT_FALSE(has(2, true));
}

TEST_F(ReadsTakeTest, AnOwnerThatHasReadAndThenWrittenLosesTheLineToAReader) {
  read(0, 0);
  EXPECT_TRUE(Coherence::access(line_, 0, true));
  read(1, 1000 * kNs);
  EXPECT_TRUE(has(1, true));
}

TEST_F(ReadsTakeTest, AnUpdateCopiesFirstWhatAnotherHasOnlyRead) {
  EXPECT_FALSE(coherence_.update_copies_first(line_, 2));  // no cache has it
  write(0, 0);
  EXPECT_FALSE(coherence_.update_copies_first(line_, 2));
  read(1, 1000 * kNs);
  EXPECT_TRUE(coherence_.update_copies_first(line_, 2));
  EXPECT_FALSE(coherence_.update_copies_first(line_, 1));
  read(2, 2000 * kNs);
  EXPECT_FALSE(coherence_.update_copies_first(line_, 2));  // it has a copy
}

// Processors 0 and 1 are one cluster, 2 and 3 the other.
TEST(Clusters, RequestsOfTheClusterThatHasTheLineAreServedFirst) {
  MachineModel model = model_of_four();
  model.clusters_per_socket = 2;
  model.cores_per_cluster = 2;
  const Coherence coherence(model);
  Line line;
  const auto write = [&](std::uint32_t processor, Picoseconds arrival) {
    const Request request{.processor = processor, .writes = true, .arrival = arrival};
    if (coherence.request(line, request)) coherence.grant(line, processor, true);
  };
  write(0, 1000 * kNs);
  write(2, 1001 * kNs);
  write(1, 1002 * kNs);
  write(3, 1003 * kNs);
  std::vector<std::uint32_t> served;
  while (!line.waiting.empty()) {
    const Request request = coherence.serve_next(line).first;
    coherence.grant(line, request.processor, true);
    served.push_back(request.processor);
  }
  // 2 came first. The line is then in its cluster, to which the request of 1 has half a latency to
  // go, and that of 3 is there.
  EXPECT_THAT(served, testing::ElementsAre(2, 3, 1));
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
