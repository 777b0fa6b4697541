// SPDX-License-Identifier: Apache-2.0

#include "harness/command/stress/stress_investigation.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <optional>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/command/stress/stress_engines.h"
#include "harness/command/stress/stress_live.h"
#include "harness/command/stress/stress_matrix.h"
#include "harness/command/stress/stress_text.h"
#include "harness/command/stress/stress_verdict.h"
#include "harness/terminal/exit_code.h"

namespace lockbench {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;
using stress::Report;
using stress::Verdict;

constexpr std::chrono::seconds kMostInSimulation{5};
constexpr std::chrono::milliseconds kLeastInSimulation{100};

constexpr char kStands[] = "; what was printed stands";

// An end of the whole command before all is done.
using Stop = std::optional<int>;

class Investigation {
 public:
  explicit Investigation(const StressWork& work) : work_(work), live_(work.charges.size()) {}

  int run() {
    if (const Stop stop = try_the_engines()) return *stop;
    int code = kSuccess;
    for (std::size_t i = 0; i < work_.charges.size(); ++i) {
      Charge charge = work_.charges[i];
      charge.budget = budget_now(work_.charges, i, end_ - Clock::now());
      const Clock::time_point began = Clock::now();
      Answer answer = ask_aloud(charge, i, work_.options.order);
      const std::string where = place_of(charge, i, work_.charges.size());
      if (const Stop stop = end_for(answer, "in " + where + kStands)) return *stop;
      code = worst_exit(code, exit_code_of(answer));
      live_.findings += answer.report.finding.has_value();
      complete(answer.report, charge, i, charge.budget - (Clock::now() - began));
      print(answer.report);
      if (const Stop stop = end_for(cut_short_, "in sim after " + where + kStands)) return *stop;
    }
    return code;
  }

 private:
  Answer ask_aloud(const Charge& charge, std::size_t position, const stress::Order& order) {
    Answer answer =
        ask(charge, order, [&](std::string_view out) { live_.show(charge, position, out); });
    live_.leave();
    return answer;
  }

  // Some of the known broken locks. An engine that takes one for something else is not to be
  // believed in anything; what it does not get to in the time says nothing.
  Stop try_the_engines() {
    stress::Order order = work_.options.order;
    order.reruns = 0;
    for (const std::string& engine : engines_used()) {
      const Clock::time_point end =
          Clock::now() + self_test_share(work_.options) / engines_used().size();
      Tried& tried = tried_[engine];
      for (const Charge& broken : broken_for(engine)) {
        Charge charge = broken;
        charge.budget = end - Clock::now();
        if (charge.budget < kLeastInSimulation) break;
        const Answer answer = ask_aloud(charge, 0, order);
        const Stop stop = end_for(
            answer, "while known broken locks were before the engines: nothing was looked into");
        if (stop) return stop;
        const Kill kill =
            answer.engine_failed ? Kill::kFailed : judge_kill(charge.suspect, answer.report);
        if (kill == Kill::kFailed || kill == Kill::kWrongOracle) {
          std::cerr << "lockbench stress: the engine is not to be believed: "
                    << kill_matrix({{charge, answer.report, kill}});
          return kCouldNotFinish;
        }
        tried.convicted += kill == Kill::kAsExpected;
        ++tried.of;
      }
    }
    return std::nullopt;
  }

  std::vector<std::string> engines_used() const {
    std::vector<std::string> names;
    for (const Charge& charge : work_.charges) {
      if (std::find(names.begin(), names.end(), charge.engine) == names.end()) {
        names.push_back(charge.engine);
      }
    }
    return names;
  }

  std::vector<Charge> broken_for(const std::string& engine) const {
    std::vector<Charge> charges;
    for (const EngineListing& listing : work_.broken) {
      if (listing.engine != engine) continue;
      for (const Listed& suspect : listing.suspects) {
        if (suspect.convicted_by.empty()) continue;
        charges.push_back({engine, listing.program, suspect, {}});
      }
    }
    return charges;
  }

  // What only the whole of the work can say of a finding, or of its absence.
  void complete(Report& report, const Charge& charge, std::size_t position, nanoseconds left) {
    const Tried& tried = tried_[charge.engine];
    if (tried.of != 0) {
      report.remarks.push_back(absl::StrFormat(
          "just before, this engine convicted %d of %d known broken locks in %.1f s",
          tried.convicted, tried.of,
          std::chrono::duration<double>(self_test_share(work_.options)).count() /
              static_cast<double>(engines_used().size())));
    }
    if (charge.engine == "sim") simulated_[charge.suspect.name] = report;
    if (report.verdict == Verdict::kConvicted && charge.engine != "sim") {
      try_in_simulation(report, charge, position, left);
    }
    name_plugin(charge, report);
    report.machine = work_.machine;
    if (report.finding) report.command = replay_command(report);
  }

  void try_in_simulation(Report& report, const Charge& charge, std::size_t position,
                         nanoseconds left) {
    const std::string& name = charge.suspect.name;
    if (!simulated_.contains(name)) {
      std::optional<Charge> again = in_simulation(name);
      if (!again) return;
      again->budget = std::min<nanoseconds>(left, kMostInSimulation);
      if (again->budget < kLeastInSimulation) return;
      stress::Order order = work_.options.order;
      order.mode.clear();
      const Answer answer = ask_aloud(*again, position, order);
      if (answer.interrupted) {
        cut_short_ = answer;
        return;
      }
      if (answer.engine_failed || !answer.misused.empty()) return;  // its silence says nothing
      simulated_[name] = answer.report;
    }
    const Report& shown = simulated_[name];
    report.remarks.push_back(shown.finding
                                 ? absl::StrCat("sim shows it each time, by the oracle of ",
                                                std::string(name_of(shown.finding->oracle)), ": ",
                                                replay_command(shown))
                                 : absl::StrFormat("sim did not show it in %.1f s", shown.seconds));
  }

  std::optional<Charge> in_simulation(const std::string& name) const {
    for (const EngineListing& listing : work_.engines) {
      if (listing.engine != "sim") continue;
      for (const Listed& suspect : listing.suspects) {
        if (suspect.name == name)
          return Charge{"sim", listing.program, suspect, {}, listing.plugin};
      }
    }
    return std::nullopt;
  }

  void print(const Report& report) const {
    std::cout << (work_.options.json ? to_json(report) + "\n" : stress_text(report, work_.machine))
              << std::flush;
  }

  struct Tried {
    int convicted = 0;
    int of = 0;
  };

  const StressWork& work_;
  const Clock::time_point end_ = Clock::now() + work_.options.budget;
  StressLive live_;
  std::map<std::string, Tried> tried_;       // by engine
  std::map<std::string, Report> simulated_;  // by lock
  Answer cut_short_;                         // by the user, when `sim` was sent after a finding
};

}  // namespace

int investigate_locks(const StressWork& work) {
  return Investigation(work).run();
}

}  // namespace lockbench
