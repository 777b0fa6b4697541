// SPDX-License-Identifier: Apache-2.0

#include "harness/command/observe/wait_reason.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "harness/command/observe/futex_use.h"
#include "harness/simulated/instrumentation/function_names.h"

namespace lockbench {
namespace {

struct Known {
  std::string_view name;  // that the function's name contains
  WaitKind kind;
};

constexpr std::array kKnown{
    Known{"pthread_cond_", WaitKind::kCondition}, Known{"pthread_mutex_", WaitKind::kLock},
    Known{"pthread_rwlock_", WaitKind::kLock},    Known{"pthread_barrier_", WaitKind::kEvent},
    Known{"pthread_join", WaitKind::kEvent},      Known{"pthread_timedjoin", WaitKind::kEvent},
    Known{"pthread_clockjoin", WaitKind::kEvent}, Known{"std::thread::join", WaitKind::kEvent},
};

// Libraries of the system, whose code is no place of the program.
constexpr std::array<std::string_view, 6> kLibraries{"libc.so",  "libc-2",       "libpthread",
                                                     "ld-linux", "libstdc++.so", "libc++.so"};

// Functions of theirs in a program that they are linked into, without the underscores before them.
constexpr std::array<std::string_view, 6> kPrefixes{"pthread",      "lll_",    "futex_",
                                                    "new_sem_wait", "syscall", "gthread"};

WaitKind kind_of(const std::string& function) {
  for (const Known& known : kKnown) {
    if (function.find(known.name) != std::string::npos) return known.kind;
  }
  return WaitKind::kUnknown;
}

bool is_of_the_system(const CodePlace& caller) {
  const std::string_view module(caller.module);
  const std::string_view file = module.substr(module.rfind('/') + 1);
  std::string_view name(caller.function);
  name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
  const auto begins = [](std::string_view text) {
    return [text](std::string_view prefix) { return text.starts_with(prefix); };
  };
  return std::any_of(kLibraries.begin(), kLibraries.end(), begins(file)) ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(), begins(name));
}

}  // namespace

WaitReason wait_reason(const std::vector<CodePlace>& callers) {
  WaitReason reason;
  while (reason.caller < callers.size() && is_of_the_system(callers[reason.caller])) {
    // The outermost counts: a wait for a condition acquires a mutex.
    const WaitKind kind = kind_of(callers[reason.caller].function);
    if (kind != WaitKind::kUnknown) reason.kind = kind;
    ++reason.caller;
  }
  for (std::size_t i = reason.caller; i < callers.size(); ++i) {
    reason.functions.push_back(stress::without_parameters(callers[i].function));
  }
  if (!reason.functions.empty()) reason.caller += user_of_futex(reason.functions);
  // Without a caller of the program, the innermost is better than none.
  if (reason.caller == callers.size()) reason.caller = 0;
  return reason;
}

}  // namespace lockbench
