// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/command/observed_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/command/advise/question.h"
#include "harness/bench/plan/spelling.h"

namespace lockbench {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

RecordedPlace place_with(std::optional<double> writes, std::uint64_t recursions = 0) {
  Sweep sweep{.workloads = {{.name = writes ? "read_mostly" : "counter", .scenario = {}}},
              .threads = {4},
              .keys = {8},
              .key_distributions = {parse_key_distribution("zipf:0.5").value()},
              .holds = {parse_work("mix:1us/3us").value()},
              .thinks = {parse_work("10us").value()}};
  if (writes) sweep.write_shares = {*writes};
  RecordedPlace place{.name = "demo.c:24", .acquisitions = 1000, .recursions = recursions};
  place.preset.sweeps = {sweep};
  return place;
}

TEST(ObservedCase, AMutexIsMeasuredAsOne) {
  const ObservedCase found = case_of(place_with({}));
  EXPECT_EQ(found.wanted.kind, QuestionKind::kMutex);
  EXPECT_EQ(to_text(found.wanted.cell.workload), "counter");
  EXPECT_EQ(to_text(*found.wanted.think), "10us");
  EXPECT_THAT(found.differences, IsEmpty());
}

TEST(ObservedCase, ARwlockIsMeasuredAsReadersAndWriters) {
  const ObservedCase found = case_of(place_with(0.1));
  EXPECT_EQ(found.wanted.kind, QuestionKind::kReaders);
  EXPECT_EQ(found.wanted.cell.write_share, 0.1);
  EXPECT_THAT(candidates_for(found.wanted),
              Contains(PrimitiveSpec{.name = "keyed_shared", .parameters = {}}));
  EXPECT_THAT(found.differences, Contains(HasSubstr("drawn from those of both together")));
}

TEST(ObservedCase, WritesThatAreTooRareAreSaid) {
  const ObservedCase rare = case_of(place_with(1e-5));
  EXPECT_EQ(rare.wanted.cell.write_share, kLeastWriteShare);
  EXPECT_THAT(rare.differences, Contains(HasSubstr("0.001 % of the operations write")));
  const ObservedCase none = case_of(place_with(0.0));
  EXPECT_EQ(none.wanted.cell.write_share, 0);
  EXPECT_THAT(none.differences, Contains(HasSubstr("nothing was written")));
}

TEST(ObservedCase, ARecursivePlaceIsNestedAtTheNearestDepth) {
  struct Row {
    std::uint64_t recursions;  // beside 1000 other acquisitions
    std::string workload;
    std::string hold;
    std::string think;
  };
  for (const Row& row :
       {// The five sections of an operation: two fifths of each observed hold, and two thinks.
        Row{1500, "nested:mixed_lock_unlock", "mix:400ns/1.2us", "20us"},
        Row{9000, "nested:reentrant_lock_unlock", "mix:200ns/600ns", "10us"},
        Row{100, "counter", "mix:1us/3us", "10us"}}) {
    const ObservedCase found = case_of(place_with({}, row.recursions));
    EXPECT_EQ(to_text(found.wanted.cell.workload), row.workload);
    EXPECT_EQ(to_text(found.wanted.cell.hold), row.hold) << row.workload;
    EXPECT_EQ(to_text(*found.wanted.think), row.think) << row.workload;
  }
  const ObservedCase nested = case_of(place_with({}, 1500));
  EXPECT_EQ(nested.wanted.kind, QuestionKind::kNested);
  EXPECT_EQ(nested.wanted.cell.keys, 1u);
  EXPECT_EQ(nested.wanted.cell.key_distribution, KeyDistribution{});
  EXPECT_THAT(nested.differences, Contains(HasSubstr("8 locks; measured with one")));
}

TEST(ObservedCase, TriesThatFailedAreSaid) {
  RecordedPlace place = place_with({});
  place.failed_tries = 7;
  EXPECT_THAT(case_of(place).differences, Contains(HasSubstr("7 tries failed")));
}

}  // namespace
}  // namespace lockbench
