// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/processes/process_group.h"

#include <csignal>
#include <optional>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/stress/processes/checked_process.h"
#include "harness/stress/supervision/children.h"
#include "harness/stress/supervision/watched_child.h"

namespace lockbench::stress::processes {

ProcessGroup::~ProcessGroup() {
  for (const std::uint32_t slot : living()) {
    kill(slot);
    bury(slot);
  }
  for (const pid_t unrelated : unrelated_) {
    ::kill(unrelated, SIGKILL);
    collect_child(unrelated);
  }
}

void ProcessGroup::start(std::uint32_t slot, std::uint64_t most_holds) {
  ProcessSlot& state = context_.state.slots[slot];
  const std::uint64_t life = get(state.life) + 1;
  put(state.life, life);
  state.events.set_now({});
  const auto work = [&] { live(slot, life, most_holds); };
  processes_[slot] =
      watches_calls(context_.plan.fault()) ? calls_.start(slot, work) : start_child(work);
  put(state.process, static_cast<std::uint64_t>(processes_[slot]));
}

void ProcessGroup::live(std::uint32_t slot, std::uint64_t life, std::uint64_t most_holds) const {
  CheckedProcess process(context_, slot, life, most_holds);
  while (get(context_.state.go) == 0) sched_yield();
  process.run();
  _exit(0);
}

std::vector<std::uint32_t> ProcessGroup::living() const {
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slot < kMostProcesses; ++slot) {
    if (alive(slot)) slots.push_back(slot);
  }
  return slots;
}

bool ProcessGroup::collect() {
  for (const std::uint32_t slot : living()) {
    int status = 0;
    if (waitpid(processes_[slot], &status, WNOHANG) != processes_[slot]) continue;
    processes_[slot] = 0;
    if (const auto end = abnormal_end(status, slot)) check(context_.state, kOwnSlot, *end);
  }
  return context_.state.failure.noted().has_value();
}

void ProcessGroup::kill(std::uint32_t slot) {
  ProcessSlot& state = context_.state.slots[slot];
  put(state.killed_life, get(state.life));
  kill_child(processes_[slot]);
}

void ProcessGroup::bury(std::uint32_t slot) {
  collect_child(processes_[slot]);
  processes_[slot] = 0;
}

void ProcessGroup::stop(std::uint32_t slot) {
  stop_child(processes_[slot]);
  put(context_.state.slots[slot].stopped, 1);
}

void ProcessGroup::go_on(std::uint32_t slot) {
  put(context_.state.slots[slot].stopped, 0);
  if (alive(slot)) ::kill(processes_[slot], SIGCONT);
}

bool ProcessGroup::recycle(pid_t number) {
  const std::optional<pid_t> unrelated = start_unrelated_process(number);
  if (unrelated) unrelated_.push_back(*unrelated);
  return unrelated.has_value();
}

}  // namespace lockbench::stress::processes
