// SPDX-License-Identifier: Apache-2.0

// FileOwner: the text that names an owner, and the judgement whether it lives.
#include "primitives/internal/file_owner.h"

#include <atomic>
#include <cstdint>

#include <gtest/gtest.h>

#include "tests/file_lock/processes.h"

namespace lockbench::internal {
namespace {

const ProcessWorld kHere{.boot = "9f00", .pid_namespace = 10, .time_namespace = 20};
const FileOwner kOwner{.process = 1234, .started = 567, .claim = 3, .world = kHere};

Sighting running() {
  return {.facts = platform::ProcessFacts{.started = 567, .state = 'S', .threads = 1}};
}

Life judged(const Sighting& seen, const FileOwner& owner = kOwner, bool local = true) {
  return outcome_of(owner, kHere, local, seen);
}

TEST(FileOwner, IsReadBackFromItsText) {
  EXPECT_EQ(to_text(kOwner), "1234:567:3:9f00:10:20");
  EXPECT_EQ(parse_file_owner(to_text(kOwner)), kOwner);
  FileOwner proves = kOwner;
  proves.life = LifeProof{.file = 30, .byte = 40};
  EXPECT_EQ(to_text(proves), "1234:567:3:9f00:10:20:30:40");
  EXPECT_EQ(parse_file_owner(to_text(proves)), proves);
}

TEST(FileOwner, OfAnybodyElsesTextIsNone) {
  for (const char* text : {"", "1234", "1234:567:3:9f00:10", "1234:567:3:9f00:10:20:30",
                           "1234:567:3:9f00:10:20:30:40:50", "1234:567:3:9f00:10:20:30:",
                           "x:567:3:9f00:10:20", "1234:-5:3:9f00:10:20", "1234:567:3:9f00::20"}) {
    EXPECT_FALSE(parse_file_owner(text)) << text;
  }
}

TEST(FileOwner, LivesAsLongAsAThreadOfItsProcessDoes) {
  struct {
    std::uint64_t started;
    char state;
    std::uint32_t threads;
    Life expected;
  } const rows[] = {
      {567, 'S', 1, Life::kAlive},  // sleeps
      {567, 'T', 1, Life::kAlive},  // stopped
      {567, 'Z', 1, Life::kDead},   // ended, and nobody has collected it
      {567, 'Z', 2, Life::kAlive},  // only its first thread has ended
      {568, 'S', 1, Life::kDead},   // its number is a later process's
  };
  for (const auto& row : rows) {
    const platform::ProcessFacts facts{
        .started = row.started, .state = row.state, .threads = row.threads};
    EXPECT_EQ(judged({.facts = facts}), row.expected) << row.state << row.threads;
  }
  EXPECT_EQ(judged({.exists = false}), Life::kDead);
  EXPECT_EQ(judged({.exists = true}), Life::kUnknown) << "nothing of it can be seen";
}

// A later container may have the number of the namespace of an earlier one, and its process 1.
TEST(FileOwner, IsDeadWhenItsNumberInASmallNamespaceIsALaterProcesss) {
  FileOwner first = kOwner;
  first.process = 1;
  Sighting later = running();
  later.facts->started = 5678;
  EXPECT_EQ(judged(later, first), Life::kDead);
}

TEST(FileOwner, OfAnotherNamespaceNothingIsKnownWhateverItsNumberIsHere) {
  FileOwner contained = kOwner;
  contained.world.pid_namespace = 11;
  EXPECT_EQ(judged({.exists = false}, contained), Life::kUnknown);
  FileOwner shifted = kOwner;
  shifted.world.time_namespace = 21;
  EXPECT_EQ(judged({.exists = false}, shifted), Life::kUnknown);
}

TEST(FileOwner, OfAnotherBootIsDeadOnlyWhereNoOtherMachineCanBe) {
  FileOwner earlier = kOwner;
  earlier.world.boot = "8e00";
  EXPECT_EQ(judged(running(), earlier, true), Life::kDead);
  EXPECT_EQ(judged(running(), earlier, false), Life::kUnknown);
}

TEST(ProcessFacts, AreReadBehindANameThatHoldsAnything) {
  const auto facts = platform::parse_process_facts(
      "42 (a) Z 1 (b) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 1999 20 21");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->state, 'R');
  EXPECT_EQ(facts->threads, 17u);
  EXPECT_EQ(facts->started, 1999u);
  EXPECT_FALSE(platform::parse_process_facts("42 (a"));
  EXPECT_FALSE(platform::parse_process_facts("42 (a) R 1 2"));
}

// An owner writes down what it was told of itself, and is judged by what others are told of it. The
// clock of processes ticks every 10 ms: the child is not started in its parent's tick.
TEST(ProcessFacts, AreTheSameToAProcessAndToOthers) {
  const SharedWithChildren<std::atomic<std::uint64_t>> told;
  const auto own = platform::process_facts(platform::this_process());
  ASSERT_TRUE(own);
  pid_t child = 0;
  std::uint64_t seen = own->started;
  while (seen == own->started) {
    if (child != 0) kill_process(child);
    told->store(0);
    child = start_process([&] {
      const auto facts = platform::process_facts(platform::this_process());
      told->store(facts ? facts->started : 1);
      pause();
    });
    await([&] { return told->load() != 0; });
    const auto facts = platform::process_facts(child);
    ASSERT_TRUE(facts);
    seen = facts->started;
  }
  EXPECT_EQ(told->load(), seen);
  kill_process(child);
}

}  // namespace
}  // namespace lockbench::internal
