// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/conformance/hearing.h"

#include <iterator>
#include <utility>

#include "harness/stress/conformance/coverage_text.h"

namespace lockbench::stress {

void Hearing::look_at(std::span<const Chronicle> readings, const std::string& how,
                      const std::string& ended_badly) {
  ++executions_;
  if (std::optional<Disagreement> disagreement = judge_.look_at(readings)) {
    finding_ = Finding{Oracle::kNet, std::move(disagreement->what)};
    story_ = std::move(disagreement->events);
  } else if (!ended_badly.empty()) {
    finding_ = Finding{Oracle::kCrash, ended_badly};
    story_ = judge_.events_of(readings[0]);
  }
  if (convicts()) how_ = how;
}

void Hearing::pass_over() {
  ++executions_;
  ++passed_over_;
}

Report Hearing::complete(Report begun) const {
  Report report = std::move(begun);
  report.figures.emplace_back("executions", static_cast<double>(executions_));
  report.figures.emplace_back("events", static_cast<double>(judge_.events()));
  for (std::uint64_t i = passed_over_ + judge_.undecided(); i < executions_; ++i) {
    report.evaluations.count(Oracle::kNet);
  }
  report.verdict = clean_or_inconclusive(report.evaluations, {Oracle::kNet});
  if (finding_) {
    report.verdict = Verdict::kConvicted;
    report.finding = finding_;
    report.how = how_;
    report.found_after_s = report.seconds;
    report.story = story_;
  }
  if (executions_ == passed_over_) return report;  // of nothing, nothing is covered
  std::vector<std::string> covered = coverage_text(net_.net(), judge_);
  report.remarks.insert(report.remarks.end(), std::make_move_iterator(covered.begin()),
                        std::make_move_iterator(covered.end()));
  return report;
}

}  // namespace lockbench::stress
