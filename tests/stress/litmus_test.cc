// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/stress/litmus/demand.h"
#include "harness/stress/litmus/generate.h"
#include "harness/stress/litmus/key_set_lock.h"
#include "harness/stress/litmus/keys.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/litmus/program_file.h"
#include "harness/stress/litmus/served.h"
#include "harness/stress/litmus/shrink.h"
#include "primitives/internal/wait_queue.h"

namespace lockbench::stress {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::size_t kThreads = 4;

TEST(LitmusProgram, IsWrittenAndReadAgain) {
  EXPECT_EQ(to_text(program_from("L0 U Z | Z T0 U", kThreads).value()), "L0 U Z | Z T0 U");
  const std::string text = "L0 R500 U | T1 L0 U E | W0:2000000 U Q1+0 U | B0+1 U A0 F1";
  const LitmusProgram program = program_from(text, kThreads).value();
  EXPECT_EQ(to_text(program), text);
  EXPECT_EQ(program.keys(), 2U);
}

TEST(LitmusProgram, HasTheKeysThatANonOwnerUnlocks) {
  EXPECT_EQ(program_from("L0 U | F5", kThreads)->keys(), 6U);
}

// Such are left when a program is made smaller: a thread fewer would be another program.
TEST(LitmusProgram, KeepsAThreadThatDoesNothing) {
  for (const std::string text : {"| L0 U", "| | L0 U", "L0 U | | L0 U", "L0 U |", "| |"}) {
    const LitmusProgram program = program_from(text, kThreads).value();
    EXPECT_EQ(to_text(program), text);
  }
}

TEST(LitmusProgram, FindsTheEndOfAHoldAcrossNests) {
  const LitmusProgram program = *program_from("L0 T1 U L0 U U L1 U", kThreads);
  EXPECT_EQ(end_of_hold(program.threads[0], 0), 5U);
  EXPECT_EQ(end_of_hold(program.threads[0], 1), 2U);
  EXPECT_EQ(end_of_hold(program.threads[0], 6), 7U);
}

TEST(LitmusProgram, AwaitsTheSameThreadsWhenOneIsLeftOut) {
  const LitmusProgram program = *program_from("L0 A3 U | L1 U | A1 L0 U | A0 L2 U", kThreads);
  EXPECT_EQ(to_text(without_thread(program, 1)), "L0 A2 U | L0 U | A0 L2 U");
  EXPECT_EQ(to_text(without_thread(program, 3)), "L0 U | L1 U | A1 L0 U");
}

std::vector<std::string> smaller_than(const std::string& text, const Abilities& abilities = {}) {
  std::vector<std::string> texts;
  for (const SmallerProgram& smaller : smaller_programs(*program_from(text, kThreads), abilities)) {
    texts.push_back(to_text(smaller.program));
  }
  return texts;
}

TEST(Shrinking, LeavesOutWhatCanBeLeftOut) {
  EXPECT_THAT(smaller_than("L0 R5 U | L1 U |"),
              testing::ElementsAre("L1 U |", "L0 R5 U |", "L0 R5 U | L1 U", "R5 | L1 U |",
                                   "L0 U | L1 U |", "L0 R5 U | |"));
}

// A holder that waits for the end of a thread that waits for the holder is no failure of the lock.
TEST(Shrinking, LeavesATryForWhoseEndAHolderWaits) {
  const std::vector<SmallerProgram> all = smaller_programs(*program_from("L0 A1 U | T0 U", 2), {});
  for (const SmallerProgram& smaller : all) EXPECT_NE(to_text(smaller.program), "L0 A1 U | L0 U");
  EXPECT_FALSE(all.empty());
}

TEST(Shrinking, LeavesATryOfTwoKeysATryWhereAHolderWaitsForItsEnd) {
  const std::vector<std::string> smaller = smaller_than("L1 A1 U | Q0+1 U");
  EXPECT_THAT(smaller, testing::IsSupersetOf({"L1 A1 U | T0 U", "L1 A1 U | T1 U"}));
  EXPECT_THAT(smaller, testing::Not(Contains("L1 A1 U | B0+1 U")));
  EXPECT_THAT(smaller_than("Q0+1 U"), Contains("B0+1 U"));
}

// In a lock for readers and writers, key 0 is the writers': a reader that became one would be in
// the way of those that it was beside.
TEST(Shrinking, LeavesReadersReaders) {
  const Abilities readers{{}, {.keys_read = true}};
  EXPECT_THAT(smaller_than("L2 A1 U | L3 U", readers), Contains("L1 A1 U | L2 U"));
  EXPECT_THAT(smaller_than("L1 A1 U | L2 U", readers), testing::Not(Contains("L0 A1 U | L1 U")));
  EXPECT_THAT(smaller_than("L0 A1 U | T1 U"), testing::Not(Contains("L0 A1 U | L1 U")));
  EXPECT_THAT(smaller_than("L1 A2 U | T0 U | L2 U", readers),
              testing::Not(Contains("L1 A2 U | L0 U | L2 U")));
}

struct Unserved {
  const char* program;
  Abilities abilities;
  const char* why;  // empty: a correct lock serves all
};

// A program in which a correct lock may hang says nothing about a lock.
TEST(Programs, AreRefusedWhereNoLockCouldServeAllThreads) {
  const Abilities one_lock{};
  const Abilities keyed{{.lock_per_key = true}};
  const Abilities leases{{.capacity = 2}, {.leases = true}};
  const Abilities readers{{}, {.keys_read = true}};
  const Unserved rows[] = {
      {"L0 A1 U | L0 U", one_lock, "thread 1 may wait for key 0 for ever: thread 0 holds key 0"},
      {"L0 A1 U | T0 U", one_lock, ""},
      {"L0 U A1 | L0 U", one_lock, ""},
      {"A1 L0 A2 U | L0 U | T0 U", one_lock, ""},
      {"L0 A1 U | L1 U", {{.one_lock = true}}, "two keys may share a lock"},
      {"L0 A1 U | L1 U", one_lock, ""},  // of stripes, which shows whether the two share one
      {"L0 A1 U | L1 U", keyed, ""},
      {"L0 A1 U | A2 | L0 U", keyed, "thread 2 may wait for key 0 for ever"},
      {"L0 A1 U | L1 A2 U | L0 U", keyed, "thread 2 may wait for key 0 for ever"},
      {"L0 A1 U | B0+1 U", {{.lock_per_key = true}, {.pairs = true}}, "thread 1 may wait"},
      {"L0 A1 U | L0 U", leases, ""},
      {"L0 A2 U | L0 A2 U | L0 U", leases, "thread 2 may wait for key 0 for ever"},
      {"L1 A1 U | L2 U", readers, ""},
      {"L0 A1 U | L1 U", readers, "nobody reads beside a writer"},
      {"L1 A1 U | L0 U", readers, "nobody reads beside a writer"},
      {"L1 A2 U | T0 U | L2 U", readers, ""},
      {"L1 A2 U | L0 U | L2 U", readers, "a writer that waits may come between two readers"},
      {"L0 A1 U | L0 U", {{.hold_limit = std::chrono::milliseconds(20)}}, ""},
  };
  for (const Unserved& row : rows) {
    const absl::Status status = program_for(row.abilities, row.program).status();
    EXPECT_EQ(status.ok(), *row.why == '\0') << row.program << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.why)) << row.program;
  }
}

TEST(Programs, OfTheEngineItselfServeAllThreads) {
  Abilities leases{{}, {.leases = true, .nests_leases = true}};
  leases.capacity = 2;
  const Abilities all[] = {
      {{.timed = true}},
      {{.lock_per_key = true, .timed = true}, {.nests_keys = true, .any_key = true}},
      {{.lock_per_key = true}, {.pairs = true}},
      {{.reentrant = true, .timed = true}},
      {{.timed = true}, {.keys_read = true}},
      leases};
  for (const Abilities& abilities : all) {
    for (const LitmusProgram& program : programs_for(abilities, {})) {
      EXPECT_EQ(unserved_in(program, abilities), "") << to_text(program);
    }
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      const ProgramSize size{.threads = 4, .keys = 3, .holds = 2, .awaits = seed % 2 == 0};
      const LitmusProgram program = generate_program(abilities, size, seed);
      EXPECT_EQ(unserved_in(program, abilities), "") << to_text(program);
    }
  }
}

TEST(Shrinking, ReplacesAnActByAPlainerOne) {
  EXPECT_THAT(smaller_than("B0+1 U | B1+1 E"),
              testing::IsSupersetOf(
                  {"L0 U | B1+1 E", "L1 U | B1+1 E", "B0+1 U | L1 E", "B0+1 U | B1+1 U"}));
  EXPECT_THAT(smaller_than("T0 U W0:5 U"), testing::IsSupersetOf({"L0 U W0:5 U", "T0 U L0 U"}));
}

TEST(Shrinking, LeavesOutALifeOfTheLockInAllThreads) {
  const std::vector<std::string> smaller = smaller_than("L0 U Z L0 U Z | Z T0 U Z");
  EXPECT_THAT(smaller, Contains("L0 U Z L0 U | Z T0 U"));
  EXPECT_THAT(smaller, Contains("Z L0 U Z | Z T0 U Z"));
  for (const std::string& text : smaller) EXPECT_TRUE(program_from(text, kThreads).ok()) << text;
}

TEST(Programs, MakeNoNewLockWhoseTokensBeginAnew) {
  EXPECT_TRUE(program_for({}, "L0 U Z | Z L0 U").ok());
  EXPECT_FALSE(program_for({{}, {.tokens = true}}, "L0 U Z | Z L0 U").ok());
}

TEST(Shrinking, TakesTheLowestKeys) {
  EXPECT_THAT(smaller_than("L2 U F5 | A0 B2+5 U"), Contains("L0 U F1 | A0 B0+1 U"));
  EXPECT_THAT(smaller_than("L0 L1 U U"), testing::Not(Contains("L0 L1 U U")));
}

TEST(Shrinking, NamesTheThreadThatIsLeftOut) {
  const std::vector<SmallerProgram> smaller = smaller_programs(*program_from("L0 U | L1 U", 4), {});
  EXPECT_EQ(smaller[0].without, 0U);
  EXPECT_EQ(smaller[1].without, 1U);
  EXPECT_EQ(smaller[2].without, std::nullopt);
}

TEST(ProgramFile, MayHaveLinesAndComments) {
  const auto program =
      program_in_file("# three keys\nK16 L0 L1 L2\tU U U  # all at once\r\n|\nT1 U", "keys.litmus",
                      kThreads)
          .value();
  EXPECT_EQ(to_text(program), "K16 L0 L1 L2 U U U | T1 U");
}

TEST(ProgramFile, MayBeLongerThanACommandLine) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "L0 U\n";
  const auto program = program_in_file(text + "| T0 U", "long.litmus", kThreads).value();
  EXPECT_EQ(program.threads[0].size(), 200'000U);
}

TEST(ProgramFile, SaysLineAndColumnOfWhatIsWrong) {
  const auto error = [](std::string_view text) {
    return std::string(program_in_file(text, "a.litmus", kThreads).status().message());
  };
  EXPECT_THAT(error("L0 U\n| L1 Y3 U"), StartsWith("a.litmus:2:6: thread 1, `Y3`: not an act; "));
  EXPECT_THAT(error("L0 U\n# U\n U"), StartsWith("a.litmus:3:2: thread 0, `U`: unlocks what "));
  EXPECT_THAT(error("L0 L1\nU\n| L0 U"), StartsWith("a.litmus:3:1: thread 0, `|`: the thread "));
  EXPECT_THAT(error("L0 U\n  L1 L2 U"), StartsWith("a.litmus:2:3: thread 0, `L1`: the thread "));
  EXPECT_THAT(error("R1\n| R1 | R1\n| R1 | R1"), StartsWith("a.litmus:3:6: 5 threads; at most 4"));
  EXPECT_THAT(error("L0 U\n| L0 A7 U"), StartsWith("a.litmus:2:1: thread 1: waits for a thread "));
  EXPECT_THAT(error(" # nothing\n"), StartsWith("a.litmus:1:1: no acts; say what the threads do"));
  EXPECT_THAT(error("L0 C" + std::string(1000, '4')), HasSubstr("`C" + std::string(39, '4') + "`"));
}

struct Malformed {
  const char* text;
  const char* complaint;
};

class MalformedProgram : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedProgram, IsRefusedWithWhereAndWhat) {
  const absl::StatusOr<LitmusProgram> program = program_from(GetParam().text, kThreads);
  ASSERT_EQ(program.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(program.status().message()), HasSubstr(GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(
    LitmusProgram, MalformedProgram,
    ::testing::Values(
        Malformed{"D100001 L0 U", "`D100001`: the number after C, D, N, M or P is at most 100000"},
        Malformed{"L0 U | Y0 U", "thread 1, `Y0`: not an act"}, Malformed{"L U", "`L`: not an act"},
        Malformed{"B0 U", "`B0`: not an act"}, Malformed{"Q0 U", "`Q0`: not an act"},
        Malformed{"W0 U", "`W0`: not an act"}, Malformed{"R-5", "`R-5`: not an act"},
        Malformed{"L0x U", "`L0x`: not an act"}, Malformed{"L99999999999 U", "not an act"},
        Malformed{"K25 L0 U", "`K25`: not a key set; K is followed by one of 0, 1, 2, 8, 12, 16, "},
        Malformed{"L4294967295 U", "`L4294967295`: the highest key is 99"},
        Malformed{"B0+100 U", "`B0+100`: the highest key is 99"},
        Malformed{"U L0", "`U`: unlocks what was not locked"},
        Malformed{"L0 | L0 U", "ends before it unlocks everything"},
        Malformed{"L0 U L0", "ends before it unlocks everything"},
        Malformed{"L0 A2 U | L0 U", "thread 0: waits for a thread that does not exist"},
        Malformed{"L0 U | L0 A1 U", "thread 1: waits for its own end"},
        Malformed{"M9 L0 A1 U | L1 U", "thread 0: has an A or an X, which happens once"},
        // Threads leave for good together and last.
        Malformed{"X0 | L0 U", ""}, Malformed{"X0 L0 U | X0", ""}, Malformed{"X0 X0 | X0", ""},
        Malformed{"X0 | X1", ""}, Malformed{"R-1", ""}, Malformed{"K17 L0 U", ""},
        Malformed{"L0 U | C254 L0 U", ""}, Malformed{"N100001 L0 U", ""},
        Malformed{"R1 | R1 | R1 | R1 | R1", "5 threads; at most 4"}));

// A thread may hold two keys only where the lock can bear it, and then in ascending order.
TEST(GeneratedPrograms, NestOnlyWhatTheLockAllows) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Abilities plain{};
    const LitmusProgram program =
        generate_program(plain, {.threads = 3, .keys = 3, .holds = 3}, seed);
    for (const auto& acts : program.threads) {
      for (std::size_t i = 0; i < acts.size(); ++i) {
        EXPECT_NE(acts[i].kind, Act::kTryLockFor);
        EXPECT_FALSE(names_two_keys(acts[i].kind));
        if (!acquires(acts[i].kind)) continue;
        for (std::size_t j = i + 1; j < end_of_hold(acts, i); ++j)
          EXPECT_FALSE(acquires(acts[j].kind));
      }
    }
  }
}

TEST(GeneratedPrograms, TakeNestedKeysInAscendingOrder) {
  const Abilities nesting{{.lock_per_key = true}, {.nests_keys = true}};
  bool nested = false;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const LitmusProgram program =
        generate_program(nesting, {.threads = 2, .keys = 3, .holds = 3}, seed);
    for (const auto& acts : program.threads) {
      for (std::size_t i = 0; i < acts.size(); ++i) {
        if (!acquires(acts[i].kind)) continue;
        for (std::size_t j = i + 1; j < end_of_hold(acts, i); ++j) {
          if (!acquires(acts[j].kind)) continue;
          nested = true;
          EXPECT_GT(acts[j].key, acts[i].key) << to_text(program);
        }
      }
    }
  }
  EXPECT_TRUE(nested);
}

// Where each key has a lock of its own and one holder, the one that is awaited keeps to other keys;
// where leases are left it may want the same key. Whatever is nested, or taken at once, could be in
// its way by right.
TEST(GeneratedPrograms, AwaitOnlyWhoIsServedMeanwhile) {
  const Abilities keys{{.lock_per_key = true, .timed = true}, {.pairs = true, .nests_keys = true}};
  Abilities leases{{}, {.leases = true, .nests_leases = true}};
  leases.capacity = 2;
  for (const Abilities& abilities : {keys, leases}) {
    bool meet = false;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      const LitmusProgram program =
          generate_program(abilities, {.threads = 4, .keys = 2, .holds = 2, .awaits = true}, seed);
      const Act* awaited = nullptr;
      std::uint32_t held = 0;
      for (const auto& acts : program.threads) {
        for (std::size_t i = 0; i < acts.size(); ++i) {
          EXPECT_FALSE(names_two_keys(acts[i].kind));
          if (acquires(acts[i].kind)) {
            EXPECT_TRUE(i + 1 == acts.size() || !acquires(acts[i + 1].kind));
          }
          if (acts[i].kind != Act::kAwaitEnd) continue;
          EXPECT_EQ(awaited, nullptr) << to_text(program);
          awaited = &acts[i];
          held = acts[i - 1].key;
        }
      }
      ASSERT_NE(awaited, nullptr) << to_text(program);
      for (const Act& act : program.threads[awaited->key])
        meet |= acquires(act.kind) && act.key == held;
    }
    EXPECT_EQ(meet, abilities.capacity > 1);
  }
}

TEST(GeneratedPrograms, AwaitNobodyWhereThatCouldLastForEver) {
  const Abilities one_lock{};
  const LitmusProgram program = generate_program(one_lock, {.threads = 4, .awaits = true}, 7);
  EXPECT_EQ(to_text(program).find('A'), std::string::npos);
}

// Else no lock would ever be seen to hand itself over.
TEST(GeneratedPrograms, RestOnBothSidesOfAWaitersPatience) {
  bool shorter = false;
  bool longer = false;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const auto& acts : generate_program(Abilities{}, {.holds = 4}, seed).threads) {
      for (const Act& act : acts) {
        if (act.kind != Act::kSleep || act.ns == 0) continue;
        const bool patient =
            platform::Duration(act.ns) <= lockbench::internal::WaitQueue::kPatience;
        (patient ? shorter : longer) = true;
      }
    }
  }
  EXPECT_TRUE(shorter && longer);
}

TEST(GeneratedPrograms, AreTheSameForTheSameSeed) {
  const Abilities all{{.reentrant = true, .timed = true}, {.pairs = true}};
  EXPECT_EQ(generate_program(all, {}, 7), generate_program(all, {}, 7));
  EXPECT_NE(generate_program(all, {}, 7), generate_program(all, {}, 8));
}

bool has_program(const Abilities& abilities, const std::string& text) {
  for (const LitmusProgram& program : programs_for(abilities, {})) {
    if (to_text(program) == text) return true;
  }
  return false;
}

TEST(SmallPrograms, BeginWithThoseOfTheRegistry) {
  EXPECT_EQ(to_text(programs_for({}, {"L3 U"}).front()), "L3 U");
}

// More than 8 slots for waiters, and a holder that nothing releases before all wait.
TEST(SmallPrograms, HaveACrowdForOneKey) {
  const std::vector<LitmusProgram> programs = programs_for({}, {});
  EXPECT_EQ(programs.back().threads.size(), 11U);
  EXPECT_THAT(to_text(programs.back()), StartsWith("L0 R4000000 U | L0 U | L0 U"));
}

// A program for locks that are able to do what it asks of them, and not for others.
TEST(SmallPrograms, AreThoseOfTheAbilitiesOfTheLock) {
  struct Row {
    Abilities able;
    std::string text;
    std::optional<Abilities> not_for = std::nullopt;
  };
  const Abilities each{{.lock_per_key = true}, {.any_key = true}};
  const Row rows[] = {
      // Refused twice at capacity.
      {{{.capacity = 3}}, "L0 A3 U | L0 A3 U | L0 A3 U | T0 U T0 U"},
      {{{.timed = true}}, "L0 A1 U | W0:400000 U W0:400000 U"},
      {{{.reentrant = true, .timed = true}}, "L0 W0:400000 U A1 U | T0 U", {{{.reentrant = true}}}},
      // The highest number, keys that differ in high bits, and many others.
      {{{}, {.any_key = true}}, "K64 L7 U | L7 U", Abilities{}},
      {{{}, {.nests_keys = true, .any_key = true}},
       "K24 L0 L1 L2 L3 L4 L5 L6 L7 U U U U U U U U | L0 U"},
      {each, "K16 L0 A1 U | L1 U", {{{.lock_per_key = true}}}},
      {each, "N72 L0 U | L0 U", {{{}, {.any_key = true}}}},
      {{{}, {.pairs = true}}, "L1 A1 U | Q0+1 U", Abilities{}},
      // A waiter behind every lease that could be forgotten.
      {{{.capacity = 3}}, "L0 U | L0 U | L0 U | L0 A4 U | L0 U", Abilities{}},
      // A thread polls where it may not have the key.
      {{}, "P70000 L0 R12000000 U | L0 U", {{{.capacity = 2}}}},
      {{{}, {.last_may_destroy = true}}, "X0 | X0", Abilities{}}};
  for (const Row& row : rows) {
    EXPECT_TRUE(has_program(row.able, row.text)) << row.text;
    if (row.not_for) {
      EXPECT_FALSE(has_program(*row.not_for, row.text)) << row.text;
    }
  }
  EXPECT_FALSE(program_for({}, "Q0+1 U").ok());
}

// A program has no more than 12 threads.
TEST(SmallPrograms, AreWellFormedForEveryCapacity) {
  for (std::uint32_t capacity = 1; capacity < 100; ++capacity) {
    EXPECT_FALSE(programs_for({{.timed = true, .capacity = capacity}}, {}).empty());
  }
}

TEST(ProgramText, KeepsWhatStandsBeforeTheActs) {
  for (const std::string text : {"K16 C254 L0 U | L0 U", "C3 D254 L0 U | T0 U", "N72 L0 U | L0 U",
                                 "W0:-1 U", "L0 U X0 | X0"}) {
    const auto program = program_from(text, 2).value();
    EXPECT_EQ(to_text(program), text);
  }
  const LitmusProgram program = *program_from("K16 C3 D254 N72 L0 U", 2);
  EXPECT_EQ(program.key_set, 16U);
  EXPECT_EQ(program.warm_up, 3U);
  EXPECT_EQ(program.refusals, 254U);
  EXPECT_EQ(program.other_keys, 72U);
}

TEST(ProgramText, KeepsTheRepetitionsTheirKeysAndThePolls) {
  const auto program = program_from("M200 V64 P900 L0 L1 U U | L0 U", 2);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(program->repeats, 200U);
  EXPECT_EQ(program->polls, 900U);
  EXPECT_EQ(program->named_keys(), 2U);
  EXPECT_EQ(program->keys(), 64U);
  EXPECT_EQ(to_text(*program), "M200 V64 P900 L0 L1 U U | L0 U");
  EXPECT_FALSE(program_from("V1001 L0 U", 2).ok());
}

TEST(KeysOfPass, GrowAlikeSoThatNestedKeysKeepTheirOrder) {
  const LitmusProgram program = *program_from("M9 V64 L0 L1 U U | B0+1 U", 2);
  const KeysOfPass keys(program);
  std::set<std::uint32_t> outer;
  for (std::uint32_t pass = 0; pass < 200; ++pass) {
    const Act first = keys.act(program.threads[0][0], 0, pass);
    EXPECT_EQ(keys.act(program.threads[0][1], 0, pass).key, first.key + 1);
    EXPECT_LT(first.key + 1, 64U);
    outer.insert(first.key);
  }
  EXPECT_GT(outer.size(), 50U);
  EXPECT_EQ(outer.count(62), 1U);
}

TEST(KeysOfPass, DrawTheKeysOfAPairIndependently) {
  const LitmusProgram program = *program_from("M9 V64 B0+1 U B0+0 U", 2);
  const KeysOfPass keys(program);
  int falling = 0;
  for (std::uint32_t pass = 0; pass < 200; ++pass) {
    const Act pair = keys.act(program.threads[0][0], 0, pass);
    EXPECT_LT(std::max(pair.key, pair.other), 64U);
    falling += pair.other < pair.key;
    const Act same = keys.act(program.threads[0][2], 0, pass);
    EXPECT_EQ(same.key, same.other);
  }
  EXPECT_GT(falling, 50);
  EXPECT_LT(falling, 150);
}

TEST(KeysOfPass, AreThoseOfTheProgramWithoutASpread) {
  const LitmusProgram program = *program_from("M9 L0 U | L1 U", 2);
  EXPECT_EQ(KeysOfPass(program).act(program.threads[1][0], 1, 7), program.threads[1][0]);
}

TEST(GeneratedPrograms, RepeatAFewActsHundredsOfTimes) {
  const Abilities all{{.lock_per_key = true}, {.pairs = true, .nests_keys = true, .any_key = true}};
  int spread = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const LitmusProgram program = generate_long_program(all, seed);
    EXPECT_GE(program.repeats, 100U);
    EXPECT_FALSE(program.has(Act::kAwaitEnd));
    EXPECT_TRUE(program_from(to_text(program), kThreads).ok()) << to_text(program);
    spread += program.spread != 0;
    EXPECT_EQ(generate_long_program({}, seed).spread, 0U);
  }
  EXPECT_GT(spread, 5);
  EXPECT_EQ(generate_long_program(all, 7), generate_long_program(all, 7));
}

// One of them writes, and two may read at the same time.
TEST(GeneratedPrograms, HaveKeysForSeveralReaders) {
  const Abilities readers{{}, {.keys_read = true}};
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const LitmusProgram program = generate_program(readers, {.threads = 4, .keys = 1}, seed);
    EXPECT_LE(program.keys(), 3U);
    EXPECT_EQ(generate_program(readers, {.threads = 4, .keys = 1}, seed), program);
  }
}

TEST(SmallPrograms, LetAThreadBePassedOnceMoreThanTheLockPromises) {
  const auto passing = [](std::uint32_t limit) {
    const std::vector<LitmusProgram> all = programs_for({{.bypass_limit = limit}}, {});
    return std::count_if(all.begin(), all.end(), [&](const LitmusProgram& one) {
      const std::size_t requests = limit + 2;  // one before the other thread waits
      return one.threads.size() == 2 && one.threads[0].size() == 2 * requests + 1;
    });
  };
  EXPECT_EQ(passing(5), 2);  // by lock() and by tries
  EXPECT_EQ(passing(kMostPassesShown), 2);
  EXPECT_EQ(passing(kMostPassesShown + 1), 0);
}

Demand demand_of(const std::string& text, const Abilities& abilities = {}) {
  return demand_of(*program_from(text, kThreads), abilities);
}

TEST(Demand, IsTheMostThatAProgramUsesAtOnce) {
  const Demand plain = demand_of("L0 U L3 U | L1 L2 U U | T0 U");
  EXPECT_EQ(plain.threads, 3U);
  EXPECT_EQ(plain.keys, 4U);  // 1 + 2 + 1
  EXPECT_EQ(plain.keys_of_thread, 2U);
  EXPECT_EQ(plain.keys_below, 5U);
  EXPECT_EQ(demand_of("L0 L0 L0 U U U | L0 U").keys, 1U);
  EXPECT_EQ(demand_of("L0 L0 L0 U U U | L0 U").keys_of_thread, 1U);
  EXPECT_EQ(demand_of("B0+3 U | F7").keys, 3U);
  EXPECT_EQ(demand_of("M9 V48 L0 U | L0 U").keys, 2U);
  EXPECT_EQ(demand_of("M9 V48 L0 U | L0 U").keys_below, 49U);
  EXPECT_EQ(demand_of("K64 L0 U").keys_below, 0xfffffffffffffff9);
}

TEST(Demand, HasTheThreadsAndKeysBeforeTheProgram) {
  const Abilities nesting{{.lock_per_key = true}, {.nests_keys = true}};
  EXPECT_EQ(demand_of("N72 L0 U", nesting).threads, 3U);
  EXPECT_EQ(demand_of("N72 L0 U", nesting).keys, 73U);
  EXPECT_EQ(demand_of("N72 L0 U", nesting).keys_of_thread, 72U);
  EXPECT_EQ(demand_of("N72 L0 U").threads, 2U);
  EXPECT_EQ(demand_of("N72 L0 U").keys, 2U);
  EXPECT_EQ(demand_of("N72 L0 U").keys_below, 73U);
  EXPECT_EQ(demand_of("D7 L0 U").threads, 2U);
}

TEST(Demand, IsForTheKeysThatALockIsMadeFor) {
  const auto keys = [](const std::string& text, const Abilities& abilities) {
    return keys_to_make(*program_from(text, kThreads), abilities);
  };
  const Abilities of_few{{.lock_per_key = true}};
  EXPECT_EQ(keys("L0 U | L2 U", of_few), 3U);
  EXPECT_EQ(keys("N72 L0 U", of_few), 73U);
  EXPECT_EQ(keys("K8 L0 U | L2 U", of_few), 769U);
  EXPECT_EQ(keys("M9 V48 L0 U | L0 U", of_few), 48U);
  EXPECT_EQ(keys("N72 K16 L0 U", {{.lock_per_key = true}, {.any_key = true}}), 1U);
  const LitmusProgram hashed = *program_from("K1 L0 U | L1 U", kThreads);
  EXPECT_THAT(misfit_of(hashed, of_few), HasSubstr("made for a number of keys"));
  EXPECT_EQ(misfit_of(hashed, {{.lock_per_key = true}, {.any_key = true}}), "");
}

// Small limits of each kind, alone and together.
std::vector<Abilities> of_little_room() {
  std::vector<Abilities> all;
  for (const LockLimits limits :
       {LockLimits{.threads = 2}, LockLimits{.threads = 3, .keys = 2}, LockLimits{.keys = 1},
        LockLimits{.keys_of_thread = 1}, LockLimits{.keys = 3, .keys_of_thread = 2},
        LockLimits{.keys_below = 2}, LockLimits{.keys_below = 6},
        LockLimits{.plain_names = true}}) {
    for (const bool pairs : {false, true}) {
      all.push_back({{.lock_per_key = true, .timed = true, .limits = limits},
                     {.pairs = pairs,
                      .nests_keys = true,
                      .any_key = limits.keys_below == 0,
                      .names = limits.plain_names}});
    }
  }
  return all;
}

TEST(GeneratedPrograms, StayWithinWhatTheLockHasRoomFor) {
  for (const Abilities& able : of_little_room()) {
    SCOPED_TRACE(to_text(able.limits));
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const ProgramSize size{.threads = 2 + static_cast<std::uint32_t>(seed % 7),
                             .keys = 1 + static_cast<std::uint32_t>(seed % 6),
                             .holds = 3,
                             .awaits = seed % 2 == 0};
      EXPECT_EQ(excess_of(generate_program(able, size, seed), able), "");
      EXPECT_EQ(excess_of(generate_busy_program(able, seed), able), "");
      EXPECT_EQ(excess_of(generate_long_program(able, seed), able), "");
    }
  }
}

TEST(Demand, OnlyALockOfNamesCanPromisePlainOnes) {
  const LockLimits plain{.plain_names = true};
  const LitmusProgram names = *program_from("K24 L0 U | L1 U", kThreads);
  EXPECT_THAT(excess_of(names, {{.limits = plain}, {.names = true}}), HasSubstr("plain names"));
  EXPECT_THAT(remark_on_names(names, {{}, {.names = true}}), HasSubstr(".plain_names = true"));
  EXPECT_EQ(excess_of(names, {{.limits = plain}}), "");
  // Key 255 of K16 has the number of key 0 of K24, which has the empty name.
  const LitmusProgram many = *program_from("K16 N300 L0 U | L1 U", kThreads);
  EXPECT_THAT(excess_of(many, {{.limits = plain}, {.names = true}}), HasSubstr("plain names"));
  EXPECT_EQ(
      excess_of(*program_from("K16 L0 U | L1 U", kThreads), {{.limits = plain}, {.names = true}}),
      "");
  EXPECT_EQ(remark_on_names(names, {}), "");
}

TEST(SmallPrograms, StayWithinWhatTheLockHasRoomFor) {
  for (const Abilities& able : of_little_room()) {
    SCOPED_TRACE(to_text(able.limits));
    const std::vector<LitmusProgram> programs = programs_for(able, {});
    EXPECT_GT(programs.size(), 8U);
    for (const LitmusProgram& program : programs) EXPECT_EQ(excess_of(program, able), "");
  }
}

TEST(SmallPrograms, UseAllTheKeysThatTheLockHasRoomFor) {
  const Abilities able{{.lock_per_key = true}, {.nests_keys = true, .any_key = true}};
  Abilities few = able;
  few.limits = {.threads = 3, .keys = 16};
  EXPECT_TRUE(has_program(few, "N15 L0 U | L0 U"));
  few.limits.keys_of_thread = 4;
  EXPECT_TRUE(has_program(few, "N4 L0 U | L0 U"));
  few.limits = {.keys_below = 8};
  few.any_key = false;
  EXPECT_TRUE(has_program(few, "N7 L0 U | L0 U"));
  EXPECT_EQ(most_other_keys(able), 0xffffffffU);
}

TEST(Programs, AreRefusedWhereTheLockHasNoRoomForThem) {
  const Abilities few{{.limits = {.threads = 2, .keys_below = 4}}};
  EXPECT_THAT(std::string(program_for(few, "L0 U | L0 U | L0 U").status().message()),
              HasSubstr("needs 3 threads at once, and the lock promises room for 2"));
  EXPECT_THAT(
      std::string(program_for(few, "L3 U").status().message()),
      HasSubstr("needs keys up to 4, one of them unused, and those of the lock are below 4"));
}

// True if a thread requests a key while it holds another one.
bool nests_keys(const LitmusProgram& program) {
  return std::any_of(program.threads.begin(), program.threads.end(), [](const auto& acts) {
    int held = 0;
    return std::any_of(acts.begin(), acts.end(), [&](const Act& act) {
      held += acquires(act.kind) ? 1 : releases(act.kind) ? -1 : 0;
      return held > 1;
    });
  });
}

TEST(GeneratedPrograms, DoNotNestKeysBesidePairsOfThem) {
  const Abilities able{{.lock_per_key = true}, {.pairs = true, .nests_keys = true}};
  int with_pairs = 0;
  int with_nests = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const LitmusProgram program =
        generate_program(able, {.threads = 3, .keys = 3, .holds = 2}, seed);
    const bool pairs = program.has(Act::kLockBoth) || program.has(Act::kTryBoth);
    EXPECT_FALSE(pairs && nests_keys(program)) << to_text(program);
    with_pairs += pairs;
    with_nests += nests_keys(program);
  }
  EXPECT_GT(with_pairs, 50);
  EXPECT_GT(with_nests, 50);
}

TEST(Programs, AreRefusedWhereTheLockDoesNotOfferTheirActs) {
  const std::vector<std::pair<const char*, Abilities>> acts = {
      {"W0:5 U", {{.timed = true}}},
      {"B0+1 U", {{}, {.pairs = true}}},
      {"Q0+1 U", {{}, {.pairs = true}}},
      {"L0 A1 U | F0", {{.refuses_non_owners = true}}},
      {"X0 | X0", {{}, {.last_may_destroy = true}}}};
  for (const auto& [text, able] : acts) {
    EXPECT_TRUE(program_for(able, text).ok()) << text;
    EXPECT_THAT(std::string(program_for({}, text).status().message()),
                HasSubstr("leave it out, or promise that"))
        << text;
  }
}

TEST(Shrinking, RepeatsLessOftenOrAmongFewerKeys) {
  EXPECT_THAT(smaller_than("M80 V64 P9 L0 U | L0 U"),
              testing::IsSupersetOf({"P9 L0 U | L0 U", "M80 P9 L0 U | L0 U",
                                     "M40 V64 P9 L0 U | L0 U", "M70 V64 P9 L0 U | L0 U",
                                     "M80 V32 P9 L0 U | L0 U", "M80 V64 L0 U | L0 U"}));
}

TEST(Keys, NumbersThatAreNoKeysOfASetHaveNamesOfTheirOwn) {
  EXPECT_EQ(KeyName(8).view(), "z00000000000000000008");
  EXPECT_NE(KeyName(8).view(), KeyName(16).view());
  EXPECT_EQ(KeyName(~std::uint64_t{0} - 100).view(), "z18446744073709551515");
}

TEST(Keys, OfASetDifferAndGrow) {
  for (const std::uint32_t set : kKeySets) {
    for (std::uint64_t key = 1; key < kMostNamedKeys; ++key) {
      EXPECT_GT(key_value(set, key), key_value(set, key - 1));
      EXPECT_GT(KeyName(key_value(set, key)).view(), KeyName(key_value(set, key - 1)).view());
    }
  }
}

// A thread may hold thousands of them at once.
TEST(Keys, OfASetDifferHoweverManyThereAre) {
  for (const std::uint32_t set : kKeySets) {
    std::set<std::uint64_t> numbers;
    for (std::uint64_t key = 0; key <= kMostWarmUp; ++key) numbers.insert(key_value(set, key));
    EXPECT_EQ(numbers.size(), std::size_t{kMostWarmUp} + 1) << set;
  }
}

TEST(Keys, HaveNamesThatDifferInBlanksAndInTheOrderOfBlocksAlone) {
  const auto name = [](std::uint32_t set, std::uint64_t key) {
    return std::string(KeyName(key_value(set, key)).view());
  };
  EXPECT_EQ(name(24, 0), "");
  EXPECT_EQ(name(24, 3), name(24, 2) + " ");
  const std::uint64_t number = key_value(kCollidingKeys, 5);
  EXPECT_EQ(number >> 32, number & 0xffffffff);
  ASSERT_EQ(name(8, 0).size(), 128U);
  EXPECT_EQ(name(8, 0).substr(16) + name(8, 0).substr(0, 16), name(8, 1));
}

// A hash that multiplies by 33, and signs.
TEST(Keys, HaveTheSameHashOrDifferInTheHighestBitOrTheSignAlone) {
  std::uint32_t hashes[2] = {5381, 5381};
  for (const std::uint64_t i : {0, 1}) {
    for (const char letter : KeyName(key_value(kCollidingKeys, 2 + i)).view()) {
      hashes[i] = hashes[i] * 33 + static_cast<unsigned char>(letter);
    }
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  const auto number = [](std::uint64_t key) { return key_value(kSignedKeys, key); };
  EXPECT_EQ(number(0) | std::uint64_t{1} << 63, number(4));
  EXPECT_EQ(number(1) | std::uint64_t{1} << 63, number(5));
  EXPECT_EQ(number(2) + number(7), 0U);
  EXPECT_EQ(number(3) + number(6), 0U);
}

}  // namespace
}  // namespace lockbench::stress
