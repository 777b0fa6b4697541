// SPDX-License-Identifier: Apache-2.0

#include "harness/command/stress_investigation.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <optional>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/command/signals.h"
#include "harness/command/stress_engines.h"
#include "harness/command/stress_live.h"
#include "harness/command/stress_matrix.h"
#include "harness/command/stress_text.h"
#include "harness/command/stress_verdict.h"

namespace lockbench {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;
using stress::Report;
using stress::Verdict;

constexpr std::chrono::seconds kMostInSimulation{5};
constexpr std::chrono::milliseconds kLeastInSimulation{100};

// An end of the whole command before all is done.
using Stop = std::optional<int>;

Stop stop_for(const Answer& answer) {
  if (answer.interrupted) return 128 + noted_signal();
  if (!answer.misused.empty()) {
    return complain_of_usage(absl::InvalidArgumentError(answer.misused));
  }
  return std::nullopt;
}

class Investigation {
 public:
  explicit Investigation(const StressWork& work) : work_(work), live_(work.charges.size()) {}

  int run() {
    if (const Stop stop = try_the_engines()) return *stop;
    int code = kClean;
    for (std::size_t i = 0; i < work_.charges.size(); ++i) {
      Charge charge = work_.charges[i];
      charge.budget = budget_now(work_.charges, i, end_ - Clock::now());
      const Clock::time_point began = Clock::now();
      Answer answer = ask_aloud(charge, i, work_.options.order);
      if (const Stop stop = stop_for(answer)) return *stop;
      code = worst_exit(code, exit_code_of(answer));
      live_.findings += answer.report.finding.has_value();
      complete(answer.report, charge, i, charge.budget - (Clock::now() - began));
      print(answer.report);
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
        if (const Stop stop = stop_for(answer)) return stop;
        const Kill kill =
            answer.engine_failed ? Kill::kFailed : judge_kill(charge.suspect, answer.report);
        if (kill == Kill::kFailed || kill == Kill::kWrongOracle) {
          std::cerr << "lockbench stress: the engine is not to be believed: "
                    << kill_matrix({{charge, answer.report, kill}});
          return kFailed;
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
      simulated_[name] = ask_aloud(*again, position, order).report;
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
};

class SelfTest {
 public:
  explicit SelfTest(const StressWork& work) : work_(work), live_(work.charges.size()) {}

  int run() {
    const Clock::time_point began = Clock::now();
    std::uint64_t rounds = 0;
    do {
      if (const Stop stop = go_round(rounds)) return *stop;
      ++rounds;
    } while (has_time_for_another_round(Clock::now() - began, rounds, work_.options.budget));
    if (!work_.options.json) tell(rounds);
    return live_.findings == 0 ? kClean : kConvicted;
  }

 private:
  // The first failure of a lock is enough.
  Stop go_round(std::uint64_t round) {
    stress::Order order = work_.options.order;
    order.seed += round;
    order.reruns = 0;
    for (std::size_t i = 0; i < work_.charges.size(); ++i) {
      const Charge& charge = work_.charges[i];
      const Answer answer =
          ask(charge, order, [&](std::string_view out) { live_.show(charge, i, out); });
      live_.leave();
      if (const Stop stop = stop_for(answer)) return stop;
      const Kill kill =
          answer.engine_failed ? Kill::kFailed : judge_kill(charge.suspect, answer.report);
      live_.findings += !passes(kill);
      if (work_.options.json) std::cout << to_json(answer.report) << std::endl;
      entries_.push_back({charge, answer.report, kill});
    }
    return std::nullopt;
  }

  void tell(std::uint64_t rounds) const {
    const std::uint64_t first = work_.options.order.seed;
    std::cout << kill_matrix(entries_) << kill_summary(entries_)
              << absl::StrFormat("%d rounds, seeds %d to %d, %s\n", rounds, first,
                                 first + rounds - 1, work_.machine);
  }

  const StressWork& work_;
  StressLive live_;  // its findings: what did not go as it should
  std::vector<KillEntry> entries_;
};

}  // namespace

int investigate_locks(const StressWork& work) {
  return Investigation(work).run();
}

int test_engines(const StressWork& work) {
  return SelfTest(work).run();
}

}  // namespace lockbench
