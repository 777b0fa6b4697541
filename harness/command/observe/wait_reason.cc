// SPDX-License-Identifier: Apache-2.0

#include "harness/command/observe/wait_reason.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "harness/stress/instrumentation/function_names.h"

namespace lockbench {
namespace {

struct Known {
  std::string_view name;  // that the function's name contains
  WaitKind kind;
};

// Within a library, the outermost one counts: a wait for a condition acquires a mutex.
constexpr std::array kKnown{
    Known{"pthread_cond_", WaitKind::kCondition},
    Known{"pthread_mutex_", WaitKind::kLock},
    Known{"pthread_rwlock_", WaitKind::kLock},
    Known{"pthread_barrier_", WaitKind::kEvent},
    Known{"pthread_join", WaitKind::kEvent},
    Known{"pthread_timedjoin", WaitKind::kEvent},
    Known{"pthread_clockjoin", WaitKind::kEvent},
    Known{"std::thread::join", WaitKind::kEvent},
    Known{"std::condition_variable", WaitKind::kCondition},
    Known{"std::__atomic_futex_unsigned", WaitKind::kEvent},  // std::future
    // Abseil, also with the namespace of a version: absl::lts_20220623::Mutex::Lock.
    Known{"::Mutex::LockSlow", WaitKind::kLock},
    Known{"::Mutex::Lock", WaitKind::kLock},
    Known{"::Mutex::ReaderLock", WaitKind::kLock},
    Known{"::Mutex::Await", WaitKind::kEvent},
    Known{"::Mutex::LockWhen", WaitKind::kEvent},
    Known{"::Mutex::ReaderLockWhen", WaitKind::kEvent},
    Known{"::CondVar::Wait", WaitKind::kEvent},
    Known{"::Notification::Wait", WaitKind::kEvent},
    Known{"::BlockingCounter::Wait", WaitKind::kEvent},
    Known{"::Barrier::Block", WaitKind::kEvent},
    // Rust's standard library, and parking_lot.
    Known{"Mutex::lock_contended", WaitKind::kLock},
    Known{"RwLock::read_contended", WaitKind::kLock},
    Known{"RwLock::write_contended", WaitKind::kLock},
    Known{"RawMutex::lock_slow", WaitKind::kLock},
    Known{"RawRwLock::lock_", WaitKind::kLock},
    Known{"Condvar::wait", WaitKind::kEvent},
    Known{"std::thread::park", WaitKind::kEvent},
    Known{"thread_parker", WaitKind::kEvent},
    Known{"Parker::park", WaitKind::kEvent},
};

// Shared libraries of the system whose code is no place of the program.
constexpr std::array<std::string_view, 7> kLibraries{
    "libc.so", "libc-2", "libpthread", "ld-linux", "libstdc++.so", "libc++.so", "libabsl_"};

// Functions of these libraries in a program that they are linked into, or that has parts of them in
// its own code.
constexpr std::array<std::string_view, 13> kPrefixes{
    "std::",    "absl::",  "core::", "parking_lot", "<std::",       "<parking_lot", "<lock_api",
    "lock_api", "pthread", "lll_",   "futex_",      "new_sem_wait", "syscall"};

WaitKind kind_of(const std::string& function) {
  WaitKind kind = WaitKind::kUnknown;
  std::size_t longest = 0;
  for (const Known& known : kKnown) {
    if (known.name.size() > longest && function.find(known.name) != std::string::npos) {
      kind = known.kind;
      longest = known.name.size();
    }
  }
  return kind;
}

// `lock`, `Lock`, `lock_shared`, `ReadLock`, … of a class or in a name that says what it is.
bool wraps_a_lock(const std::string& function) {
  const std::size_t colons = function.rfind("::");
  if (colons == std::string::npos) return false;
  const auto lower = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char letter) { return std::tolower(letter); });
    return text;
  };
  const std::string owner = lower(function.substr(0, colons));
  const std::string name = lower(function.substr(colons + 2));
  const auto has = [](const std::string& text, const auto&... words) {
    return ((text.find(words) != std::string::npos) || ...);
  };
  const std::string class_name =
      owner.substr(owner.rfind("::") == std::string::npos ? 0 : owner.rfind("::") + 2);
  return has(class_name, "mutex", "lock", "latch", "guard") &&
         (has(name, "lock", "enter", "acquire", "latch", "wait") || name == class_name);
}

bool is_of_a_library(const CodePlace& caller, const std::string& function) {
  const std::string_view module(caller.module);
  const std::string_view file = module.substr(module.rfind('/') + 1);
  const auto begins = [](std::string_view text) {
    return [text](std::string_view prefix) { return text.starts_with(prefix); };
  };
  if (std::any_of(kLibraries.begin(), kLibraries.end(), begins(file))) return true;
  std::string_view name(function);
  name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), begins(name));
}

}  // namespace

WaitReason wait_reason(const std::vector<CodePlace>& callers) {
  WaitReason reason;
  for (const CodePlace& caller : callers) {
    const std::string function = stress::without_parameters(caller.function);
    const bool wraps = wraps_a_lock(function);
    if (!wraps && !is_of_a_library(caller, function)) break;
    const WaitKind kind = kind_of(function);
    if (kind != WaitKind::kUnknown) {
      reason.kind = kind;
    } else if (wraps && reason.kind == WaitKind::kUnknown) {
      reason.kind = WaitKind::kLock;
    }
    ++reason.caller;
  }
  return reason;
}

}  // namespace lockbench
