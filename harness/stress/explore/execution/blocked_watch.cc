// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/execution/blocked_watch.h"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <execinfo.h>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include <absl/strings/str_cat.h>

#include "harness/stress/supervision/stall_detector.h"
#include "harness/symbols/function_names.h"

namespace lockbench::stress::explore {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBetweenChecks{20};
constexpr milliseconds kPatience{1000};
constexpr int kSignal = SIGUSR2;

std::array<void*, 32> the_calls;
std::atomic<int> the_depth{-1};

extern "C" void note_calls(int) {
  // (1) release: publishes the_calls to (2).
  the_depth.store(backtrace(the_calls.data(), the_calls.size()), std::memory_order_release);
}

std::string_view module_of(const void* address) {
  Dl_info info;
  if (dladdr(const_cast<void*>(address), &info) == 0) return {};
  return info.dli_fname;
}

bool is_of_the_system(std::string_view module) {
  return module.find("/libc.") != module.npos || module.find("/libpthread") != module.npos ||
         module.find("/libstdc++") != module.npos || module.empty();
}

// Names the innermost function outside of the system's libraries and the function that it calls.
std::string where(pid_t thread) {
  struct sigaction action {};
  action.sa_handler = note_calls;
  sigaction(kSignal, &action, nullptr);
  syscall(SYS_tgkill, getpid(), thread, kSignal);
  // (2) acquire: synchronizes with (1).
  for (int i = 0; i < 50 && the_depth.load(std::memory_order_acquire) < 0; ++i) {
    std::this_thread::sleep_for(kBetweenChecks);
  }
  const int depth = the_depth.load(std::memory_order_acquire);
  constexpr int kOfTheHandler = 2;
  std::string inner;
  for (int i = kOfTheHandler; i < depth; ++i) {
    const std::string name = function_at(the_calls[static_cast<std::size_t>(i)]);
    if (!is_of_the_system(module_of(the_calls[static_cast<std::size_t>(i)]))) {
      return inner.empty() ? name : absl::StrCat(name, ", in ", inner);
    }
    inner = name;
  }
  return inner.empty() ? "a call that could not be named" : inner;
}

}  // namespace

BlockedWatch::BlockedWatch(std::function<std::uint64_t()> beats,
                           std::function<void(const std::string&)> blocked)
    : beats_(std::move(beats)), blocked_(std::move(blocked)), watched_(gettid()) {
  // The first call of backtrace() loads a library, which a signal handler must not do.
  void* none = nullptr;
  backtrace(&none, 1);
  thread_ = std::thread([this] { watch(); });
}

BlockedWatch::~BlockedWatch() {
  {
    const std::scoped_lock guard(mutex_);
    ends_ = true;
  }
  over_.notify_one();
  thread_.join();
}

void BlockedWatch::watch() {
  StallDetector stall(kPatience);
  std::unique_lock guard(mutex_);
  while (!over_.wait_for(guard, kBetweenChecks, [this] { return ends_; })) {
    if (!stall.reached(beats_(), getpid(), {watched_})) continue;
    blocked_(where(watched_));
    _exit(0);
  }
}

}  // namespace lockbench::stress::explore
