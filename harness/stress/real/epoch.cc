// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/real/epoch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "harness/stress/real/aftermath.h"
#include "harness/stress/real/disturber.h"
#include "harness/stress/real/stage.h"
#include "harness/stress/real/standstill.h"
#include "harness/stress/real/task_state.h"
#include "harness/stress/real/worker.h"

namespace lockbench::stress::real {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience{500};
constexpr milliseconds kBetweenLooks{5};

class Epoch {
 public:
  Epoch(Board& board, const Lineup& lineup, const EpochPlan& plan, Suspect& suspect)
      : board_(board), plan_(plan), stage_(board, lineup, plan, suspect) {}

  void run() {
    start();
    {
      std::vector<pthread_t> handles;
      for (std::thread& thread : threads_) handles.push_back(thread.native_handle());
      const Disturber disturber(board_, plan_.mode.disturbance, plan_.seed, std::move(handles));
      put(board_.phase, Board::kRunning);
      go_.store(true, std::memory_order_release);
      std::this_thread::sleep_for(plan_.length);
    }
    // Not before the threads have their old priority again: one that ends at the lowest may take
    // seconds to be gone.
    stage_.stop();
    put(board_.phase, Board::kStopping);
    await_all();
    for (std::thread& thread : threads_) thread.join();
    look_at_what_is_left(stage_, workers_);
  }

 private:
  void start() {
    const auto count = static_cast<std::uint32_t>(plan_.client.threads.size());
    put(board_.threads, count);
    put(board_.began_ns, static_cast<std::uint64_t>(now_ns()));
    for (std::uint32_t i = 0; i < count; ++i) {
      put(board_.lines[i].standing.doing, 0);
      put(board_.lines[i].standing.holds, 0);
      workers_.push_back(std::make_unique<Worker>(stage_, i));
    }
    for (std::uint32_t i = 0; i < count; ++i) threads_.emplace_back([this, i] { live(i); });
    // relaxed: the number of those who are there is all that is read.
    while (there_.load(std::memory_order_relaxed) != count) sched_yield();
  }

  void live(std::uint32_t number) {
    Line& line = board_.lines[number];
    put(line.task, static_cast<std::uint64_t>(gettid()));
    const bool one_core = plan_.mode.disturbance == Disturbance::kOneCore;
    bind_to_processor(one_core ? plan_.seed : number);
    there_.fetch_add(1, std::memory_order_relaxed);
    while (!go_.load(std::memory_order_acquire)) sched_yield();
    if (!one_core && !bind_to(0, processors_)) add(board_.refused_by_kernel);
    while (!stage_.stopping()) {
      if (plan_.mode.disturbance == Disturbance::kThreadChurn) {
        live_another_life(number);
      } else {
        workers_[number]->go_through_acts();
      }
      if (plan_.meets) stage_.meet();
    }
    put(line.standing.doing, pack({.what = Deed::kEnded}));
    ended_.fetch_add(1, std::memory_order_relaxed);
  }

  // Threads begin on processors in turn, or they share one for most of an epoch while another is
  // idle.
  void bind_to_processor(std::uint64_t number) {
    const bool bound =
        !processors_.empty() && bind_to(0, {processors_[number % processors_.size()]});
    if (!bound) add(board_.refused_by_kernel);
  }

  // As a thread that ends before the next begins; the C library gives the next one's stack, and
  // with it its id, from those of the dead.
  void live_another_life(std::uint32_t number) {
    Line& line = board_.lines[number];
    std::thread([&] {
      put(line.task, static_cast<std::uint64_t>(gettid()));
      workers_[number]->go_through_acts();
    }).join();
    put(line.task, static_cast<std::uint64_t>(gettid()));
    add(line.injections);
  }

  void await_all() {
    Standstill standstill(kPatience);
    // relaxed: what the threads noted is read after they have been joined.
    while (ended_.load(std::memory_order_relaxed) != threads_.size()) {
      if (standstill.reached(events(), getpid(), tasks())) tell_standstill();
      std::this_thread::sleep_for(kBetweenLooks);
    }
    Line& own = board_.own_line();
    add(own.evaluations[static_cast<std::size_t>(Oracle::kProgress)]);
    add(own.evaluations[static_cast<std::size_t>(Oracle::kCycle)]);
  }

  std::uint64_t events() const {
    std::uint64_t events = ended_.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < threads_.size(); ++i) events += get(board_.lines[i].events);
    return events;
  }

  // All of this process but the one that asks: the suspect may have started some of its own.
  static std::vector<pid_t> tasks() {
    std::vector<pid_t> tasks = tasks_of(getpid());
    std::erase(tasks, gettid());
    return tasks;
  }

  [[noreturn]] void tell_standstill() {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      copy(board_.lines[i].standing, board_.stood[i]);
    }
    put(board_.phase, Board::kProbing);
    std::uint64_t free_keys = 0;
    for (std::uint32_t key = 0; key <= plan_.keys; ++key) {
      const std::unique_ptr<Claim> claim = stage_.suspect.claim(key);
      if (!claim->try_lock()) continue;
      free_keys |= std::uint64_t{1} << key;
      claim->unlock();
    }
    put(board_.free_keys, free_keys);
    put(board_.probed, 1);
    convict(board_, {.oracle = Oracle::kProgress, .fault = Charge::kStandstill, .key = plan_.keys});
  }

  Board& board_;
  const EpochPlan& plan_;
  Stage stage_;
  const std::vector<int> processors_ = own_processors();
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::thread> threads_;
  std::atomic<std::uint32_t> there_{0};
  std::atomic<bool> go_{false};
  std::atomic<std::uint32_t> ended_{0};
};

}  // namespace

void run_epoch(Board& board, const Lineup& lineup, const EpochPlan& plan) {
  put(board.phase, Board::kPreparing);
  add(board.beat);
  const std::unique_ptr<Suspect> suspect = lineup.make(plan.keys + 1);
  Epoch(board, lineup, plan, *suspect).run();
  put(board.phase, Board::kChecking);
}

}  // namespace lockbench::stress::real
