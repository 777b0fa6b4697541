// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/campaign.h"

#include <map>

#include <absl/strings/str_format.h>

#include "harness/stress/oracles/registry.h"
#include "harness/stress/oracles/unchecked.h"

namespace lockbench::stress {
namespace {

using Clock = Epochs::Clock;

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

// "12 clean epochs (plain 7, yields 5)", and how sure that makes.
void report_confidence(const std::vector<Epochs::Clean>& all, std::uint64_t clean, bool failed,
                       Report& report) {
  std::string by_mode;
  for (const auto& [mode, epochs] : all) {
    if (mode.empty() || epochs == 0) continue;
    absl::StrAppend(&by_mode, by_mode.empty() ? "" : ", ", std::string(mode), " ", epochs);
  }
  if (!by_mode.empty()) {
    report.remarks.push_back(absl::StrFormat("%d clean epochs (%s)", clean, by_mode));
  }
  if (!failed && clean != 0) report.remarks.push_back(confidence_remark(clean));
}

std::vector<std::string> options_for(const EngineTraits& engine, const Order& order) {
  std::vector<std::string> options = {"--engine", std::string(engine.name)};
  if (order.threads != Order().threads) {
    options.insert(options.end(), {"--threads", absl::StrCat(order.threads)});
  }
  if (!order.program.empty()) options.insert(options.end(), {"--program", order.program});
  return options;
}

// The oracles other than the report's that failed reruns, with how often each did.
std::string remark_on_other_oracles(const std::map<Oracle, std::uint32_t>& seen, Oracle reported) {
  std::string others;
  for (const auto& [oracle, times] : seen) {
    if (oracle == reported) continue;
    absl::StrAppend(&others, others.empty() ? "" : ", ", std::string(name_of(oracle)), " in ",
                    times);
  }
  if (others.empty()) return others;
  return absl::StrCat("other oracles were the first to see the fault in reruns: ", others,
                      " (which one is, depends on when its threads meet)");
}

// Repeats the epoch as many times as there is time for.
absl::Status rerun(Epochs& epochs, std::uint32_t most, Clock::time_point until,
                   const ReportProgress& report_progress, Reproduction& replay,
                   std::map<Oracle, std::uint32_t>& seen) {
  while (replay.reruns < most && Clock::now() < until) {
    report_progress(absl::StrCat("rerun ", replay.reruns + 1));
    const absl::StatusOr<std::optional<bool>> fails = epochs.repeat();
    if (!fails.ok()) return fails.status();
    if (!fails->has_value()) break;
    ++replay.reruns;
    replay.failures += **fails;
    if (const auto oracle = epochs.oracle_of_repetition()) ++seen[*oracle];
  }
  return absl::OkStatus();
}

// Where no repetition of the epoch failed: tells whether the command of the report does.
absl::Status run_as_command(const Epochs& epochs, Clock::time_point until,
                            const ReportProgress& report_progress, Reproduction& replay,
                            std::map<Oracle, std::uint32_t>& seen) {
  const std::unique_ptr<Epochs> command = epochs.as_command();
  if (command == nullptr || Clock::now() >= until) return absl::OkStatus();
  report_progress("rerun of the command");
  const Clock::time_point began = Clock::now();
  if (const absl::Status status = command->search(until); !status.ok()) return status;
  replay.command_s = seconds_since(began);
  const std::optional<Failure> failure = command->failure();
  replay.command_failed = failure.has_value();
  if (failure) ++seen[failure->oracle];
  return absl::OkStatus();
}

}  // namespace

std::string confidence_remark(std::uint64_t clean) {
  if (clean <= 3) {
    return absl::StrFormat("%d clean epoch%s: too few to say how many of such epochs fail", clean,
                           clean == 1 ? "" : "s");
  }
  return absl::StrFormat("less than %.3g %% of such epochs fail, at 95 %% confidence (3/n)",
                         300.0 / static_cast<double>(clean));
}

absl::StatusOr<Report> run_campaign(Epochs& epochs, const RegisteredLock& entry, const Order& order,
                                    const CampaignTerms& terms,
                                    const ReportProgress& report_progress) {
  // The last epoch needs some time to stop, so epochs end when 98 % of the budget is used.
  const Clock::time_point until = terms.began + order.budget / 50 * 49;
  if (const absl::Status status = epochs.search(until); !status.ok()) return status;
  Report report{.engine = std::string(terms.engine.name),
                .lock = entry.name,
                .failure = epochs.failure(),
                .found_after_s = seconds_since(terms.began)};
  const std::vector<Epochs::Clean> all = epochs.clean();
  std::uint64_t clean = 0;
  for (const Epochs::Clean& of_mode : all) clean += of_mode.epochs;
  report.figures = {{"epochs", static_cast<double>(clean)}};
  report.replay.options = options_for(terms.engine, order);
  epochs.report_work(report);
  report_confidence(all, clean, report.failure.has_value(), report);
  if (report.failure) {
    report.verdict = Verdict::kFailed;
    epochs.report_failure(report);
    const auto last = std::min(until, Clock::now() + terms.most_for_reruns);
    std::map<Oracle, std::uint32_t> seen;
    absl::Status status = rerun(epochs, order.reruns, last, report_progress, report.replay, seen);
    if (status.ok() && report.replay.reruns != 0 && report.replay.failures == 0) {
      const auto most = std::min(until, Clock::now() + terms.most_for_command);
      status = run_as_command(epochs, most, report_progress, report.replay, seen);
    }
    if (!status.ok()) return status;
    const std::string others = remark_on_other_oracles(seen, report.failure->oracle);
    if (!others.empty()) report.remarks.push_back(others);
  } else {
    const std::vector<Oracle> needed = needed_oracles(terms.engine, entry.abilities);
    report.verdict = clean_or_inconclusive(report.evaluations, needed);
    epochs.report_clean(report);
    const std::string unevaluated = unevaluated_remark(needed, report.evaluations);
    if (!unevaluated.empty()) report.remarks.push_back(unevaluated);
    const std::string unchecked = unchecked_remark(entry.abilities, report.evaluations);
    const bool is_asked_for_all = order.program.empty() && order.mode.empty();
    if (report.verdict == Verdict::kClean && is_asked_for_all && !unchecked.empty()) {
      report.remarks.push_back(unchecked);
    }
  }
  report.seconds = seconds_since(terms.began);
  return report;
}

}  // namespace lockbench::stress
