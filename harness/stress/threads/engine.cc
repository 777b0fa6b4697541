// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/engine.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include "harness/stress/campaign.h"
#include "harness/stress/litmus/demand.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/oracles/fairness.h"
#include "harness/stress/oracles/unvaried.h"
#include "harness/stress/threads/epoch.h"
#include "harness/stress/threads/supervisor.h"

namespace lockbench::stress::threads {
namespace {

using Clock = std::chrono::steady_clock;
using Report = stress::Report;

// How long an epoch may go on when the budget is over: many threads on few processors take a second
// or two until all have ended or are seen to stall.
constexpr std::chrono::seconds kMostBeyondBudget{3};

// The index of the mode `access_delays` in modes().
constexpr std::size_t kDelaysMode = 0;

// For a lock that was not compiled for that mode.
constexpr std::string_view kNoDelays =
    "not checked: delays between two accesses inside of the lock; without them, a wake-up lost at "
    "a "
    "timeout or an ABA fault is seldom found (a plug-in: build NAME.delays.so, as "
    "lockbench_add_plugin() does; or use the engine sim)";

// Shorter epochs are not worth the time to start their threads.
constexpr std::chrono::milliseconds kShortest{5};

absl::StatusOr<LitmusProgram> valid_program(const std::string& text) {
  absl::StatusOr<LitmusProgram> program = program_from(text, kMostThreads);
  if (!program.ok()) return program.status();
  if (program->keys() >= kMostKeys) {
    return absl::InvalidArgumentError(
        absl::StrCat("program: key ", program->keys() - 1, "; the highest is ", kMostKeys - 2));
  }
  for (const auto& acts : program->threads) {
    if (std::any_of(acts.begin(), acts.end(), [](const Act& a) {
          return a.kind == Act::kAwaitEnd || a.kind == Act::kLeaveForGood;
        })) {
      return absl::InvalidArgumentError(
          "program: real threads do their acts over and over and have no end that could be "
          "awaited; leave A and X out");
    }
  }
  return program;
}

// If the lock has instrumented code, every second epoch delays accesses inside of the lock, because
// no other mode does that.
std::vector<std::size_t> with_delays_between(const RegisteredLock& entry,
                                             const std::vector<std::size_t>& all) {
  std::vector<std::size_t> turns;
  for (const std::size_t mode : all) {
    if (modes()[mode].fault == FaultKind::kAccessDelays) continue;
    if (entry.make_instrumented) turns.push_back(kDelaysMode);
    turns.push_back(mode);
  }
  return turns;
}

absl::StatusOr<std::vector<std::size_t>> modes_for(const RegisteredLock& entry,
                                                   const Order& order) {
  if (order.mode.empty()) {
    std::vector<std::size_t> all(kModes);
    std::iota(all.begin(), all.end(), 0);
    return with_delays_between(entry, all);
  }
  const absl::StatusOr<std::size_t> mode = mode_named(modes(), kRealEngine, order.mode);
  if (!mode.ok()) return mode.status();
  if (modes()[*mode].fault == FaultKind::kAccessDelays && !entry.make_instrumented) {
    return absl::InvalidArgumentError(
        absl::StrCat("mode ", order.mode, ": `", entry.name,
                     "` was not compiled for it; lockbench_add_plugin() does so for a plug-in"));
  }
  return std::vector<std::size_t>{*mode};
}

absl::StatusOr<Wish> wish_for(const Order& order) {
  Wish wish{.threads = order.threads,
            .processors = std::max(1U, std::thread::hardware_concurrency())};
  if (order.threads == 0 || order.threads > kMostThreads) {
    return absl::InvalidArgumentError(
        absl::StrCat("threads: ", order.threads, "; say 1 to ", kMostThreads));
  }
  if (!order.program.empty()) {
    absl::StatusOr<LitmusProgram> program = valid_program(order.program);
    if (!program.ok()) return program.status();
    wish.program = *std::move(program);
  }
  return wish;
}

// The worst wait of the fairness epochs, and the seed of its epoch.
std::pair<LongestWait, std::uint64_t> worst_wait(const SharedState& state) {
  std::pair<LongestWait, std::uint64_t> worst;
  for (std::uint32_t i = 0; i < state.slots.size(); ++i) {
    const ThreadSlot& slot = state.slots[i];
    const LongestWait wait{.thread = i,
                           .key = static_cast<std::uint32_t>(get(slot.starved_key)),
                           .waited_ns = get(slot.starved_ns),
                           .grants = get(slot.starved_grants)};
    if (oracles::Fairness::worse(wait, worst.first)) worst = {wait, get(slot.starved_seed)};
  }
  return worst;
}

// Describes the plan of the failed epoch.
std::string text_of(const EpochPlan& plan) {
  return absl::StrFormat("the epoch: %d threads, %d keys, %d ms%s%s", plan.program.threads.size(),
                         plan.keys, plan.length.count(), plan.yields ? ", yields and sleeps" : "",
                         plan.renews ? ", all wait for each other after each list, with a new lock"
                         : plan.barriers ? ", all wait for each other after each list"
                                         : "");
}

// Says what a lock that does not promise to be fair may do: no failure. Absent if no thread
// starved.
std::optional<std::string> starvation_remark(const SharedState& state) {
  const auto [wait, seed] = worst_wait(state);
  const CheckResult seen = oracles::Fairness::check(wait);
  if (!seen.failure) return std::nullopt;
  return absl::StrCat("no fairness is promised: ", oracles::Fairness::text(*seen.failure, "thread"),
                      " (--mode fairness --seed ", seed, ")");
}

class ThreadEpochs final : public Epochs {
 public:
  ThreadEpochs(const RegisteredLock& entry, const Order& order, Wish wish,
               std::vector<std::size_t> modes, const ReportProgress& report_progress)
      : entry_(entry),
        order_(order),
        wish_(std::move(wish)),
        modes_(std::move(modes)),
        report_progress_(report_progress) {}

  absl::Status search(Clock::time_point until) override {
    ends_by_ = Clock::now() + order_.budget + kMostBeyondBudget;
    const auto body = [&] {
      for (std::uint64_t i = 0;; ++i) {
        const auto left = std::chrono::floor<std::chrono::milliseconds>(until - Clock::now());
        if (left < kShortest) return;
        run(*state_, modes_[i % modes_.size()], epoch_seed(order_.seed, i), left);
      }
    };
    seen_ = supervise(
        *state_, body, [this] { report_progress_(absl::StrCat(epochs(), " epochs")); }, ends_by_);
    return absl::OkStatus();
  }

  absl::StatusOr<std::optional<bool>> repeat() override {
    const SharedStateMemory state;
    const auto body = [&] { run(*state, mode(), seed(), std::chrono::milliseconds::max()); };
    const Supervised seen = supervise(
        *state, body, [] {}, ends_by_);
    repeated_.reset();
    if (seen == Supervised::kFailed) repeated_ = failure_in(*state, entry_.abilities).oracle;
    if (seen == Supervised::kUnfinished || seen == Supervised::kNoThreads) return std::nullopt;
    return seen == Supervised::kFailed;
  }

  std::optional<Oracle> oracle_of_repetition() const override { return repeated_; }

  std::unique_ptr<Epochs> as_command() const override {
    Order command = order_;
    command.mode = modes()[mode()].name;
    command.seed = seed();
    return std::make_unique<ThreadEpochs>(entry_, command, wish_, std::vector{mode()},
                                          report_progress_);
  }

  std::vector<Clean> clean() const override {
    std::vector<Clean> all;
    for (std::size_t i = 0; i < kModes; ++i) {
      all.push_back({modes()[i].name, get(state_->epochs[i])});
    }
    return all;
  }

  std::optional<Failure> failure() const override {
    if (seen_ != Supervised::kFailed) return std::nullopt;
    return failure_in(*state_, entry_.abilities);
  }

  void report_work(Report& report) const override {
    report_slots(state_->slots, report);
    const LongestWait worst = worst_wait(*state_).first;
    report.figures.emplace_back("contended_operations",
                                static_cast<double>(sum_of(state_->slots, &ThreadSlot::contended)));
    report.figures.emplace_back("longest_undisturbed_wait_ns",
                                static_cast<double>(worst.waited_ns));
    report.figures.emplace_back("grants_to_others_meanwhile", static_cast<double>(worst.grants));
    if (const std::uint64_t refused = get(state_->refused_by_kernel); refused != 0) {
      report.remarks.push_back(absl::StrFormat(
          "the kernel refused %d changes of priority or processor: some modes injected fewer "
          "faults",
          refused));
    }
  }

  void report_failure(Report& report) const override {
    report.how = modes()[mode()].name;
    report_trace(state_->slots, get(state_->began_ns), "thread", report);
    add_options_of_epoch(report);
    const EpochPlan plan = plan_epoch(entry_, wish_, modes()[mode()], seed());
    report.remarks.push_back(text_of(plan));
    const std::string names = remark_on_names(plan.program, entry_.abilities);
    if (!names.empty()) report.remarks.push_back(names);
  }

  void report_clean(Report& report) const override {
    if (const auto remark = starvation_remark(*state_)) report.remarks.push_back(*remark);
    if (!entry_.make_instrumented) report.remarks.emplace_back(kNoDelays);
    if (seen_ == Supervised::kUnfinished) {
      // Its threads made progress until the end, or got too little processor time to tell.
      report.verdict = Verdict::kInconclusive;
      add_options_of_epoch(report);
      report.remarks.push_back(
          absl::StrCat("the last epoch had not ended ", kMostBeyondBudget.count(),
                       " s after the budget, and nothing shows that it never would (",
                       absl::StrJoin(report.replay.options, " "), ")"));
    }
    if (seen_ == Supervised::kNoThreads) {
      report.verdict = Verdict::kInconclusive;
      add_options_of_epoch(report);
      report.remarks.push_back(
          absl::StrCat("the machine refused a thread (`ulimit -u`, pids.max of the control group), "
                       "so the last epoch was not run to its end (",
                       absl::StrJoin(report.replay.options, " "), ")"));
    }
    if (get(state_->smaller_crowds) != 0) {
      report.remarks.emplace_back(
          "the machine refused threads (`ulimit -u`, pids.max of the control group): fewer readers "
          "were inside, or fewer threads slept, at once than the engine tries");
    }
    if (report.verdict == Verdict::kClean) {
      report.remarks.insert(report.remarks.begin(), unvaried_remark(kRealEngine, entry_.abilities));
    }
  }

 private:
  void run(SharedState& state, std::size_t mode, std::uint64_t seed,
           std::chrono::milliseconds longest) const {
    EpochPlan plan = plan_epoch(entry_, wish_, threads::modes()[mode], seed);
    plan.length = std::min(plan.length, longest);
    put(state.mode, mode);
    put(state.seed, plan.seed);
    run_epoch(state, entry_, plan);
    add(state.epochs[mode]);
  }

  // The mode, the seed and the options of the last epoch.
  std::size_t mode() const { return get(state_->mode); }
  std::uint64_t seed() const { return get(state_->seed); }
  void add_options_of_epoch(Report& report) const {
    std::vector<std::string>& options = report.replay.options;
    options.insert(options.end(),
                   {"--mode", std::string(modes()[mode()].name), "--seed", absl::StrCat(seed())});
  }

  std::uint64_t epochs() const {
    std::uint64_t epochs = 0;
    for (const Word& finished : state_->epochs) epochs += get(finished);
    return epochs;
  }

  const RegisteredLock& entry_;
  const Order order_;
  const Wish wish_;
  const std::vector<std::size_t> modes_;  // indexes into modes(), used in turn
  const ReportProgress& report_progress_;
  const SharedStateMemory state_;
  Clock::time_point ends_by_;  // after that, an epoch is ended without a result
  Supervised seen_ = Supervised::kReturned;
  std::optional<Oracle> repeated_;
};

}  // namespace

absl::StatusOr<Report> test_lock(const RegisteredLock& entry, const Order& order,
                                 const ReportProgress& report_progress) {
  absl::StatusOr<Wish> wish = wish_for(order);
  if (!wish.ok()) return wish.status();
  absl::StatusOr<std::vector<std::size_t>> modes = modes_for(entry, order);
  if (!modes.ok()) return modes.status();
  ThreadEpochs epochs(entry, order, *std::move(wish), *std::move(modes), report_progress);
  return run_campaign(epochs, entry, order, {.engine = kRealEngine}, report_progress);
}

}  // namespace lockbench::stress::threads
