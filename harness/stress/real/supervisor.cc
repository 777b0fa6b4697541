// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/real/supervisor.h"

#include <chrono>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/stress/real/forked_child.h"
#include "harness/stress/real/standstill.h"

#if defined(__SANITIZE_THREAD__)
// The first race ends the process, with the code below.
extern "C" const char* __tsan_default_options();
extern "C" const char* __tsan_default_options() {
  return "halt_on_error=1";
}
#endif

namespace lockbench::stress::real {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTick{10};
constexpr int kTicksBetweenLooks = 10;
constexpr milliseconds kPatienceForACall{500};
constexpr milliseconds kPatienceForTheProcess{5000};

// By what a process is convicted that ends itself: sanitizers do so.
#if defined(__SANITIZE_THREAD__)
constexpr Oracle kExitOracle = Oracle::kOrdering;
constexpr bool kSanitized = true;
#elif defined(__SANITIZE_ADDRESS__)
constexpr Oracle kExitOracle = Oracle::kLifetime;
constexpr bool kSanitized = true;
#else
constexpr Oracle kExitOracle = Oracle::kCrash;
constexpr bool kSanitized = false;
#endif

// ---- in the child

Board* the_board = nullptr;

// Async-signal-safe: notes which thread it is, and dies of the same signal.
extern "C" void note_crash(int number) {
  const auto task = static_cast<std::uint64_t>(gettid());
  for (std::uint32_t i = 0; i < kMostThreads; ++i) {
    if (get(the_board->lines[i].task) == task) put(the_board->crashed_thread, i + 1);
  }
  signal(number, SIG_DFL);
  ::raise(number);
}

void go_through(Board& board, const std::function<void()>& body) {
  the_board = &board;
  if (!kSanitized) {  // they have handlers of their own
    for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) signal(number, note_crash);
  }
  body();
  put(board.done, 1);
}

// ---- in the parent

bool calls_the_suspect(std::uint64_t phase) {
  return phase == Board::kProbing || phase == Board::kChecking || phase == Board::kIndependence;
}

std::uint64_t told_on(const Board& board) {
  std::uint64_t told = get(board.beat) * 8 + get(board.phase);
  if (get(board.phase) != Board::kStopping) return told;
  for (const Line& line : board.lines) told += get(line.events) << 32;
  return told;
}

class Watcher {
 public:
  Watcher(const Board& board, pid_t child) : board_(board), child_(child) {}

  bool stands_still() {
    const std::vector<pid_t> tasks = tasks_of(child_);
    const bool hangs = process_.reached(told_on(board_), child_, tasks);
    const bool call = call_.reached(told_on(board_), child_, tasks);
    return hangs || (call && calls_the_suspect(get(board_.phase)));
  }

 private:
  const Board& board_;
  const pid_t child_;
  Standstill call_{kPatienceForACall};
  Standstill process_{kPatienceForTheProcess};
};

Charge charge_for_hanging(const Board& board) {
  switch (get(board.phase)) {
    case Board::kProbing:
      return {.oracle = Oracle::kProgress, .fault = Charge::kStandstill};
    case Board::kChecking:
      return {.oracle = Oracle::kProgress, .fault = Charge::kNoReturn};
    case Board::kIndependence:
      return {.oracle = Oracle::kIndependence,
              .fault = Charge::kDependent,
              .other = static_cast<std::uint32_t>(get(board.asked_key)),
              .key = static_cast<std::uint32_t>(get(board.held_key))};
    default:
      return {.oracle = Oracle::kProgress, .fault = Charge::kProcessHangs};
  }
}

Charge charge_for_end(const Board& board, int status) {
  if (WIFEXITED(status)) {
    return {.oracle = kExitOracle,
            .fault = Charge::kExited,
            .x = static_cast<std::uint64_t>(WEXITSTATUS(status))};
  }
  return {.oracle = Oracle::kCrash,
          .fault = Charge::kDied,
          .thread = static_cast<std::uint32_t>(get(board.crashed_thread)) - 1,
          .x = static_cast<std::uint64_t>(WTERMSIG(status))};
}

void charge(Board& board, const Charge& with) {
  board.charge = with;
  board.charged.store(Board::kIs, std::memory_order_relaxed);  // relaxed: the child is gone
}

}  // namespace

bool watch_over(Board& board, const std::function<void()>& body,
                const std::function<void()>& look) {
  const ForkedChild child([&] { go_through(board, body); });
  Watcher watcher(board, child.pid());
  bool hangs = false;
  for (int tick = 1; !hangs && !child.gone_within(kTick); ++tick) {
    hangs = watcher.stands_still();
    if (tick % kTicksBetweenLooks == 0) look();
  }
  if (hangs) child.kill();
  const int status = child.status();
  if (board.charged.load(std::memory_order_relaxed) == Board::kIs) return false;
  const bool finished = WIFEXITED(status) && WEXITSTATUS(status) == 0 && get(board.done) != 0;
  if (finished) return true;
  charge(board, hangs ? charge_for_hanging(board) : charge_for_end(board, status));
  return false;
}

}  // namespace lockbench::stress::real
