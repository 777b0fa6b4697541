// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/supervisor.h"

#include <chrono>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/stress/supervision/forked_child.h"
#include "harness/stress/supervision/stall_detector.h"
#include "harness/stress/supervision/watched_child.h"
#include "harness/stress/threads/guarded_memory.h"

#if defined(__SANITIZE_THREAD__)
// The first race ends the process with the exit code below.
extern "C" const char* __tsan_default_options();
extern "C" const char* __tsan_default_options() {
  return "halt_on_error=1";
}
#endif

namespace lockbench::stress::threads {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTick{10};
constexpr int kTicksBetweenChecks = 10;
constexpr milliseconds kPatienceForTheProcess{5000};

#if defined(__SANITIZE_THREAD__)
constexpr ProcessEnd::Detector kDetector = ProcessEnd::kThreadSanitizer;
#elif defined(__SANITIZE_ADDRESS__)
constexpr ProcessEnd::Detector kDetector = ProcessEnd::kAddressSanitizer;
#else
constexpr ProcessEnd::Detector kDetector = ProcessEnd::kNone;
#endif

// ---- in the child

SharedState* the_state = nullptr;

// Records which thread crashed and ends the process with the same signal. Async-signal-safe.
extern "C" void note_crash(int number, siginfo_t* facts, void*) {
  if (number == SIGSEGV && GuardedMemory::contains(facts->si_addr)) {
    put(the_state->used_destroyed_lock, 1);
  }
  const auto task = static_cast<std::uint64_t>(gettid());
  for (std::uint32_t i = 0; i < kMostThreads; ++i) {
    if (get(the_state->slots[i].task) == task) put(the_state->crashed_thread, i + 1);
  }
  signal(number, SIG_DFL);
  ::raise(number);
}

void go_through(SharedState& state, const std::function<void()>& body) {
  the_state = &state;
  if (kDetector == ProcessEnd::kNone) {  // sanitizers have their own handlers
    struct sigaction action {};
    action.sa_sigaction = note_crash;
    action.sa_flags = SA_SIGINFO;
    for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
      sigaction(number, &action, nullptr);
    }
  }
  body();
  put(state.done, 1);
}

// ---- in the parent

bool calls_the_lock(std::uint64_t phase) {
  return phase == SharedState::kProbing || phase == SharedState::kChecking ||
         phase == SharedState::kIndependence || phase == SharedState::kAnswering ||
         phase == SharedState::kOtherKeys || phase == SharedState::kFreeKey;
}

std::uint64_t progress_of(const SharedState& state) {
  std::uint64_t progress = get(state.beat) * 16 + get(state.phase);
  if (get(state.phase) != SharedState::kStopping) return progress;
  for (const ThreadSlot& slot : state.slots) progress += slot.events.count() << 32;
  return progress;
}

class Watcher {
 public:
  Watcher(const SharedState& state, pid_t child) : state_(state), child_(child) {}

  bool has_stalled() {
    const std::vector<pid_t> tasks = tasks_of(child_);
    const bool hangs = process_.reached(progress_of(state_), child_, tasks);
    const bool call = call_.reached(progress_of(state_), child_, tasks);
    return hangs || (call && calls_the_lock(get(state_.phase)));
  }

 private:
  const SharedState& state_;
  const pid_t child_;
  StallDetector call_;
  StallDetector process_{kPatienceForTheProcess};
};

template <class Seen>
void note(SharedState& state, const Seen& seen) {
  if (const auto failure = state.own_slot().check(seen)) state.failure.note(kOwnSlot, *failure);
}

void note_hang(SharedState& state) {
  switch (get(state.phase)) {
    case SharedState::kProbing:
      state.failure.note(kOwnSlot, {Oracle::kProgress, {.fault = oracles::Progress::kStall}});
      break;
    case SharedState::kChecking:
      note(state, Hang{Hang::kCallOfUnusedLock});
      break;
    case SharedState::kAnswering:
      note(state, Hang{Hang::kTryOfHeldKey});
      break;
    case SharedState::kOtherKeys:
      // For the first key, nothing else is held.
      if (get(state.held_key) == 0) return note(state, Hang{Hang::kCallOfUnusedLock});
      note(state, OneOfManyKeys{.key = static_cast<std::uint32_t>(get(state.asked_key)),
                                .held = get(state.held_key)});
      break;
    case SharedState::kFreeKey:
      note(state,
           FreeKey{.key = static_cast<std::uint32_t>(get(state.asked_key)), .lock_returns = false});
      break;
    case SharedState::kIndependence:
      note(state, OtherKey{.held = static_cast<std::uint32_t>(get(state.held_key)),
                           .asked = static_cast<std::uint32_t>(get(state.asked_key))});
      break;
    default:
      note(state, Hang{Hang::kWholeProcess});
  }
}

void note_end(SharedState& state, int status) {
  const std::uint32_t thread = static_cast<std::uint32_t>(get(state.crashed_thread)) - 1;
  // A process that exits with 0 before it is done ended all the same.
  ProcessEnd end = abnormal_end(status, thread).value_or(ProcessEnd{.thread = thread});
  end.detector = kDetector;
  end.used_destroyed_lock = get(state.used_destroyed_lock) != 0;
  note(state, end);
}

}  // namespace

Supervised supervise(SharedState& state, const std::function<void()>& body,
                     const std::function<void()>& look,
                     std::chrono::steady_clock::time_point ends_by) {
  const ForkedChild child([&] { go_through(state, body); });
  Watcher watcher(state, child.pid());
  bool hangs = false;
  bool is_over = false;
  for (int tick = 1; !hangs && !is_over && !child.ends_within(kTick); ++tick) {
    hangs = watcher.has_stalled();
    is_over = std::chrono::steady_clock::now() >= ends_by;
    if (tick % kTicksBetweenChecks == 0) look();
  }
  if (hangs || is_over) child.kill();
  const int status = child.status();
  if (state.failure.noted()) return Supervised::kFailed;
  if (get(state.no_more_threads) != 0) return Supervised::kNoThreads;
  const bool finished = WIFEXITED(status) && WEXITSTATUS(status) == 0 && get(state.done) != 0;
  if (finished) return Supervised::kReturned;
  if (is_over && !hangs) return Supervised::kUnfinished;
  hangs ? note_hang(state) : note_end(state, status);
  return Supervised::kFailed;
}

}  // namespace lockbench::stress::threads
