// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/wait_reason.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "harness/observe/observation/futex_use.h"
#include "harness/symbols/function_names.h"

namespace lockbench {
namespace {

struct Known {
  std::string_view name;  // that the function's name contains
  WaitKind kind;
};

// The first that fits counts. Who signals a condition waits for no lock: the C library lets it
// sleep until threads that were woken before have left, which is long where processors are short.
constexpr std::array kKnown{
    Known{"pthread_cond_signal", WaitKind::kEvent},
    Known{"pthread_cond_broadcast", WaitKind::kEvent},
    Known{"pthread_cond_destroy", WaitKind::kEvent},
    Known{"pthread_cond_", WaitKind::kCondition},
    Known{"pthread_mutex_", WaitKind::kLock},
    Known{"lll_lock_wait", WaitKind::kLock},  // of malloc() and of streams, where it has a name
    Known{"pthread_rwlock_", WaitKind::kLock},
    Known{"pthread_barrier_", WaitKind::kEvent},
    Known{"pthread_join", WaitKind::kEvent},
    Known{"pthread_timedjoin", WaitKind::kEvent},
    Known{"pthread_clockjoin", WaitKind::kEvent},
    Known{"std::thread::join", WaitKind::kEvent},
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

bool is_of_the_system(const CodeLocation& caller) {
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

// The names of the functions from `first` on. Local functions of a stripped library have none: they
// are taken for their caller, if that is in the library, too.
std::vector<std::string> functions_of(const std::vector<CodeLocation>& callers, std::size_t first) {
  std::vector<std::string> functions(callers.size() - first);
  for (std::size_t i = callers.size(); i-- > first;) {
    const CodeLocation& caller = callers[i];
    std::string& function = functions[i - first];
    function = stress::without_parameters(caller.function);
    const bool has_caller = i + 1 < callers.size() && callers[i + 1].module == caller.module;
    const bool in_library = caller.module.find(".so") != std::string::npos;
    if (function.empty() && has_caller && in_library) function = functions[i - first + 1];
  }
  return functions;
}

}  // namespace

WaitReason wait_reason(const std::vector<CodeLocation>& callers) {
  WaitReason reason;
  while (reason.caller < callers.size() && is_of_the_system(callers[reason.caller])) {
    // The outermost counts: a wait for a condition acquires a mutex.
    const WaitKind kind = kind_of(callers[reason.caller].function);
    if (kind != WaitKind::kUnknown) reason.kind = kind;
    ++reason.caller;
  }
  reason.functions = functions_of(callers, reason.caller);
  if (!reason.functions.empty()) reason.caller += user_of_futex(reason.functions);
  // Without a caller of the program, the innermost is better than none.
  if (reason.caller == callers.size()) reason.caller = 0;
  return reason;
}

}  // namespace lockbench
