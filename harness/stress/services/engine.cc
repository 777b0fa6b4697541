// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/services/engine.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <sys/prctl.h>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/process/server_clock.h"
#include "harness/stress/litmus/generate.h"
#include "harness/stress/services/epoch.h"
#include "harness/stress/services/plan.h"
#include "harness/stress/services/servers.h"
#include "harness/stress/services/shared_state.h"
#include "harness/stress/services/trace.h"
#include "workloads/random.h"

namespace lockbench::stress::services {
namespace {

using Clock = std::chrono::steady_clock;
using Report = stress::Report;

constexpr std::chrono::seconds kMostForReruns{20};

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

// Of --network.
constexpr char kProxy[] = "proxy";
constexpr char kNamespaces[] = "namespaces";

// Why the servers cannot have a fault.
std::string reason_against(FaultKind kind, const Servers& servers, const std::string& service) {
  if (needs_packets(kind) && !servers.has_packets()) {
    return absl::StrCat("needs --network ", kNamespaces);
  }
  return absl::StrCat("servers of ", service, " cannot be used so");
}

absl::Status check_order(const Order& order) {
  if (order.threads < 2 || order.threads > kMostClients) {
    return absl::InvalidArgumentError(
        absl::StrCat("threads: ", order.threads, "; say 2 to ", kMostClients, " clients"));
  }
  if (!order.program.empty()) {
    return absl::InvalidArgumentError(
        "program: clients draw what they do; leave --program out, or say --engine sim or real");
  }
  if (!order.mode.empty()) {
    return absl::InvalidArgumentError(
        "mode: the faults of the services engine are chosen by --faults");
  }
  if (!order.net.empty()) {
    return absl::InvalidArgumentError("net: the services engine does not know models");
  }
  if (!order.network.empty() && order.network != kProxy && order.network != kNamespaces) {
    return absl::InvalidArgumentError(
        absl::StrCat("network: '", order.network, "'; say ", kProxy, " or ", kNamespaces));
  }
  return absl::OkStatus();
}

// Clock steps need a library.
absl::Status check_clocks(const RegisteredLock& entry, const std::vector<FaultKind>& faults) {
  const bool named = std::any_of(faults.begin(), faults.end(), steps_clocks);
  if (!named || !has_clocks(entry.service) || clock_library()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "faults: clocks of servers are stepped by libfaketime, which is not here; install faketime, "
      "or name the file libfaketimeMT.so.1 by LOCKBENCH_FAKETIME");
}

// Tests one lock at its servers.
class LockTest {
 public:
  // `left_out`: of the faults that were asked for, those that the servers cannot have.
  LockTest(const RegisteredLock& entry, const Order& order, std::vector<FaultKind> faults,
           std::vector<FaultKind> left_out, Servers& servers, const ReportProgress& report_progress,
           Clock::time_point began)
      : entry_(entry),
        order_(order),
        faults_(std::move(faults)),
        left_out_(std::move(left_out)),
        servers_(servers),
        report_progress_(report_progress),
        began_(began),
        until_(began + order.budget) {}

  // An epoch ends late by the time that clients need after the last fault.
  absl::StatusOr<Report> run() {
    while (!failed() && (epochs_ == 0 || Clock::now() + kLastEpoch < until_)) {
      const std::uint64_t seed = epochs_ == 0 ? order_.seed : derive_seed(order_.seed, epochs_);
      plan_ = plan_epoch(kinds_for(epochs_, faults_), seed, terms());
      const absl::Status status = run_once(*state_, result_);
      if (!status.ok()) return status;
      if (failed()) break;
      report_progress_(absl::StrCat(++epochs_, " epochs"));
    }
    Report report{
        .engine = "services", .lock = entry_.name, .found_after_s = seconds_since(began_)};
    report_figures(report);
    report_remarks(report);
    if (failed()) {
      report_failure(report);
      if (absl::Status status = rerun(report); !status.ok()) return status;
    } else {
      report.verdict = clean_or_inconclusive(report.evaluations,
                                             needed_oracles(EngineId::kServices, entry_.abilities));
    }
    report.seconds = seconds_since(began_);
    return report;
  }

 private:
  // An epoch is not begun if less time is left.
  static constexpr std::chrono::milliseconds kLastEpoch{500};

  bool failed() const { return state_->failure.noted().has_value(); }
  EpochTerms terms() const {
    return {.clients = within(order_.threads, entry_.abilities.limits.threads),
            .servers = servers_.count(),
            .most_keys = most_named_keys(entry_.abilities.limits),
            .lease = entry_.lease};
  }

  absl::Status run_once(SharedState& state, EpochResult& result) {
    return run_epoch(state, entry_, plan_, !order_.ignore_tokens, servers_, result);
  }

  void report_figures(Report& report) const {
    const auto sum = [&](Word ClientSlot::*word) {
      std::uint64_t total = 0;
      for (const ClientSlot& slot : state_->slots) total += get(slot.*word);
      return static_cast<double>(total);
    };
    report.evaluations = evaluations_of(state_->slots);
    report.figures = {
        {"epochs", static_cast<double>(epochs_)},
        {"lock_operations", static_cast<double>(sum_of(state_->slots, &ClientSlot::acquisitions))},
        {"refusals", static_cast<double>(sum_of(state_->slots, &ClientSlot::refusals))},
        {"service_errors", sum(&ClientSlot::service_errors)},
        {"refused_writes", sum(&ClientSlot::refused_writes)},
        {"lost_updates", sum(&ClientSlot::lost_updates)},
        {"longest_wait_after_faults_ns", static_cast<double>(result_.longest_wait_ms) * 1e6}};
    for (const Fault& fault : all_faults()) {
      const std::uint64_t count = result_.faults[static_cast<std::size_t>(fault.kind)];
      if (count == 0) continue;
      report.figures.emplace_back(std::string(fault.name), static_cast<double>(count));
    }
  }

  void report_remarks(Report& report) const {
    if (epochs_ != 0) report.remarks.push_back(confidence_remark(epochs_));
    if (entry_.lease.count() != 0) {
      report.remarks.push_back(absl::StrFormat("leases of %d ms", entry_.lease.count()));
    }
    if (!entry_.abilities.tokens) {
      report.remarks.push_back(
          "not checked: the order of tokens; the lock has none, so the resource cannot refuse a "
          "late holder");
    } else if (order_.ignore_tokens) {
      report.remarks.push_back("the resource ignores tokens (--ignore-tokens)");
    }
    for (const FaultKind kind : left_out_) {
      const Fault& fault = fault_of(kind);
      report.remarks.push_back(absl::StrCat("not checked: ", std::string(fault.name), " (",
                                            std::string(fault.meaning), "); ",
                                            reason_against(kind, servers_, entry_.service)));
    }
    if (order_.faults.empty() && has_clocks(entry_.service)) {
      report.remarks.emplace_back("not checked: clock steps; name them by --faults clock_step");
    }
    if (servers_.has_packets()) {
      report.remarks.emplace_back(
          "partition: all packets between network namespaces are lost; delay, cut and half_open "
          "are the proxy's");
    }
  }

  void report_failure(Report& report) const {
    const FailureRecord failure = *state_->failure.noted();
    report.verdict = Verdict::kFailed;
    report.failure = Failure{failure.oracle, stress::text_of(failure, "client")};
    report.how = names_of(plan_.kinds);
    std::vector<Act> acts;
    const std::uint64_t began_ns = get(state_->began_ns);
    for (const ClientSlot& slot : state_->slots) slot.trace.append_to(acts, began_ns);
    // The last acts of an epoch are not those of a failure that its history shows.
    if (!result_.evidence.empty()) acts = result_.evidence;
    report.steps = trace_of(std::move(acts), result_.notes, failure.facts.thread, failure.facts.key,
                            began_ns, get(state_->failed_ns));
    report.trace = lines_of(report.steps);
    report.replay.options = {"--engine", "services",
                             "--faults", names_of(plan_.kinds),
                             "--seed",   absl::StrCat(plan_.seed)};
    if (order_.threads != Order().threads) {
      report.replay.options.insert(report.replay.options.end(),
                                   {"--threads", absl::StrCat(order_.threads)});
    }
    if (order_.ignore_tokens) report.replay.options.emplace_back("--ignore-tokens");
    if (!order_.network.empty()) {
      report.replay.options.insert(report.replay.options.end(), {"--network", order_.network});
    }
    report.remarks.push_back("the epoch: " + services::text_of(plan_));
  }

  absl::Status rerun(Report& report) {
    const auto until = std::min(until_, Clock::now() + kMostForReruns);
    while (report.replay.reruns < order_.reruns && Clock::now() < until) {
      const SharedStateMemory state;
      EpochResult result;
      report_progress_(absl::StrCat("rerun ", ++report.replay.reruns));
      const absl::Status status = run_once(*state, result);
      if (!status.ok()) return status;
      report.replay.failures += state->failure.noted().has_value();
    }
    return absl::OkStatus();
  }

  const RegisteredLock& entry_;
  const Order& order_;
  const std::vector<FaultKind> faults_;
  const std::vector<FaultKind> left_out_;
  Servers& servers_;
  const ReportProgress& report_progress_;
  const Clock::time_point began_;
  const Clock::time_point until_;
  const SharedStateMemory state_;
  EpochResult result_;
  EpochPlan plan_;  // the last one
  std::uint64_t epochs_ = 0;
};

}  // namespace

absl::StatusOr<Report> test_lock(const RegisteredLock& entry, const Order& order,
                                 const ReportProgress& report_progress) {
  if (absl::Status status = check_order(order); !status.ok()) return status;
  absl::StatusOr<std::vector<FaultKind>> faults = faults_from(order.faults);
  if (!faults.ok()) return faults.status();
  prctl(PR_SET_TIMERSLACK, 1UL);
  // This process makes and destroys locks whose servers may be gone. Its clients do not ignore it.
  std::signal(SIGPIPE, SIG_IGN);
  const Clock::time_point began = Clock::now();
  if (absl::Status status = check_clocks(entry, *faults); !status.ok()) return status;
  absl::StatusOr<std::unique_ptr<Servers>> servers =
      Servers::start(entry.service, entry.servers, *faults, order.network == kNamespaces);
  if (!servers.ok()) return servers.status();
  const std::string asked = names_of(*faults);
  std::vector<FaultKind> left_out;
  std::erase_if(*faults, [&](FaultKind kind) {
    if ((*servers)->can(kind)) return false;
    left_out.push_back(kind);
    return true;
  });
  if (faults->empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "faults: ", asked, ": ", reason_against(left_out.front(), **servers, entry.service)));
  }
  return LockTest(entry, order, *std::move(faults), std::move(left_out), **servers, report_progress,
                  began)
      .run();
}

}  // namespace lockbench::stress::services
