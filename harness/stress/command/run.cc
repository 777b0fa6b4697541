// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/command/run.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/bench/record/stamp.h"
#include "harness/stress/command/engines.h"
#include "harness/stress/command/matrix.h"
#include "harness/stress/command/record.h"
#include "harness/stress/command/text.h"
#include "harness/stress/command/verdict.h"
#include "harness/stress/forms.h"

namespace lockbench {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;
using stress::Report;
using stress::Verdict;

constexpr std::chrono::seconds kMostInSimulation{5};
constexpr std::chrono::milliseconds kLeastInSimulation{100};

constexpr char kStands[] = "; what was printed stands";

// The exit code if the whole command must end early.
using Stop = std::optional<int>;

class StressRun {
 public:
  explicit StressRun(const StressWork& work) : work_(work), live_(work.jobs.size()) {}

  int run() {
    int code = test_all();
    if (!work_.options.page || reports_.empty()) return code;
    const absl::Status written = write_stress_page(reports_, work_.machine, *work_.options.page);
    if (written.ok()) return code;
    complain(std::cerr, "lockbench stress: --report", written);
    return code == kSuccess ? kCouldNotFinish : code;
  }

 private:
  int test_all() {
    if (const Stop stop = test_the_engines()) return *stop;
    int code = kSuccess;
    for (std::size_t i = 0; i < work_.jobs.size(); ++i) {
      TestJob job = work_.jobs[i];
      if (has_failed_with_one_object(job.lock.name)) continue;
      const nanoseconds left = end_ - Clock::now();
      job.budget = work_.options.order.exhaustive ? budget_if_exhaustive(work_.jobs, i, left)
                                                  : budget_now(work_.jobs, i, left);
      const Clock::time_point began = Clock::now();
      Answer answer = ask_and_print(job, i, work_.options.order);
      if (!work_.options.order.exhaustive) {
        demand_share(work_.jobs[i].budget, job.budget, answer.report);
      }
      const std::string where = position_text(job, i, work_.jobs.size());
      if (const Stop stop = end_for(answer, "in " + where + kStands)) return *stop;
      code = worst_exit(code, exit_code_of(answer));
      if (answer.report.failure) {
        ++live_.failures;
        failed_.push_back(job.lock.name);
      }
      complete(answer.report, job, i, job.budget - (Clock::now() - began));
      print(answer.report);
      record(answer.report);
      if (work_.options.page) reports_.push_back(answer.report);
      if (const Stop stop = end_for(cut_short_, "in sim after " + where + kStands)) return *stop;
    }
    return code;
  }

  // True if this is the form with several objects of a lock that has failed: each of its objects is
  // broken, so that a failure of the form says nothing of several.
  bool has_failed_with_one_object(const std::string& name) const {
    return std::any_of(failed_.begin(), failed_.end(), [&](const std::string& lock) {
      return stress::form_of(lock, stress::kSeveralObjects) == name;
    });
  }

  Answer ask_and_print(const TestJob& job, std::size_t position, const stress::Order& order) {
    Answer answer = ask(job, order, [&](std::string_view out) { live_.show(job, position, out); });
    live_.leave();
    return answer;
  }

  // Tests some of the known broken locks. If an engine reports the wrong failure for one of them,
  // none of its results can be trusted. Broken locks that it does not reach in time have no effect.
  Stop test_the_engines() {
    stress::Order order = work_.options.order;
    order.reruns = 0;
    for (const std::string& engine : engines_used()) {
      const Clock::time_point end =
          Clock::now() + self_test_share(work_.options) / engines_used().size();
      Tried& tried = tried_[engine];
      for (const TestJob& broken : broken_for(engine)) {
        TestJob job = broken;
        job.budget = end - Clock::now();
        if (job.budget < kLeastInSimulation) break;
        const Answer answer = ask_and_print(job, 0, order);
        const Stop stop =
            end_for(answer, "while the engines ran known broken locks: no lock was tested");
        if (stop) return stop;
        const Kill kill =
            answer.engine_failed ? Kill::kEngineFailed : kill_result(job.lock, answer.report);
        if (kill == Kill::kEngineFailed || kill == Kill::kWrongOracle) {
          std::cerr << "lockbench stress: the engine cannot be trusted: "
                    << kill_matrix({{job, answer.report, kill}});
          return kCouldNotFinish;
        }
        tried.detected += kill == Kill::kAsExpected;
        ++tried.of;
      }
    }
    return std::nullopt;
  }

  std::vector<std::string> engines_used() const {
    std::vector<std::string> names;
    for (const TestJob& job : work_.jobs) {
      if (std::find(names.begin(), names.end(), job.engine) == names.end()) {
        names.push_back(job.engine);
      }
    }
    return names;
  }

  std::vector<TestJob> broken_for(const std::string& engine) const {
    std::vector<TestJob> jobs;
    for (const EngineListing& listing : work_.broken) {
      if (listing.engine != engine) continue;
      for (const Listed& lock : listing.locks) {
        if (lock.expected_oracles.empty()) continue;
        jobs.push_back({engine, listing.program, lock, {}});
      }
    }
    return jobs;
  }

  // Adds the remarks that need the results of other jobs.
  void complete(Report& report, const TestJob& job, std::size_t position, nanoseconds left) {
    const Tried& tried = tried_[job.engine];
    if (tried.of != 0) {
      report.remarks.push_back(
          absl::StrFormat("just before, this engine detected %d of %d known broken locks in %.1f s",
                          tried.detected, tried.of,
                          std::chrono::duration<double>(self_test_share(work_.options)).count() /
                              static_cast<double>(engines_used().size())));
    }
    if (job.engine == "sim") simulated_[job.lock.name] = report;
    if (report.verdict == Verdict::kFailed && job.engine != "sim") {
      try_in_simulation(report, job, position, left);
    }
    if (tests_whole_lock(work_.options.order)) {
      name_untested(work_.engines, work_.jobs, report);
    }
    name_plugin(job, report);
    replay_from_file(work_.options, report);
    report.machine = work_.machine;
    if (report.failure) report.command = replay_command(report);
  }

  void try_in_simulation(Report& report, const TestJob& job, std::size_t position,
                         nanoseconds left) {
    const std::string& name = job.lock.name;
    if (!simulated_.contains(name)) {
      std::optional<TestJob> again = in_simulation(name);
      if (!again) return;
      again->budget = std::min<nanoseconds>(left, kMostInSimulation);
      if (again->budget < kLeastInSimulation) return;
      stress::Order order = work_.options.order;
      order.mode.clear();
      const Answer answer = ask_and_print(*again, position, order);
      if (answer.interrupted) {
        cut_short_ = answer;
        return;
      }
      if (answer.engine_failed || !answer.misused.empty())
        return;  // in these cases, the missing failure means nothing
      Report& found = simulated_[name] = answer.report;
      name_plugin(*again, found);
      replay_from_file(work_.options, found);
    }
    const Report& shown = simulated_[name];
    report.remarks.push_back(
        shown.failure
            ? absl::StrCat("sim reproduces it each time, oracle ",
                           std::string(name_of(shown.failure->oracle)), ": ", replay_command(shown))
            : absl::StrFormat("sim did not reproduce it in %.1f s", shown.seconds));
  }

  std::optional<TestJob> in_simulation(const std::string& name) const {
    for (const EngineListing& listing : work_.engines) {
      if (listing.engine != "sim") continue;
      for (const Listed& lock : listing.locks) {
        if (lock.name == name) return TestJob{"sim", listing.program, lock, {}, listing.plugin};
      }
    }
    return std::nullopt;
  }

  void print(const Report& report) const {
    std::cout << (work_.options.json ? to_json(report) + "\n" : stress_text(report, work_.machine))
              << std::flush;
  }

  // A report without a record still is one, so a failure is only noted, and once.
  void record(const Report& report) {
    if (!tests_whole_lock(work_.options.order)) return;
    const std::string line = stress_record_line(report, build_, utc_now(), work_.options.page);
    const absl::Status recorded = append_stress_record(kStressRecord, line);
    if (recorded.ok() || std::exchange(unrecorded_, true)) return;
    complain(std::cerr, "lockbench stress: not recorded for reports", recorded);
  }

  struct Tried {
    int detected = 0;
    int of = 0;
  };

  const StressWork& work_;
  const Clock::time_point end_ = Clock::now() + work_.options.budget;
  const Build build_ = this_build();
  StressLive live_;
  std::map<std::string, Tried> tried_;       // by engine
  std::vector<Report> reports_;              // for the page
  std::map<std::string, Report> simulated_;  // by lock
  std::vector<std::string> failed_;          // locks, by name
  bool unrecorded_ = false;
  Answer cut_short_;  // set if the user interrupted `sim` after a failure
};

}  // namespace

int test_locks(const StressWork& work) {
  return StressRun(work).run();
}

}  // namespace lockbench
