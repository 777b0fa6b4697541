// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/engine.h"

#include <algorithm>
#include <chrono>
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

#include "harness/stress/litmus/demand.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/oracles/fairness.h"
#include "harness/stress/oracles/unvaried.h"
#include "harness/stress/threads/conformance.h"
#include "harness/stress/threads/epoch_series.h"
#include "harness/stress/threads/shared_state.h"

namespace lockbench::stress::threads {
namespace {

using Clock = std::chrono::steady_clock;
using Report = stress::Report;

constexpr std::chrono::milliseconds kMostForReruns{2000};

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

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

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

// Epochs end when 98 % of the budget is used, because the last one needs some time to stop.
absl::StatusOr<Series> series_for(const RegisteredLock& entry, const Order& order) {
  const Clock::time_point now = Clock::now();
  Series series{.seed = order.seed,
                .until = now + order.budget / 50 * 49,
                .ends_by = now + order.budget + kMostBeyondBudget};
  series.wish = {.threads = order.threads,
                 .processors = std::max(1U, std::thread::hardware_concurrency())};
  if (order.threads == 0 || order.threads > kMostThreads) {
    return absl::InvalidArgumentError(
        absl::StrCat("threads: ", order.threads, "; say 1 to ", kMostThreads));
  }
  if (!order.program.empty()) {
    absl::StatusOr<LitmusProgram> program = valid_program(order.program);
    if (!program.ok()) return program.status();
    series.wish.program = *std::move(program);
  }
  series.modes.resize(kModes);
  std::iota(series.modes.begin(), series.modes.end(), 0);
  if (!order.mode.empty()) {
    const absl::StatusOr<Mode> mode = mode_from(order.mode);
    if (!mode.ok()) return mode.status();
    std::erase_if(series.modes, [&](std::size_t i) { return modes()[i] != *mode; });
    const bool delays = mode->fault == FaultKind::kAccessDelays;
    if (delays && !entry.make_instrumented) {
      return absl::InvalidArgumentError(
          absl::StrCat("mode ", order.mode, ": `", entry.name,
                       "` was not compiled for it; lockbench_add_plugin() does so for a plug-in"));
    }
  } else {
    series.modes = with_delays_between(entry, series.modes);
  }
  return series;
}

std::uint64_t epochs_on(const SharedState& state) {
  std::uint64_t epochs = 0;
  for (const Word& finished : state.epochs) epochs += get(finished);
  return epochs;
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

void report_figures(const SharedState& state, Report& report) {
  report.evaluations = evaluations_of(state.slots);
  const auto operations = static_cast<double>(sum_of(state.slots, &ThreadSlot::acquisitions));
  const auto contended = static_cast<double>(sum_of(state.slots, &ThreadSlot::contended));
  const auto refusals = static_cast<double>(sum_of(state.slots, &ThreadSlot::refusals));
  const double takes = std::max(operations + refusals, 1.0);
  const LongestWait worst = worst_wait(state).first;
  report.figures = {
      {"epochs", static_cast<double>(epochs_on(state))},
      {"lock_operations", operations},
      {"refusals", refusals},
      {"contended_operations", contended},
      {"contended_share", contended / takes},
      {"injections", static_cast<double>(sum_of(state.slots, &ThreadSlot::injections))},
      {"longest_wait_ns",
       static_cast<double>(highest_of(state.slots, &ThreadSlot::longest_wait_ns))},
      {"longest_undisturbed_wait_ns", static_cast<double>(worst.waited_ns)},
      {"grants_to_others_meanwhile", static_cast<double>(worst.grants)}};
}

void report_remarks(const SharedState& state, Report& report) {
  std::string by_mode;
  for (std::size_t i = 0; i < kModes; ++i) {
    if (get(state.epochs[i]) == 0) continue;
    absl::StrAppend(&by_mode, by_mode.empty() ? "" : ", ", std::string(modes()[i].name), " ",
                    get(state.epochs[i]));
  }
  if (const std::uint64_t clean = epochs_on(state); clean != 0) {
    report.remarks.push_back(absl::StrFormat("%d clean epochs (%s)", clean, by_mode));
  }
  if (const std::uint64_t refused = get(state.refused_by_kernel); refused != 0) {
    report.remarks.push_back(absl::StrFormat(
        "the kernel refused %d changes of priority or processor: some modes injected fewer faults",
        refused));
  }
}

// Describes the plan of the failed epoch.
std::string text_of(const EpochPlan& plan) {
  return absl::StrFormat("the epoch: %d threads, %d keys, %d ms%s%s", plan.program.threads.size(),
                         plan.keys, plan.length.count(), plan.yields ? ", yields and sleeps" : "",
                         plan.renews ? ", all wait for each other after each list, with a new lock"
                         : plan.barriers ? ", all wait for each other after each list"
                                         : "");
}

// The options that repeat the epoch.
std::vector<std::string> options_for(const Order& order, std::size_t mode, std::uint64_t seed) {
  std::vector<std::string> options = {
      "--engine", "real", "--mode", std::string(modes()[mode].name), "--seed", absl::StrCat(seed)};
  if (order.threads != Order().threads) {
    options.insert(options.end(), {"--threads", absl::StrCat(order.threads)});
  }
  if (!order.program.empty()) options.insert(options.end(), {"--program", order.program});
  return options;
}

void rerun(const RegisteredLock& entry, Series series, const SharedState& convicted,
           std::uint32_t most, const ReportProgress& report_progress, Report& report) {
  const auto budget_end = series.until;
  const auto until = std::min(budget_end, Clock::now() + kMostForReruns);
  series.modes = {get(convicted.mode)};
  series.seed = get(convicted.seed);
  series.most_epochs = 1;
  series.until = Clock::time_point::max();
  while (report.replay.reruns < most && Clock::now() < until) {
    const SharedStateMemory state;
    const auto look = [&] { report_progress(absl::StrCat("rerun ", report.replay.reruns + 1)); };
    const Supervised seen = test_lock(*state, entry, series, look);
    if (seen == Supervised::kUnfinished) return;
    ++report.replay.reruns;
    if (seen == Supervised::kFailed) ++report.replay.failures;
  }
}

void report_failure(const SharedState& state, const RegisteredLock& entry, const Order& order,
                    Report& report) {
  report.verdict = Verdict::kFailed;
  report.failure = failure_in(state, entry.abilities);
  report.how = modes()[get(state.mode)].name;
  report_trace(state.slots, get(state.began_ns), "thread", report);
  report.replay.options = options_for(order, get(state.mode), get(state.seed));
}

// What a lock that does not promise to be fair may do: no failure. Absent if no thread starved.
std::optional<std::string> starvation_remark(const SharedState& state) {
  const auto [wait, seed] = worst_wait(state);
  const CheckResult seen = oracles::Fairness::check(wait);
  if (!seen.failure) return std::nullopt;
  return absl::StrCat("no fairness is promised: ", oracles::Fairness::text(*seen.failure, "thread"),
                      " (--mode fairness --seed ", seed, ")");
}

// Its threads made progress until the end, or got too little processor time to tell.
std::string unfinished_remark(const SharedState& state, const Order& order) {
  return absl::StrCat("the last epoch had not ended ", kMostBeyondBudget.count(),
                      " s after the budget, and nothing shows that it never would (",
                      absl::StrJoin(options_for(order, get(state.mode), get(state.seed)), " "),
                      ")");
}

}  // namespace

absl::StatusOr<Report> test_lock(const RegisteredLock& entry, const Order& order,
                                 const ReportProgress& report_progress) {
  if (!order.net.empty()) return check_conformance(entry, order, report_progress);
  const absl::StatusOr<Series> series = series_for(entry, order);
  if (!series.ok()) return series.status();
  const Clock::time_point began = Clock::now();
  const SharedStateMemory state;
  const Supervised seen = test_lock(
      *state, entry, *series, [&] { report_progress(absl::StrCat(epochs_on(*state), " epochs")); });
  const bool clean = seen != Supervised::kFailed;
  Report report{.engine = "real", .lock = entry.name, .found_after_s = seconds_since(began)};
  if (!clean) report_failure(*state, entry, order, report);
  report_figures(*state, report);
  report_remarks(*state, report);
  if (!clean) {
    const EpochPlan plan =
        plan_epoch(entry, series->wish, modes()[get(state->mode)], get(state->seed));
    report.remarks.push_back(text_of(plan));
    const std::string names = remark_on_names(plan.program, entry.abilities);
    if (!names.empty()) report.remarks.push_back(names);
    rerun(entry, *series, *state, order.reruns, report_progress, report);
    report.seconds = seconds_since(began);
    return report;
  }
  if (const std::uint64_t epochs = epochs_on(*state); epochs != 0) {
    report.remarks.push_back(confidence_remark(epochs));
  }
  if (const auto remark = starvation_remark(*state)) report.remarks.push_back(*remark);
  if (!entry.make_instrumented) report.remarks.emplace_back(kNoDelays);
  report.verdict =
      clean_or_inconclusive(report.evaluations, needed_oracles(EngineId::kReal, entry.abilities));
  if (seen == Supervised::kUnfinished) {
    report.verdict = Verdict::kInconclusive;
    report.remarks.push_back(unfinished_remark(*state, order));
  }
  if (report.verdict == Verdict::kClean) {
    report.remarks.insert(report.remarks.begin(),
                          unvaried_remark(EngineId::kReal, entry.abilities));
  }
  report.seconds = seconds_since(began);
  return report;
}

}  // namespace lockbench::stress::threads
