// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/proc/crew.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <linux/sched.h>
#include <optional>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/stress/proc/worker.h"

namespace lockbench::stress::proc {
namespace {

// Waits for what `options` say of the process; leaves it as it is.
void await(pid_t process, int options) {
  siginfo_t seen;
  while (waitid(P_PID, static_cast<id_t>(process), &seen, options | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
}

void collect_one(pid_t process) {
  while (waitpid(process, nullptr, 0) == -1 && errno == EINTR) {
  }
}

void die_with_parent() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_TIMERSLACK, 1UL);  // sleeps of some microseconds are to take no more
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &none);
}

// A process that does nothing, of that number; absent where the kernel does not permit that.
std::optional<pid_t> start_stranger(pid_t number) {
  clone_args arguments{};
  arguments.exit_signal = SIGCHLD;
  arguments.set_tid = reinterpret_cast<std::uintptr_t>(&number);
  arguments.set_tid_size = 1;
  const long child = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == -1) return std::nullopt;
  if (child != 0) return static_cast<pid_t>(child);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) pause();
}

}  // namespace

pid_t start_child(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == -1) std::abort();
  if (child != 0) return child;
  die_with_parent();
  work();
  _exit(0);
}

Crew::~Crew() {
  for (const std::uint32_t seat : living()) {
    kill(seat);
    bury(seat);
  }
  for (const pid_t stranger : strangers_) {
    ::kill(stranger, SIGKILL);
    collect_one(stranger);
  }
}

void Crew::start(std::uint32_t seat, std::uint64_t most_holds) {
  Seat& board = stage_.board.seats[seat];
  const std::uint64_t life = get(board.life) + 1;
  put(board.life, life);
  put(board.doing, 0);
  processes_[seat] = start_child([&] { live(seat, life, most_holds); });
  put(board.process, static_cast<std::uint64_t>(processes_[seat]));
}

void Crew::live(std::uint32_t seat, std::uint64_t life, std::uint64_t most_holds) const {
  Worker worker(stage_, seat, life);
  while (get(stage_.board.go) == 0) sched_yield();
  worker.live(most_holds);
  _exit(0);
}

std::vector<std::uint32_t> Crew::living() const {
  std::vector<std::uint32_t> seats;
  for (std::uint32_t seat = 0; seat < kMostSeats; ++seat) {
    if (alive(seat)) seats.push_back(seat);
  }
  return seats;
}

bool Crew::collect() {
  for (const std::uint32_t seat : living()) {
    int status = 0;
    if (waitpid(processes_[seat], &status, WNOHANG) != processes_[seat]) continue;
    processes_[seat] = 0;
    const auto number = static_cast<std::uint8_t>(seat);
    if (WIFSIGNALED(status)) {
      const auto signal = static_cast<std::uint32_t>(WTERMSIG(status));
      stage_.board.note({.fault = Charge::kDied, .seat = number, .x = signal});
    } else if (WEXITSTATUS(status) != 0) {
      const auto code = static_cast<std::uint32_t>(WEXITSTATUS(status));
      stage_.board.note({.fault = Charge::kExited, .seat = number, .x = code});
    }
  }
  return stage_.board.noted().fault != Charge::kNone;
}

void Crew::kill(std::uint32_t seat) {
  Seat& board = stage_.board.seats[seat];
  put(board.killed_life, get(board.life));
  ::kill(processes_[seat], SIGKILL);
  await(processes_[seat], WEXITED);
}

void Crew::bury(std::uint32_t seat) {
  collect_one(processes_[seat]);
  processes_[seat] = 0;
}

void Crew::stop(std::uint32_t seat) {
  ::kill(processes_[seat], SIGSTOP);
  await(processes_[seat], WSTOPPED | WEXITED);
  put(stage_.board.seats[seat].stopped, 1);
}

void Crew::go_on(std::uint32_t seat) {
  put(stage_.board.seats[seat].stopped, 0);
  if (alive(seat)) ::kill(processes_[seat], SIGCONT);
}

bool Crew::recycle(pid_t number) {
  const std::optional<pid_t> stranger = start_stranger(number);
  if (stranger) strangers_.push_back(*stranger);
  return stranger.has_value();
}

bool can_recycle_numbers() {
  const pid_t dead = start_child([] {});
  collect_one(dead);
  const std::optional<pid_t> stranger = start_stranger(dead);
  if (!stranger) return false;
  ::kill(*stranger, SIGKILL);
  collect_one(*stranger);
  return true;
}

}  // namespace lockbench::stress::proc
