// SPDX-License-Identifier: Apache-2.0

#include "harness/services/engine/engine.h"

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

#include "harness/services/engine/epoch.h"
#include "harness/services/engine/plan.h"
#include "harness/services/engine/servers.h"
#include "harness/services/engine/shared_state.h"
#include "harness/services/engine/trace.h"
#include "harness/services/servers/server_clock.h"
#include "harness/stress/campaign.h"
#include "harness/stress/litmus/generate.h"
#include "workloads/random.h"

namespace lockbench::stress::services {
namespace {

using Clock = std::chrono::steady_clock;
using Report = stress::Report;

constexpr std::chrono::seconds kMostForReruns{20};

// An epoch is not begun if less time is left.
constexpr std::chrono::milliseconds kLastEpoch{500};

// Values of --network.
constexpr char kProxy[] = "proxy";
constexpr char kNamespaces[] = "namespaces";

// Why the servers cannot have a fault.
std::string reason_against(FaultKind kind, const Servers& servers, const std::string& service) {
  if (needs_packets(kind) && !servers.has_packets()) {
    return absl::StrCat("needs --network ", kNamespaces);
  }
  return absl::StrCat("servers of ", service, " cannot be used so");
}

// Clients count in a resource, each for one key at a time.
constexpr EngineTraits kServicesEngine{
    .name = "services", .several_keys = false, .counts_permits = false};

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

class ClientEpochs final : public Epochs {
 public:
  // `left_out`: of the faults that were asked for, those that the servers cannot have.
  ClientEpochs(const RegisteredLock& entry, const Order& order, std::vector<FaultKind> faults,
               std::vector<FaultKind> left_out, Servers& servers,
               const ReportProgress& report_progress)
      : entry_(entry),
        order_(order),
        faults_(std::move(faults)),
        left_out_(std::move(left_out)),
        servers_(servers),
        report_progress_(report_progress) {}

  // An epoch ends late by the time that clients need after the last fault.
  absl::Status search(Clock::time_point until) override {
    while (epochs_ == 0 || Clock::now() + kLastEpoch < until) {
      const std::uint64_t seed = epochs_ == 0 ? order_.seed : derive_seed(order_.seed, epochs_);
      plan_ = plan_epoch(kinds_for(epochs_, faults_), seed, terms());
      const absl::Status status = run_once(*state_, result_);
      if (!status.ok() || failure()) return status;
      report_progress_(absl::StrCat(++epochs_, " epochs"));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::optional<bool>> repeat() override {
    const SharedStateMemory state;
    EpochResult result;
    const absl::Status status = run_once(*state, result);
    if (!status.ok()) return status;
    const auto failure = state->failure.noted();
    repeated_ = failure ? std::optional(failure->oracle) : std::nullopt;
    return failure.has_value();
  }

  std::optional<stress::Oracle> oracle_of_repetition() const override { return repeated_; }

  std::vector<Clean> clean() const override { return {{.epochs = epochs_}}; }

  std::optional<Failure> failure() const override {
    const std::optional<FailureRecord> failure = state_->failure.noted();
    if (!failure) return std::nullopt;
    return Failure{failure->oracle, stress::text_of(*failure, "client")};
  }

  void report_work(Report& report) const override {
    const auto add = [&](std::string name, auto figure) {
      report.figures.emplace_back(std::move(name), static_cast<double>(figure));
    };
    const auto sum = [&](Word ClientSlot::*word) {
      std::uint64_t total = 0;
      for (const ClientSlot& slot : state_->slots) total += get(slot.*word);
      return total;
    };
    report.evaluations = evaluations_of(state_->slots);
    add("lock_operations", sum_of(state_->slots, &ClientSlot::acquisitions));
    add("refusals", sum_of(state_->slots, &ClientSlot::refusals));
    add("service_errors", sum(&ClientSlot::service_errors));
    add("refused_by_resource", sum(&ClientSlot::refused_by_resource));
    add("lost_updates", sum(&ClientSlot::lost_updates));
    add("longest_wait_after_faults_ns", result_.longest_wait_ms * 1'000'000);
    for (const Fault& fault : all_faults()) {
      const std::uint64_t count = result_.faults[static_cast<std::size_t>(fault.kind)];
      if (count != 0) add(std::string(fault.name), count);
    }
    report_remarks(report);
  }

  void report_failure(Report& report) const override {
    const FailureRecord failure = *state_->failure.noted();
    report.how = names_of(plan_.kinds);
    std::vector<Act> acts;
    const std::uint64_t began_ns = get(state_->began_ns);
    for (const ClientSlot& slot : state_->slots) slot.trace.append_to(acts, began_ns);
    // The last acts of an epoch are not those of a failure that its history shows.
    if (!result_.evidence.empty()) acts = result_.evidence;
    report.steps = trace_of(std::move(acts), result_.notes, failure.facts.thread, failure.facts.key,
                            began_ns, get(state_->failed_ns));
    report.trace = lines_of(report.steps);
    std::vector<std::string>& options = report.replay.options;
    options.insert(options.end(), {"--faults", report.how, "--seed", absl::StrCat(plan_.seed)});
    if (order_.ignore_tokens) options.emplace_back("--ignore-tokens");
    if (!order_.network.empty()) options.insert(options.end(), {"--network", order_.network});
    report.remarks.push_back("the epoch: " + services::text_of(plan_));
  }

 private:
  EpochTerms terms() const {
    return {.clients = within(order_.threads, entry_.abilities.limits.threads),
            .servers = servers_.count(),
            .most_keys = most_named_keys(entry_.abilities.limits),
            .lease = entry_.lease};
  }

  absl::Status run_once(SharedState& state, EpochResult& result) {
    return run_epoch(state, entry_, plan_, !order_.ignore_tokens, servers_, result);
  }

  void report_remarks(Report& report) const {
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

  const RegisteredLock& entry_;
  const Order& order_;
  const std::vector<FaultKind> faults_;
  const std::vector<FaultKind> left_out_;
  Servers& servers_;
  const ReportProgress& report_progress_;
  const SharedStateMemory state_;
  EpochResult result_;
  EpochPlan plan_;            // the last one
  std::uint64_t epochs_ = 0;  // without a failure
  std::optional<stress::Oracle> repeated_;
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
  ClientEpochs epochs(entry, order, *std::move(faults), std::move(left_out), **servers,
                      report_progress);
  const CampaignTerms terms{
      .engine = kServicesEngine, .began = began, .most_for_reruns = kMostForReruns};
  return run_campaign(epochs, entry, order, terms, report_progress);
}

}  // namespace lockbench::stress::services
