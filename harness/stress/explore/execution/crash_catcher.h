// SPDX-License-Identifier: Apache-2.0

// CrashCatcher: a signal that would end the process during an execution ends this execution, with
// End::kCrashed. So a crash of the lock has a program, a schedule and a trace, and becomes smaller
// like any other failure.
//
// Not offered  A signal outside of an execution, and whatever else ends the process: own_process.h.
// Requires     One object at a time, in the thread that executes worlds.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <signal.h>

namespace lockbench::stress::explore {

class CrashCatcher {
 public:
  CrashCatcher();
  ~CrashCatcher();
  CrashCatcher(const CrashCatcher&) = delete;
  CrashCatcher& operator=(const CrashCatcher&) = delete;

 private:
  static constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

  std::unique_ptr<std::byte[]> stack_;
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace lockbench::stress::explore
