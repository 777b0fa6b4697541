// SPDX-License-Identifier: Apache-2.0

// FileLock under a nemesis that kills processes, holders before all: what was added may be missing
// when its process was killed, but nothing is added twice, no number is torn, two are never inside
// and nobody is kept out for good. How soon a killed holder's lock is taken again is told, not
// judged: that depends on the machine.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "primitives/file_lock.h"
#include "primitives/platform/scratch_folder.h"
#include "tests/file_lock/processes.h"
#include "workloads/file_counter.h"

namespace lockbench {
namespace {

using std::chrono::microseconds;

constexpr std::size_t kProcesses = 8;
constexpr std::uint64_t kIncrements = 10'000;  // of each, over all its lives

struct Board {
  struct alignas(64) Seat {
    std::atomic<std::uint64_t> begun{0};
    std::atomic<std::uint64_t> done{0};
  };
  std::array<Seat, kProcesses> seats;
  std::atomic<platform::ProcessId> inside{0};
  std::atomic<std::uint64_t> intended{0};  // what the one inside is about to write
  std::atomic<std::uint64_t> written{0};
  std::atomic<std::uint64_t> entries{0};
  std::atomic<std::int64_t> entered_ns{0};
  std::atomic<std::uint64_t> crowds{0};
  std::atomic<std::uint64_t> wrong_numbers{0};
};

bool lives(platform::ProcessId process) {
  const auto facts = platform::process_facts(process);
  return facts && facts->state != 'Z' && facts->state != 'X';
}

void increment(Board& board, Board::Seat& seat, const NumberFile& file) {
  const platform::ProcessId before = board.inside;
  if (before != 0 && lives(before)) ++board.crowds;
  board.inside = platform::this_process();
  board.entered_ns = platform::now().time_since_epoch().count();
  ++board.entries;
  ++seat.begun;
  const std::optional<std::uint64_t> number = file.read();
  if (!number || (*number != board.written && *number != board.intended)) ++board.wrong_numbers;
  board.intended = number.value_or(0) + 1;
  file.write(board.intended);
  board.written = board.intended.load();
  ++seat.done;
  if (board.inside != platform::this_process()) ++board.crowds;
  board.inside = 0;
}

template <class Form>
class KillTest : public ::testing::Test {
 protected:
  void start(std::size_t number) {
    processes_[number] = start_process([&] {
      auto handle = lock_.handle("counter");
      Board::Seat& seat = board_->seats[number];
      while (seat.begun < kIncrements) {
        handle.lock();
        increment(*board_, seat, file_);
        handle.unlock();
      }
    });
  }

  // The process that is inside, or else any; absent when all have ended.
  std::optional<std::size_t> choose_victim() {
    for (int i = 0; i < 1000 && board_->inside == 0; ++i) sched_yield();
    const platform::ProcessId inside = board_->inside;
    std::vector<std::size_t> living;
    for (std::size_t i = 0; i < kProcesses; ++i) {
      if (board_->seats[i].begun >= kIncrements) continue;
      if (random_() % 4 != 0 && processes_[i] == inside) return i;
      living.push_back(i);
    }
    if (living.empty()) return std::nullopt;
    return living[random_() % living.size()];
  }

  void kill_and_replace(std::size_t victim) {
    const pid_t process = processes_[victim];
    kill(process, SIGKILL);
    siginfo_t ended;
    waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOWAIT);
    const std::int64_t died_ns = platform::now().time_since_epoch().count();
    const std::uint64_t entries = board_->entries;
    const bool died_inside = board_->inside == process;
    start(victim);
    if (died_inside) {
      await([&] { return board_->entries != entries; });
      recoveries_ms_.push_back(static_cast<double>(board_->entered_ns - died_ns) * 1e-6);
    }
    end_of(process);
    ++kills_;
  }

  std::uint64_t sum_of(std::atomic<std::uint64_t> Board::Seat::*count) {
    std::uint64_t sum = 0;
    for (Board::Seat& seat : board_->seats) sum += seat.*count;
    return sum;
  }

  void tell_recoveries() {
    std::sort(recoveries_ms_.begin(), recoveries_ms_.end());
    if (recoveries_ms_.empty()) return;
    std::printf(
        "%d killed, %zu of them inside; taken again after %.2f ms (median), %.2f ms (most)\n",
        kills_, recoveries_ms_.size(), recoveries_ms_[recoveries_ms_.size() / 2],
        recoveries_ms_.back());
  }

  const platform::ScratchFolder folder_;
  FileLock<Form> lock_{folder_.path()};
  const NumberFile file_{folder_.path()};
  SharedWithChildren<Board> board_;
  std::array<pid_t, kProcesses> processes_{};
  std::vector<double> recoveries_ms_;
  std::mt19937 random_{20250131};
  int kills_ = 0;
};

using Forms = ::testing::Types<SymlinkForm, DirectoryForm>;
TYPED_TEST_SUITE(KillTest, Forms);

TYPED_TEST(KillTest, NothingIsAddedTwiceAndNobodyWaitsForGood) {
  for (std::size_t i = 0; i < kProcesses; ++i) this->start(i);
  while (const auto victim = this->choose_victim()) {
    this->kill_and_replace(*victim);
    const platform::Time next = platform::now() + microseconds(this->random_() % 10'000);
    await([&] { return platform::now() >= next; });
  }
  for (const pid_t process : this->processes_) EXPECT_EQ(end_of(process), 0);
  const std::uint64_t number = this->file_.read().value_or(0);
  EXPECT_GE(number, this->sum_of(&Board::Seat::done));
  EXPECT_LE(number, this->sum_of(&Board::Seat::begun));
  EXPECT_GE(this->sum_of(&Board::Seat::begun), kProcesses * kIncrements);
  EXPECT_EQ(this->board_->crowds, 0u);
  EXPECT_EQ(this->board_->wrong_numbers, 0u);
  EXPECT_GT(this->recoveries_ms_.size(), 0u);
  this->tell_recoveries();
}

}  // namespace
}  // namespace lockbench
