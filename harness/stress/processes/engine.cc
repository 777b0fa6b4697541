// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/processes/engine.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <sys/prctl.h>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include "harness/stress/campaign.h"
#include "harness/stress/litmus/demand.h"
#include "harness/stress/processes/call_watch.h"
#include "harness/stress/processes/epoch.h"
#include "harness/stress/processes/shared_state.h"

namespace lockbench::stress::processes {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using Report = stress::Report;

constexpr milliseconds kProgressPeriod{100};

struct Turns {
  std::vector<std::size_t> modes;  // indexes into modes(), used in turn
  std::string calls_not_watched;   // why modes that watch system calls are left out; or empty
};

absl::StatusOr<Turns> turns_for(const Order& order) {
  if (order.threads < 2 || order.threads > kMostProcesses) {
    return absl::InvalidArgumentError(
        absl::StrCat("threads: ", order.threads, "; say 2 to ", kMostProcesses, " processes"));
  }
  if (!order.program.empty()) {
    return absl::InvalidArgumentError(
        "program: processes draw what they do; leave --program out, or say --engine sim or real");
  }
  Turns turns;
  if (order.mode.empty()) {
    turns.modes.resize(kModes);
    std::iota(turns.modes.begin(), turns.modes.end(), 0);
    return turns;
  }
  const absl::StatusOr<std::size_t> mode = mode_named(modes(), kProcEngine, order.mode);
  if (!mode.ok()) return mode.status();
  turns.modes = {*mode};
  return turns;
}

// Leaves out the modes that kill if the lock does not promise to survive that.
absl::Status leave_out_kills(Turns& turns, const LockLimits& limits) {
  if (!limits.no_kills) return absl::OkStatus();
  std::erase_if(turns.modes, [](std::size_t mode) { return kills(modes()[mode].fault); });
  if (!turns.modes.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "mode: it kills processes, and the lock promises .limits = {.no_kills = true}; leave --mode "
      "out, or say one that does not kill");
}

// Leaves out the modes that watch system calls if this machine does not allow it.
absl::Status leave_out_impossible_modes(Turns& turns) {
  const auto watches = [](std::size_t mode) { return watches_calls(modes()[mode].fault); };
  if (std::none_of(turns.modes.begin(), turns.modes.end(), watches)) return absl::OkStatus();
  const std::optional<std::string> why = CallWatch::why_unavailable();
  if (!why) return absl::OkStatus();
  turns.calls_not_watched = *why;
  std::erase_if(turns.modes, watches);
  if (!turns.modes.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "mode: it stops processes at their system calls, which is not possible here (", *why,
      "); it requires Linux 5.5 and the permission to install a seccomp filter with user "
      "notification; leave --mode out"));
}

std::int64_t median(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Where the processes were killed and held inside of the lock.
void report_calls(const InjectedFaults& injected, Report& report) {
  std::size_t killed = 0;
  std::size_t held = 0;
  for (const auto& [position, faults] : injected.at_calls) {
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
      "%d points inside of lock() and unlock() where a system call begins: processes were killed "
      "at %d of them, held at %d",
      injected.at_calls.size(), killed, held));
}

std::string text_of(const EpochPlan& plan) {
  const std::string key_set =
      plan.key_set == 0 ? "" : absl::StrFormat(" of the key set K%d", plan.key_set);
  return absl::StrFormat("%d processes, %d keys%s, %d ms, holds of up to %d us%s", plan.processes,
                         plan.keys, key_set, plan.length.count(), plan.longest_hold.count(),
                         plan.yields ? ", yields and sleeps" : "");
}

class ProcessEpochs final : public Epochs {
 public:
  ProcessEpochs(const RegisteredLock& entry, const Order& order, Turns turns,
                const ReportProgress& report_progress)
      : entry_(entry), order_(order), turns_(std::move(turns)), report_progress_(report_progress) {}

  absl::Status search(Clock::time_point until) override {
    Clock::time_point told = Clock::now();
    for (std::uint64_t i = 0; Clock::now() < until; ++i) {
      const std::uint64_t seed = i == 0 ? order_.seed : derive_seed(order_.seed, i);
      last_ = plan_epoch(next_mode(i), seed, order_.threads, entry_.abilities);
      last_.length = std::min(last_.length, std::chrono::ceil<milliseconds>(until - Clock::now()));
      if (!run_epoch(*state_, entry_, last_, injected_) || recovers_late()) break;
      ++epochs_[last_.mode];
      if (Clock::now() - told < kProgressPeriod) continue;
      told = Clock::now();
      report_progress_(
          absl::StrCat(std::accumulate(epochs_.begin(), epochs_.end(), 0ULL), " epochs"));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::optional<bool>> repeat() override {
    const SharedStateMemory state;
    InjectedFaults injected;
    const bool fails = !run_epoch(*state, entry_, last_, injected);
    const std::optional<FailureRecord> failure = state->failure.noted();
    repeated_ = failure ? std::optional(failure->oracle) : std::nullopt;
    return fails;
  }

  std::optional<Oracle> oracle_of_repetition() const override { return repeated_; }

  std::unique_ptr<Epochs> as_command() const override {
    Order command = order_;
    command.mode = modes()[last_.mode].name;
    command.seed = last_.seed;
    Turns turns = turns_;
    turns.modes = {last_.mode};
    return std::make_unique<ProcessEpochs>(entry_, command, std::move(turns), report_progress_);
  }

  std::vector<Clean> clean() const override {
    std::vector<Clean> all;
    for (std::size_t i = 0; i < kModes; ++i) all.push_back({modes()[i].name, epochs_[i]});
    return all;
  }

  std::optional<Failure> failure() const override {
    const std::optional<FailureRecord> failure = state_->failure.noted();
    if (!failure) return std::nullopt;
    return Failure{failure->oracle, stress::text_of(*failure, "process")};
  }

  void report_work(Report& report) const override {
    report_slots(state_->slots, report);
    const auto add = [&](const char* name, auto figure) {
      report.figures.emplace_back(name, static_cast<double>(figure));
    };
    add("processes_killed", injected_.killed);
    add("killed_while_holding", injected_.killed_inside);
    add("processes_stopped", injected_.stopped);
    add("stopped_while_holding", injected_.stopped_inside);
    add("numbers_recycled", injected_.recycled);
    if (const auto& recoveries = injected_.recoveries_ns; !recoveries.empty()) {
      add("recoveries", recoveries.size());
      add("median_recovery_ns", median(recoveries));
      add("longest_recovery_ns", *std::max_element(recoveries.begin(), recoveries.end()));
    }
    report_remarks(report);
  }

  void report_failure(Report& report) const override {
    report.how = modes()[last_.mode].name;
    report_trace(state_->slots, get(state_->began_ns), "process", report);
    report.replay.options.insert(report.replay.options.end(),
                                 {"--mode", report.how, "--seed", absl::StrCat(last_.seed)});
    report.remarks.push_back("the epoch: " + text_of(last_));
    const std::string names = remark_on_names({.key_set = last_.key_set}, entry_.abilities);
    if (!names.empty()) report.remarks.push_back(names);
    if (last_.fault() == FaultKind::kForks) {
      report.remarks.push_back("another process may also be a child that a holder forked");
    }
    if (!entry_.abilities.limits.no_kills) {
      report.remarks.push_back(absl::StrCat(
          kills(last_.fault()) ? "processes that hold or request the lock are killed in this mode"
                               : "after each epoch, a process that holds the lock is killed",
          "; a lock that is not made for that promises .limits = {.no_kills = true}"));
    }
    if (watches_calls(last_.fault())) {
      report.remarks.push_back("the last faults at system calls: " +
                               absl::StrJoin(injected_.last_at_calls, "; "));
    }
  }

 private:
  // Modes that watch system calls get every second turn, as long as the lock makes system calls.
  std::size_t next_mode(std::uint64_t turn) const {
    std::vector<std::size_t> watching;
    std::vector<std::size_t> others;
    for (const std::size_t mode : turns_.modes) {
      (watches_calls(modes()[mode].fault) ? watching : others).push_back(mode);
    }
    if (others.empty()) return watching[turn % watching.size()];
    const bool nothing_to_watch = turn > 1 && injected_.at_calls.empty();
    if (watching.empty() || nothing_to_watch) return others[turn % others.size()];
    const std::vector<std::size_t>& group = turn % 2 == 0 ? watching : others;
    return group[turn / 2 % group.size()];
  }

  bool recovers_late() {
    const std::vector<std::int64_t>& recoveries = injected_.recoveries_ns;
    return !recoveries.empty() &&
           !check(*state_, kOwnSlot,
                  Recovery{.recoveries = recoveries.size(), .median_ns = median(recoveries)});
  }

  void report_remarks(Report& report) const {
    const bool watched = std::any_of(turns_.modes.begin(), turns_.modes.end(), [&](std::size_t i) {
      return epochs_[i] != 0 && watches_calls(modes()[i].fault);
    });
    if (watched) report_calls(injected_, report);
    if (!turns_.calls_not_watched.empty()) {
      report.remarks.push_back(absl::StrCat(
          "not checked: faults between two system calls of the lock; processes cannot be "
          "stopped there on this machine (",
          turns_.calls_not_watched, ")"));
    }
    if (const std::uint64_t lost = injected_.wake_ups_lost_with_waiter; lost != 0) {
      report.remarks.push_back(absl::StrFormat(
          "%d times a process was killed that had been woken for a key, and the others slept, "
          "although the key was free, until others competed for it: no failure, since only the "
          "death of a holder has to be recovered from",
          lost));
    }
    if (const std::uint64_t refused = get(state_->forks_refused); refused != 0) {
      report.remarks.push_back(absl::StrFormat(
          "the machine refused %d processes (`ulimit -u`, pids.max of the control group): so many "
          "holders did not fork",
          refused));
    }
    if (injected_.call_error != 0) {
      report.remarks.push_back(
          absl::StrCat("some processes were not stopped at their system calls: ",
                       std::strerror(injected_.call_error)));
    }
    if (injected_.not_recycled != 0) {
      report.remarks.push_back(absl::StrFormat(
          "%d times a dead process's number could not be given to another: that takes the "
          "superuser, or CAP_CHECKPOINT_RESTORE",
          injected_.not_recycled));
    }
  }

  const RegisteredLock& entry_;
  const Order order_;
  const Turns turns_;
  const ReportProgress& report_progress_;
  const SharedStateMemory state_;
  InjectedFaults injected_;
  std::array<std::uint64_t, kModes> epochs_{};  // without a failure, by mode
  EpochPlan last_;
  std::optional<Oracle> repeated_;
};

}  // namespace

absl::StatusOr<Report> test_lock(const RegisteredLock& entry, const Order& order,
                                 const ReportProgress& report_progress) {
  absl::StatusOr<Turns> turns = turns_for(order);
  if (!turns.ok()) return turns.status();
  absl::Status possible = leave_out_kills(*turns, entry.abilities.limits);
  if (possible.ok()) possible = leave_out_impossible_modes(*turns);
  if (!possible.ok()) return possible;
  prctl(PR_SET_TIMERSLACK, 1UL);  // the fault injector polls every 500 us
  ProcessEpochs epochs(entry, order, *std::move(turns), report_progress);
  return run_campaign(epochs, entry, order, {.engine = kProcEngine}, report_progress);
}

}  // namespace lockbench::stress::processes
