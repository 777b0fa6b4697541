// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/conformance/conformance_run.h"

#include <iterator>
#include <utility>

#include <absl/strings/str_cat.h>

#include "harness/petri/net/search_report.h"

namespace lockbench::stress {
namespace {

// Which transitions of a net no trace took, and how many traces could not be checked. Empty if
// every transition was taken and every trace was checked.
std::vector<std::string> coverage_text(const Net& net, const TraceChecker& checker) {
  const Coverage coverage = checker.coverage();
  std::vector<std::string> text;
  if (!coverage.never_seen.empty())
    text.push_back("never seen: " + transitions_text(net, coverage.never_seen));
  if (!coverage.never_needed.empty()) {
    text.push_back("looks like others, and was never needed to explain what was seen: " +
                   transitions_text(net, coverage.never_needed));
  }
  if (checker.undecided() != 0) {
    text.push_back("not decided of " + std::to_string(checker.undecided()) +
                   " executions, in which more ways were open than are followed; fewer threads "
                   "leave fewer open");
  }
  return text;
}

}  // namespace

void ConformanceRun::look_at(std::span<const Trace> possible, const std::string& how,
                             const std::string& ended_badly) {
  ++executions_;
  if (std::optional<Disagreement> disagreement = checker_.look_at(possible)) {
    failure_ = Failure{Oracle::kNet, std::move(disagreement->what)};
    trace_ = std::move(disagreement->events);
  } else if (!ended_badly.empty()) {
    failure_ = Failure{Oracle::kCrash, ended_badly};
    trace_ = checker_.events_of(possible[0]);
  }
  if (failed()) how_ = how;
}

void ConformanceRun::skip() {
  ++executions_;
  ++skipped_;
}

Report ConformanceRun::complete(Report begun) const {
  Report report = std::move(begun);
  report.figures.emplace_back("executions", static_cast<double>(executions_));
  report.figures.emplace_back("events", static_cast<double>(checker_.events()));
  for (std::uint64_t i = skipped_ + checker_.undecided(); i < executions_; ++i) {
    report.evaluations.count(Oracle::kNet);
  }
  report.verdict = clean_or_inconclusive(report.evaluations, {Oracle::kNet});
  if (failure_) {
    report.verdict = Verdict::kFailed;
    report.failure = failure_;
    report.how = how_;
    report.found_after_s = report.seconds;
    for (const NetEvent& event : trace_) report.trace.push_back(text_of(event));
  }
  if (executions_ == skipped_) return report;  // no execution was checked
  std::vector<std::string> covered = coverage_text(net_.net(), checker_);
  report.remarks.insert(report.remarks.end(), std::make_move_iterator(covered.begin()),
                        std::make_move_iterator(covered.end()));
  return report;
}

bool BudgetClock::over(const ConformanceRun& run, Clock::time_point until) {
  constexpr auto kProgressPeriod = std::chrono::milliseconds(200);
  const Clock::time_point now = Clock::now();
  if (now - reported_at_ > kProgressPeriod) {
    reported_at_ = now;
    report_(absl::StrCat(run.executions(), " executions"));
  }
  return run.failed() || now >= until;
}

}  // namespace lockbench::stress
