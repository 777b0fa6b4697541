// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/processes/engine.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <sys/prctl.h>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include "harness/stress/litmus/demand.h"
#include "harness/stress/processes/call_watch.h"
#include "harness/stress/processes/conformance.h"
#include "harness/stress/processes/epoch.h"
#include "harness/stress/processes/shared_state.h"

namespace lockbench::stress::processes {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using Report = stress::Report;

constexpr milliseconds kMostForReruns{2000};
constexpr milliseconds kProgressPeriod{100};

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

struct Series {
  std::vector<std::size_t> modes;  // indexes into modes(), used in turn
  std::string calls_not_watched;   // why modes that watch system calls are left out; or empty
  std::uint64_t seed = 1;
  std::uint32_t processes = 4;
  Clock::time_point until;
};

// Epochs end when 98 % of the budget is used, because the last one needs some time to stop.
absl::StatusOr<Series> series_for(const Order& order) {
  Series series{.seed = order.seed,
                .processes = order.threads,
                .until = Clock::now() + order.budget / 50 * 49};
  if (order.threads < 2 || order.threads > kMostProcesses) {
    return absl::InvalidArgumentError(
        absl::StrCat("threads: ", order.threads, "; say 2 to ", kMostProcesses, " processes"));
  }
  if (!order.program.empty()) {
    return absl::InvalidArgumentError(
        "program: processes draw what they do; leave --program out, or say --engine sim or real");
  }
  for (std::size_t i = 0; i < kModes; ++i) series.modes.push_back(i);
  if (!order.mode.empty()) {
    const absl::StatusOr<std::size_t> mode = mode_from(order.mode);
    if (!mode.ok()) return mode.status();
    series.modes = {*mode};
  }
  return series;
}

// Leaves out the modes that kill if the lock does not promise to survive that.
absl::Status leave_out_kills(Series& series, const LockLimits& limits) {
  if (!limits.no_kills) return absl::OkStatus();
  std::erase_if(series.modes, [](std::size_t mode) { return kills(modes()[mode].fault); });
  if (!series.modes.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "mode: it kills processes, and the lock promises .limits = {.no_kills = true}; leave --mode "
      "out, or say one that does not kill");
}

// Leaves out the modes that watch system calls if this machine does not allow it.
absl::Status leave_out_impossible_modes(Series& series) {
  const auto watches = [](std::size_t mode) { return watches_calls(modes()[mode].fault); };
  if (std::none_of(series.modes.begin(), series.modes.end(), watches)) return absl::OkStatus();
  const std::optional<std::string> why = CallWatch::why_unavailable();
  if (!why) return absl::OkStatus();
  series.calls_not_watched = *why;
  std::erase_if(series.modes, watches);
  if (!series.modes.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "mode: it stops processes at their system calls, which is not possible here (", *why,
      "); it requires Linux 5.5 and the permission to install a seccomp filter with user "
      "notification; leave --mode out"));
}

struct Work {
  SharedStateMemory state;
  InjectedFaults injected;
  std::array<std::uint64_t, kModes> epochs{};  // epochs without a failure, by mode
  EpochPlan last;

  std::uint64_t all_epochs() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t of_mode : epochs) sum += of_mode;
    return sum;
  }
};

std::int64_t median(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool recovers_late(Work& work) {
  const std::vector<std::int64_t>& recoveries = work.injected.recoveries_ns;
  if (recoveries.empty()) return false;
  return !check(*work.state, kOwnSlot,
                Recovery{.recoveries = recoveries.size(), .median_ns = median(recoveries)});
}

// Modes that watch system calls get every second turn, as long as the lock makes system calls.
std::size_t next_mode(const Series& series, const Work& work, std::uint64_t turn) {
  std::vector<std::size_t> watching;
  std::vector<std::size_t> others;
  for (const std::size_t mode : series.modes) {
    (watches_calls(modes()[mode].fault) ? watching : others).push_back(mode);
  }
  if (others.empty()) return watching[turn % watching.size()];
  const bool nothing_to_watch = turn > 1 && work.injected.at_calls.empty();
  if (watching.empty() || nothing_to_watch) return others[turn % others.size()];
  const std::vector<std::size_t>& group = turn % 2 == 0 ? watching : others;
  return group[turn / 2 % group.size()];
}

// Returns true if no failure was found.
bool run(Work& work, const RegisteredLock& entry, const Series& series,
         const ReportProgress& report_progress) {
  Clock::time_point told = Clock::now();
  for (std::uint64_t i = 0; Clock::now() < series.until; ++i) {
    const std::uint64_t seed = i == 0 ? series.seed : derive_seed(series.seed, i);
    work.last = plan_epoch(next_mode(series, work, i), seed, series.processes, entry.abilities);
    const auto left = std::chrono::ceil<milliseconds>(series.until - Clock::now());
    work.last.length = std::min(work.last.length, left);
    if (!run_epoch(*work.state, entry, work.last, work.injected)) return false;
    if (recovers_late(work)) return false;
    ++work.epochs[work.last.mode];
    if (Clock::now() - told < kProgressPeriod) continue;
    told = Clock::now();
    report_progress(absl::StrCat(work.all_epochs(), " epochs"));
  }
  return true;
}

void report_figures(const Work& work, Report& report) {
  const SharedState& state = *work.state;
  report.evaluations = evaluations_of(state.slots);
  const auto sum = [&](Word WorkerSlot::*word) {
    return static_cast<double>(sum_of(state.slots, word));
  };
  const std::uint64_t longest_ns = highest_of(state.slots, &ProcessSlot::longest_wait_ns);
  const InjectedFaults& injected = work.injected;
  const double operations = sum(&ProcessSlot::acquisitions);
  const double refusals = sum(&ProcessSlot::refusals);
  const double contended = sum(&ProcessSlot::contended);
  report.figures = {{"epochs", static_cast<double>(work.all_epochs())},
                    {"lock_operations", operations},
                    {"refusals", refusals},
                    {"contended_share", contended / std::max(operations + refusals, 1.0)},
                    {"injections", sum(&ProcessSlot::injections)},
                    {"processes_killed", static_cast<double>(injected.killed)},
                    {"killed_while_holding", static_cast<double>(injected.killed_inside)},
                    {"processes_stopped", static_cast<double>(injected.stopped)},
                    {"stopped_while_holding", static_cast<double>(injected.stopped_inside)},
                    {"numbers_recycled", static_cast<double>(injected.recycled)},
                    {"longest_wait_ns", static_cast<double>(longest_ns)}};
  if (injected.recoveries_ns.empty()) return;
  const auto longest =
      *std::max_element(injected.recoveries_ns.begin(), injected.recoveries_ns.end());
  report.figures.emplace_back("recoveries", static_cast<double>(injected.recoveries_ns.size()));
  report.figures.emplace_back("median_recovery_ns",
                              static_cast<double>(median(injected.recoveries_ns)));
  report.figures.emplace_back("longest_recovery_ns", static_cast<double>(longest));
}

// Where the processes were killed and held inside of the lock.
void report_calls(const InjectedFaults& injected, Report& report) {
  std::size_t killed = 0;
  std::size_t held = 0;
  for (const auto& [place, faults] : injected.at_calls) {
    killed += faults.killed != 0;
    held += faults.held != 0;
  }
  report.figures.emplace_back("call_places", static_cast<double>(injected.at_calls.size()));
  report.figures.emplace_back("call_places_killed_at", static_cast<double>(killed));
  report.figures.emplace_back("call_places_held_at", static_cast<double>(held));
  if (injected.at_calls.empty()) {
    report.remarks.push_back(
        "not checked: faults between two system calls of the lock; lock() and unlock() made none "
        "that can be watched");
    return;
  }
  report.remarks.push_back(absl::StrFormat(
      "%d places inside of lock() and unlock() where a system call begins: processes were killed "
      "at %d of them, held at %d",
      injected.at_calls.size(), killed, held));
}

void report_remarks(const Work& work, const Series& series, Report& report) {
  std::string by_mode;
  for (std::size_t i = 0; i < kModes; ++i) {
    if (work.epochs[i] == 0) continue;
    absl::StrAppend(&by_mode, by_mode.empty() ? "" : ", ", std::string(modes()[i].name), " ",
                    work.epochs[i]);
  }
  if (const std::uint64_t clean = work.all_epochs(); clean != 0) {
    report.remarks.push_back(absl::StrFormat("%d clean epochs (%s)", clean, by_mode));
  }
  const bool watched = std::any_of(series.modes.begin(), series.modes.end(), [&](std::size_t i) {
    return work.epochs[i] != 0 && watches_calls(modes()[i].fault);
  });
  if (watched) report_calls(work.injected, report);
  if (!series.calls_not_watched.empty()) {
    report.remarks.push_back(absl::StrCat(
        "not checked: faults between two system calls of the lock; processes cannot be "
        "stopped there on this machine (",
        series.calls_not_watched, ")"));
  }
  if (const std::uint64_t lost = work.injected.wake_ups_lost_with_waiter; lost != 0) {
    report.remarks.push_back(absl::StrFormat(
        "%d times a process was killed that had been woken for a key, and the others slept, "
        "although "
        "the key was free, until others competed for it: no failure, since only the death of a "
        "holder has to be recovered from",
        lost));
  }
  if (work.injected.call_error != 0) {
    report.remarks.push_back(absl::StrCat("some processes were not stopped at their system calls: ",
                                          std::strerror(work.injected.call_error)));
  }
  if (work.injected.not_recycled != 0) {
    report.remarks.push_back(absl::StrFormat(
        "%d times a dead process's number could not be given to another: that takes the superuser, "
        "or CAP_CHECKPOINT_RESTORE",
        work.injected.not_recycled));
  }
}

std::vector<std::string> options_for(const Order& order, const EpochPlan& plan) {
  std::vector<std::string> options = {"--engine", "proc",
                                      "--mode",   std::string(modes()[plan.mode].name),
                                      "--seed",   absl::StrCat(plan.seed)};
  if (order.threads != Order().threads) {
    options.insert(options.end(), {"--threads", absl::StrCat(order.threads)});
  }
  return options;
}

// Repeats the epoch as many times as there is time for, at most `most` times.
void rerun(const RegisteredLock& entry, const Series& series, const EpochPlan& plan,
           std::uint32_t most, const ReportProgress& report_progress, Report& report) {
  const auto until = std::min(series.until, Clock::now() + kMostForReruns);
  while (report.replay.reruns < most && Clock::now() < until) {
    const SharedStateMemory state;
    InjectedFaults injected;
    report_progress(absl::StrCat("rerun ", ++report.replay.reruns));
    report.replay.failures += !run_epoch(*state, entry, plan, injected);
  }
}

std::string text_of(const EpochPlan& plan) {
  const std::string key_set =
      plan.key_set == 0 ? "" : absl::StrFormat(" of the key set K%d", plan.key_set);
  return absl::StrFormat("%d processes, %d keys%s, %d ms, holds of up to %d us%s", plan.processes,
                         plan.keys, key_set, plan.length.count(), plan.longest_hold.count(),
                         plan.yields ? ", yields and sleeps" : "");
}

}  // namespace

absl::StatusOr<Report> test_lock(const RegisteredLock& entry, const Order& order,
                                 const ReportProgress& report_progress) {
  if (!order.net.empty()) return check_conformance(entry, order, report_progress);
  absl::StatusOr<Series> series = series_for(order);
  if (!series.ok()) return series.status();
  absl::Status possible = leave_out_kills(*series, entry.abilities.limits);
  if (possible.ok()) possible = leave_out_impossible_modes(*series);
  if (!possible.ok()) return possible;
  prctl(PR_SET_TIMERSLACK, 1UL);  // the fault injector polls every 500 us
  const Clock::time_point began = Clock::now();
  Work work;
  const bool clean = run(work, entry, *series, report_progress);
  Report report{.engine = "proc", .lock = entry.name, .found_after_s = seconds_since(began)};
  report_figures(work, report);
  report_remarks(work, *series, report);
  if (clean) {
    report.remarks.push_back(confidence_remark(work.all_epochs()));
    report.verdict =
        clean_or_inconclusive(report.evaluations, needed_oracles(EngineId::kProc, entry.abilities));
  } else {
    report.verdict = Verdict::kFailed;
    const FailureRecord failure = *work.state->failure.noted();
    report.failure = Failure{failure.oracle, text_of(failure, "process")};
    report.how = modes()[work.last.mode].name;
    report_trace(work.state->slots, get(work.state->began_ns), "process", report);
    report.replay.options = options_for(order, work.last);
    report.remarks.push_back("the epoch: " + text_of(work.last));
    const std::string names = remark_on_names({.key_set = work.last.key_set}, entry.abilities);
    if (!names.empty()) report.remarks.push_back(names);
    if (work.last.fault() == FaultKind::kForks) {
      report.remarks.push_back("another process may also be a child that a holder forked");
    }
    if (!entry.abilities.limits.no_kills) {
      report.remarks.push_back(
          absl::StrCat(kills(work.last.fault())
                           ? "processes that hold or request the lock are killed in this mode"
                           : "after each epoch, a process that holds the lock is killed",
                       "; a lock that is not made for that promises .limits = {.no_kills = true}"));
    }
    if (watches_calls(work.last.fault())) {
      report.remarks.push_back("the last faults at system calls: " +
                               absl::StrJoin(work.injected.last_at_calls, "; "));
    }
    rerun(entry, *series, work.last, order.reruns, report_progress, report);
  }
  report.seconds = seconds_since(began);
  return report;
}

}  // namespace lockbench::stress::processes
