// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/supervision/watched_child.h"

#include <chrono>
#include <sys/wait.h>

#include "harness/stress/supervision/forked_child.h"
#include "harness/stress/supervision/stall_detector.h"

namespace lockbench::stress {
namespace {

constexpr std::chrono::milliseconds kTick{10};

}  // namespace

std::string status_text(const std::string& who, int status) {
  if (WIFSIGNALED(status)) return who + " died of signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) == 0) return "";
  return who + " ended itself with code " + std::to_string(WEXITSTATUS(status));
}

ChildEnd watch_child(const std::function<void()>& body,
                     const std::function<std::uint64_t()>& progress) {
  const ForkedChild child(body);
  StallDetector stall;
  ChildEnd end;
  while (!end.stalled && !child.ends_within(kTick)) {
    end.stalled = stall.reached(progress(), child.pid(), tasks_of(child.pid()));
  }
  if (end.stalled) child.kill();
  const int status = child.status();
  if (!end.stalled) end.says = status_text("the process", status);
  return end;
}

}  // namespace lockbench::stress
