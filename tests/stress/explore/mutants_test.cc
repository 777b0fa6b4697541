// SPDX-License-Identifier: Apache-2.0

// The simulated engine failed every broken lock, of what is wrong with it, and no correct one;
// and what failed does so again.

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "harness/stress/explore/search/engine.h"
#include "harness/stress/litmus/program.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/spin.h"
#include "tests/mutants/mutant.h"
#include "tests/mutants/registry.h"

namespace lockbench::stress::explore {
namespace {

const std::vector<RegisteredLock>& stress_registry() {
  static const std::vector<RegisteredLock> all = mutants::for_sim();
  return all;
}

// Positions in the registry.
std::vector<std::size_t> those(bool broken) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < stress_registry().size(); ++i) {
    if (stress_registry()[i].expected_oracles.empty() != broken) positions.push_back(i);
  }
  return positions;
}

// The dimensions of its contract that programs vary for it.
std::vector<std::string> dimensions(const RegisteredLock& lock) {
  const Abilities& has = lock.abilities;
  std::vector<std::string> found{lock.memory};
  const auto add = [&](bool applies, const char* dimension) {
    if (applies) found.push_back(dimension);
  };
  add(has.serves_in_order(), "order");
  add(has.timed, "timeouts");
  add(has.reentrant, "depth");
  add(has.capacity != 1, "holders");
  add(has.leases, "leases");
  add(has.hold_limit.count() != 0, "ends of holds");
  add(has.pairs, "pairs");
  add(has.nests_keys, "nested keys");
  add(has.names, "names");
  add(has.keys_read, "readers");
  add(has.last_may_destroy, "destruction");
  add(!has.programs.empty() || !lock.programs.empty(), "programs of its own");
  return found;
}

// A broken lock for each oracle in each dimension: what the engine can lose. The others repeat that
// with other code, and take minutes.
std::vector<std::size_t> broken_locks() {
  const char* const tests = std::getenv("LOCKBENCH_TESTS");
  if (tests != nullptr && tests == std::string_view("long")) return those(true);
  std::vector<std::size_t> chosen;
  std::set<std::pair<Oracle, std::string>> covered;
  for (const std::size_t position : those(true)) {
    const RegisteredLock& lock = stress_registry()[position];
    const std::size_t before = covered.size();
    for (const Oracle oracle : lock.expected_oracles) {
      for (const std::string& dimension : dimensions(lock)) covered.emplace(oracle, dimension);
    }
    if (covered.size() > before) chosen.push_back(position);
  }
  return chosen;
}

std::string name(const ::testing::TestParamInfo<std::size_t>& info) {
  std::string name = stress_registry()[info.param].name;
  // The form of `table:limit=20` that may be a test's name.
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

stress::Report look_into(const RegisteredLock& lock, Order order) {
  order.lock = lock.name;
  const absl::StatusOr<stress::Report> report = test_lock(lock, order, [](const auto&) {});
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? *report : stress::Report{};
}

class BrokenLock : public ::testing::TestWithParam<std::size_t> {};

TEST_P(BrokenLock, FailsByItsFaultAndAgainByTheReplay) {
  const RegisteredLock& lock = stress_registry()[GetParam()];
  const stress::Report report = look_into(lock, {.budget = std::chrono::seconds(20)});
  ASSERT_EQ(report.verdict, Verdict::kFailed);
  const Oracle oracle = report.failure->oracle;
  EXPECT_NE(std::find(lock.expected_oracles.begin(), lock.expected_oracles.end(), oracle),
            lock.expected_oracles.end())
      << name_of(oracle) << ": " << report.failure->what;

  // --engine sim --program … --schedule …
  ASSERT_TRUE(report.replay.exact);
  ASSERT_EQ(report.replay.options[2], "--program");
  ASSERT_NE(report.replay.options[5], "")
      << "would be no schedule, and a search instead of a replay";
  ASSERT_EQ(report.replay.options[6], "--memory");
  const stress::Report again = look_into(lock, {.program = report.replay.options[3],
                                                .schedule = report.replay.options[5],
                                                .memory = report.replay.options[7]});
  ASSERT_EQ(again.verdict, Verdict::kFailed);
  EXPECT_EQ(again.failure->what, report.failure->what);
  EXPECT_EQ(again.trace, report.trace);
}

INSTANTIATE_TEST_SUITE_P(Sim, BrokenLock, ::testing::ValuesIn(broken_locks()), name);

class CorrectLock : public ::testing::TestWithParam<std::size_t> {};

TEST_P(CorrectLock, IsFoundCleanWithEveryOracleAsked) {
  // A machine that is slow, or busy, needs longer until every oracle has been asked.
  stress::Report report;
  for (auto budget = std::chrono::milliseconds(80); budget < std::chrono::seconds(30);
       budget *= 4) {
    report = look_into(stress_registry()[GetParam()], {.budget = budget});
    if (report.verdict != Verdict::kInconclusive) break;
  }
  EXPECT_EQ(report.verdict, Verdict::kClean)
      << (report.failure ? report.failure->what : "an oracle was never asked");
}

INSTANTIATE_TEST_SUITE_P(Sim, CorrectLock, ::testing::ValuesIn(those(false)), name);

// Their faults are those of weak memory, and no others.
TEST(WeakMemory, StoreBuffersDoNotShowItsMutants) {
  int mutants = 0;
  for (const RegisteredLock& lock : stress_registry()) {
    if (lock.memory.empty()) continue;
    const stress::Report report =
        look_into(lock, {.budget = std::chrono::milliseconds(30), .memory = "tso"});
    EXPECT_NE(report.verdict, Verdict::kFailed) << lock.name << ": " << report.failure->what;
    mutants += lock.expected_oracles.empty() ? 0 : 1;
  }
  EXPECT_GE(mutants, 12);
}

// A turn is checked where no store is on its way, which a thread must wait for under c11.
TEST(WeakMemory, ALockThatServesOutOfTurnFails) {
  const auto& all = stress_registry();
  const auto barges = std::find_if(all.begin(), all.end(),
                                   [](const auto& lock) { return lock.name == "ticket_barges"; });
  ASSERT_NE(barges, all.end());
  const stress::Report report = look_into(*barges, {.memory = "c11"});
  ASSERT_EQ(report.verdict, Verdict::kFailed);
  EXPECT_EQ(report.failure->oracle, Oracle::kFairness);
}

TEST(WeakMemory, TheOrdersThatALockNeedsAreNamed) {
  const stress::Report report =
      look_into(stress_registry()[0], {.budget = std::chrono::milliseconds(400), .weaken = true});
  ASSERT_EQ(report.lock, "spin");
  const auto says = [&](const char* what) {
    return std::any_of(report.remarks.begin(), report.remarks.end(), [&](const std::string& said) {
      return said.starts_with("needed: tests/mutants/spin_lock.h:") &&
             said.find(what) != std::string::npos;
    });
  };
  EXPECT_TRUE(says("store release → relaxed (ordering"));
  EXPECT_TRUE(says("read-modify-write acquire → relaxed (ordering"));
}

// The first of all executions in a process is the only one that fails.
class ForgetsOnce {
 public:
  void lock() {
    while (!try_lock()) platform::pause();
  }
  bool try_lock() { return !held_.exchange(true, std::memory_order_acquire); }
  void unlock() {
    if (unlocks_++ != 0) held_.store(false, std::memory_order_release);
  }

 private:
  inline static int unlocks_ = 0;
  platform::Atomic<bool> held_{false};
};

TEST(SimulatedEngine, DoesNotPromiseAFailureThatIsNotThereAgain) {
  const RegisteredLock lock = mutants::global<ForgetsOnce>("forgets_once", "");
  const stress::Report report = look_into(lock, {.budget = std::chrono::seconds(2)});
  ASSERT_EQ(report.verdict, Verdict::kFailed);
  EXPECT_FALSE(report.replay.exact);
  EXPECT_EQ(report.replay.failures, 0);
  EXPECT_GT(report.replay.reruns, 0);
  EXPECT_TRUE(std::any_of(report.remarks.begin(), report.remarks.end(), [](const auto& said) {
    return said.find("does not do the same thing twice") != std::string::npos;
  }));
}

// As if the machine had ended the process, once.
class EndsOnce {
 public:
  void lock() {
    while (!try_lock()) platform::pause();
  }
  bool try_lock() { return !held_.exchange(true, std::memory_order_acquire); }
  void unlock() {
    if (ends_->exchange(0) != 0) std::_Exit(9);
    held_.store(false, std::memory_order_release);
  }

  static void let_end() {
    void* const shared = mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ends_ = new (shared) std::atomic<int>(1);
  }

 private:
  inline static std::atomic<int>* ends_ = nullptr;  // shared by all processes
  platform::Atomic<bool> held_{false};
};

TEST(SimulatedEngine, DoesNotTakeItsOwnEndForAFailureOfTheLock) {
  EndsOnce::let_end();
  const RegisteredLock lock = mutants::global<EndsOnce>("ends_once", "");
  const stress::Report report = look_into(lock, {.budget = std::chrono::milliseconds(200)});
  EXPECT_EQ(report.verdict, Verdict::kInconclusive);
  EXPECT_FALSE(report.failure);
  ASSERT_EQ(report.remarks.size(), 1);
  const std::string& said = report.remarks.front();
  EXPECT_EQ(said.find("the engine died: the process ended itself with code 9"), 0) << said;
  EXPECT_NE(said.find("program `L0 U | L0 U`, schedule 1*3, under tso; the same"), said.npos)
      << said;
}

TEST(SimulatedEngine, RefusesAScheduleWithoutItsClient) {
  const auto report =
      test_lock(stress_registry()[0], {.lock = stress_registry()[0].name, .schedule = "1"},
                [](const auto&) {});
  EXPECT_EQ(report.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(SimulatedEngine, RefusesAMemoryModelThatThereIsNot) {
  const auto report =
      test_lock(stress_registry()[0], {.lock = stress_registry()[0].name, .memory = "weak"},
                [](const auto&) {});
  EXPECT_EQ(report.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace lockbench::stress::explore
