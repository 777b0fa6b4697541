// SPDX-License-Identifier: Apache-2.0

#include "harness/process/orphans.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <vector>

#include "harness/kernel/kernel_file.h"

namespace lockbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{2};

// Children that are not orphans.
std::set<pid_t>& known_children() {
  static std::set<pid_t> known;
  return known;
}

// The kernel lists children by the thread that started them; orphans are listed for the first
// thread.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    std::istringstream numbers(kernel_text(task.path() / "children").value_or(""));
    for (pid_t pid = 0; numbers >> pid;) found.push_back(pid);
  }
  return found;
}

std::vector<pid_t> orphans() {
  std::vector<pid_t> found = children();
  std::erase_if(found, [](pid_t pid) { return known_children().contains(pid); });
  return found;
}

void wait_a_moment() {
  constexpr timespec kMoment{.tv_sec = 0, .tv_nsec = 2'000'000};
  nanosleep(&kMoment, nullptr);
}

}  // namespace

void adopt_orphans() {
  static const bool adopted = [] {
    for (const pid_t pid : children()) known_children().insert(pid);
    return prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
  }();
  static_cast<void>(adopted);
}

ChildGuard::ChildGuard(pid_t pid) : pid_(pid) {
  known_children().insert(pid);
}

ChildGuard::~ChildGuard() {
  known_children().erase(pid_);
}

bool end_orphans() {
  const Clock::time_point give_up = Clock::now() + kPatience;
  for (;;) {
    const std::vector<pid_t> left = orphans();
    if (left.empty()) return true;
    bool ended = false;
    for (const pid_t pid : left) {
      kill(pid, SIGKILL);
      ended |= waitpid(pid, nullptr, WNOHANG) == pid;
    }
    // A process that has ended may have left orphans of its own.
    if (ended) continue;
    if (Clock::now() >= give_up) return false;
    wait_a_moment();
  }
}

}  // namespace lockbench
