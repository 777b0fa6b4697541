// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/proc/crew.h"

#include <csignal>
#include <optional>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/stress/proc/children.h"
#include "harness/stress/proc/worker.h"

namespace lockbench::stress::proc {

Crew::~Crew() {
  for (const std::uint32_t seat : living()) {
    kill(seat);
    bury(seat);
  }
  for (const pid_t stranger : strangers_) {
    ::kill(stranger, SIGKILL);
    collect_child(stranger);
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
  kill_child(processes_[seat]);
}

void Crew::bury(std::uint32_t seat) {
  collect_child(processes_[seat]);
  processes_[seat] = 0;
}

void Crew::stop(std::uint32_t seat) {
  stop_child(processes_[seat]);
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

}  // namespace lockbench::stress::proc
