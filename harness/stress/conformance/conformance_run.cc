// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/conformance/conformance_run.h"

#include <iterator>
#include <utility>

#include "harness/stress/conformance/coverage_text.h"

namespace lockbench::stress {

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

}  // namespace lockbench::stress
