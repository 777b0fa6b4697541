// SPDX-License-Identifier: Apache-2.0

#include "harness/process/signals.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <initializer_list>

namespace lockbench {
namespace {

// A second signal of a kind that comes this soon belongs to the first: timeout(1), for example,
// sends one to its child and one to the group of the child.
constexpr std::int64_t kOneRequestNs = 300'000'000;

volatile std::sig_atomic_t noted = 0;

// When each signal was noted first; 0: it was not.
std::array<std::atomic<std::int64_t>, NSIG> noted_at_ns{};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);  // as a handler of signals needs

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

// Calls only what is allowed in a handler.
extern "C" void note(int signal) {
  noted = signal;
  const std::int64_t now = now_ns();
  std::int64_t first = 0;
  std::atomic<std::int64_t>& at = noted_at_ns[static_cast<std::size_t>(signal)];
  if (at.compare_exchange_strong(first, now) || now - first < kOneRequestNs) return;
  std::signal(signal, SIG_DFL);
  raise(signal);  // has its effect when this handler returns
}

}  // namespace

void note_signals() {
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = 0;  // no SA_RESTART: a wait in progress ends
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction inherited {};
    sigaction(signal, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
}

int noted_signal() {
  return noted;
}

}  // namespace lockbench
