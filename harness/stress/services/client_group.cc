// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/services/client_group.h"

#include <csignal>
#include <sys/wait.h>
#include <vector>

#include "harness/stress/supervision/abnormal_end.h"
#include "harness/stress/supervision/children.h"

namespace lockbench::stress::services {

ClientGroup::~ClientGroup() {
  for (const pid_t process : processes_) {
    if (process == 0) continue;
    kill_child(process);
    collect_child(process);
  }
}

void ClientGroup::start(std::uint32_t slot) {
  ClientSlot& state = context_.state.slots[slot];
  add(state.life);
  put(state.holding, 0);
  put(state.requested_ns, 0);
  const std::uint64_t life = get(state.life);
  processes_[slot] = start_child([&] {
    std::signal(SIGPIPE, SIG_DFL);  // a lock must not need its user to ignore it
    Client(context_, slot, life).run();
  });
}

std::uint32_t ClientGroup::collect() {
  std::uint32_t left = 0;
  for (std::uint32_t slot = 0; slot < kMostClients; ++slot) {
    int status = 0;
    if (!alive(slot)) continue;
    if (waitpid(processes_[slot], &status, WNOHANG) != processes_[slot]) {
      ++left;
      continue;
    }
    processes_[slot] = 0;
    if (const auto end = abnormal_end(status, slot)) check(context_.state, kOwnSlot, *end);
  }
  return left;
}

void ClientGroup::stop(std::uint32_t slot) {
  stop_child(processes_[slot]);
  stopped_[slot] = true;
}

void ClientGroup::go_on(std::uint32_t slot) {
  stopped_[slot] = false;
  if (alive(slot)) kill(processes_[slot], SIGCONT);
}

void ClientGroup::replace(std::uint32_t slot) {
  kill_child(processes_[slot]);
  collect_child(processes_[slot]);
  stopped_[slot] = false;
  start(slot);
}

std::optional<std::uint32_t> ClientGroup::holder(std::uint64_t draw) const {
  std::vector<std::uint32_t> holders;
  for (std::uint32_t slot = 0; slot < kMostClients; ++slot) {
    const bool holds = get(context_.state.slots[slot].holding) != 0;
    if (alive(slot) && !stopped(slot) && holds) holders.push_back(slot);
  }
  if (holders.empty()) return std::nullopt;
  return holders[draw % holders.size()];
}

}  // namespace lockbench::stress::services
