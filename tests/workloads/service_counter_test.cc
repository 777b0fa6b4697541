// SPDX-License-Identifier: Apache-2.0

// ServiceCounter: what its resource accepts and refuses, and what its proof lets pass.
#include "workloads/service_counter.h"

#include <atomic>
#include <chrono>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "tests/file_lock/processes.h"
#include "workloads/standstill.h"

namespace lockbench {
namespace {

constexpr std::uint32_t kEarly = 0;  // the process whose hold ends early
constexpr std::uint32_t kLate = 1;   // the next holder

// The next holder reads and writes between the read and the write of the first.
Proof proof_of_late_write(const char* scenario, std::uint64_t early_token,
                          std::uint64_t late_token) {
  CountingResource resource({.threads = 2, .keys = 1, .scenario = scenario});
  std::uint64_t seen_early = 0;
  std::uint64_t seen_late = 0;
  EXPECT_TRUE(resource.read(0, kEarly, early_token, seen_early));
  EXPECT_TRUE(resource.read(0, kLate, late_token, seen_late));
  EXPECT_TRUE(resource.write(0, kLate, late_token, seen_late));
  resource.write(0, kEarly, early_token, seen_early);
  return resource.prove();
}

TEST(ServiceCounter, AResourceThatChecksRefusesALateWriteAndAnyOtherLosesAnUpdate) {
  struct {
    const char* scenario;
    std::uint64_t early_token, late_token, refused, lost;
  } const rows[] = {
      {"", 1, 2, 1, 0},
      {"unchecked", 1, 2, 0, 1},
      // Without tokens nothing is refused.
      {"", 0, 0, 0, 1},
      {"stopped", 1, 2, 1, 0},
      {"stopped_unchecked", 1, 2, 0, 1},
  };
  for (const auto& row : rows) {
    const Proof proof = proof_of_late_write(row.scenario, row.early_token, row.late_token);
    EXPECT_EQ(proof.refused_writes, row.refused) << row.scenario;
    EXPECT_EQ(proof.lost_updates, row.lost) << row.scenario;
    EXPECT_EQ(proof.violations, row.lost) << row.scenario;
    EXPECT_EQ(proof.counts, "1");
  }
}

TEST(ServiceCounter, AReadWithALateTokenIsRefused) {
  CountingResource resource({.threads = 2, .keys = 1});
  std::uint64_t seen = 0;
  EXPECT_TRUE(resource.read(0, kLate, 2, seen));
  EXPECT_FALSE(resource.read(0, kEarly, 1, seen));
}

TEST(ServiceCounter, TokensOfOneKeyDoNotCountForAnother) {
  CountingResource resource({.threads = 1, .keys = 2});
  std::uint64_t seen = 0;
  EXPECT_TRUE(resource.read(0, kEarly, 2, seen));
  EXPECT_TRUE(resource.read(1, kEarly, 1, seen));
}

// Another thread of it stands still, too.
TEST(Standstill, IsOfTheWholeProcess) {
  constexpr std::chrono::milliseconds kTime{60};
  const pid_t child = start_process([&] {
    std::atomic<std::uint64_t> counted{0};
    std::jthread other([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) counted.fetch_add(1);
    });
    while (counted.load() == 0) {
    }
    stand_still(kTime);
  });
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  EXPECT_TRUE(WIFSTOPPED(status));
  EXPECT_EQ(end_of(child), 0);
}

// Each update is a read-modify-write of the whole state: none may be lost.
TEST(SharedRegisters, UpdatesOfProcessesAreAtomic) {
  constexpr std::uint32_t kProcesses = 4;
  constexpr std::uint64_t kUpdates = 20'000;
  SharedRegisters registers(1, kProcesses);
  std::vector<pid_t> children;
  for (std::uint32_t process = 0; process < kProcesses; ++process) {
    children.push_back(start_process([&, process] {
      bool whole = true;
      for (std::uint64_t i = 0; i < kUpdates; ++i) {
        registers.update(0, process, [&](SharedRegisters::State& state) {
          ++state.number;
          state.greatest_token += 3;
          return true;
        });
        registers.update(0, process, [&](SharedRegisters::State& state) {
          whole = whole && state.greatest_token == 3 * state.number;
          return false;
        });
      }
      if (!whole) _exit(1);
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(end_of(child), 0);
  EXPECT_EQ(registers.state(0).number, kProcesses * kUpdates);
}

}  // namespace
}  // namespace lockbench
