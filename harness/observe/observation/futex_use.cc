// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/futex_use.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace lockbench {
namespace {

// Parts of names of the libraries that make such waits: C++'s, Abseil, folly, nsync, Rust's, TBB,
// glib.
constexpr std::array<std::string_view, 23> kEvents{
    "CondVar::",          "condition_variable", "Condvar::",      "condvar::",
    "nsync_cv_",          "nsync_note_",        "nsync_counter_", "semaphore::",
    "counting_semaphore", "__atomic_semaphore", "std::latch",     "__tree_barrier",
    "std::barrier",       "thread::park",       "Parker::park",   "Notification::",
    "BlockingCounter::",  "Mutex::Await",       "::LockWhen",     "Baton<",
    "concurrent_monitor", "EventCount",         "g_cond_wait"};
constexpr std::array<std::string_view, 12> kLocks{
    "Mutex::",  "mutex::",   "RwLock",    "rwlock",   "SharedMutex", "nsync_mu_",
    "RawMutex", "ssux_lock", "srw_mutex", "srw_lock", "g_mutex_",    "g_rec_mutex_"};
// Parts of names of functions between a lock and its user.
constexpr std::array<std::string_view, 13> kOfALock{
    "wait",  "lock",    "mutex",   "futex",   "sem",  "park", "atomic",
    "latch", "syscall", "condvar", "barrier", "sync", "srw"};

template <std::size_t size>
bool has_one_of(std::string_view text, const std::array<std::string_view, size>& parts) {
  return std::any_of(parts.begin(), parts.end(), [text](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  });
}

template <std::size_t size>
bool is_in(const std::vector<std::string>& functions,
           const std::array<std::string_view, size>& parts) {
  return std::any_of(functions.begin(), functions.end(),
                     [&parts](const std::string& one) { return has_one_of(one, parts); });
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

FutexUse use_of_futex(const std::vector<std::string>& functions, const FutexWaits& waits) {
  // The functions of a user's code may be called anything.
  const std::vector<std::string> of_lock(
      functions.begin(), functions.begin() + static_cast<std::ptrdiff_t>(
                                                 functions.empty() ? 0 : user_of_futex(functions)));
  if (is_in(of_lock, kEvents)) return FutexUse::kEvent;
  if (is_in(of_lock, kLocks)) return FutexUse::kLock;
  if (waits.ended == 0 && waits.unended == 1) return FutexUse::kEvent;
  const bool in_turn = waits.own_wakes != 0 && waits.own_wakes >= waits.other_wakes;
  return in_turn ? FutexUse::kLock : FutexUse::kUnknown;
}

std::size_t user_of_futex(const std::vector<std::string>& functions) {
  std::size_t i = 0;
  while (i + 1 < functions.size() && has_one_of(lower(functions[i]), kOfALock) &&
         functions[i + 1] != "start_thread") {
    ++i;
  }
  return i;
}

}  // namespace lockbench
