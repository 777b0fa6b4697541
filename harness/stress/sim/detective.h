// SPDX-License-Identifier: Apache-2.0

// Detective: looks for an execution that convicts a suspect, by all strategies in turn, within a
// budget of time.
//
// Rounds: small clients whole, with no preemption, then one, then two, then three; after each round
// as long again clients drawn at random, by PCT and by random walks. What is found is made smaller
// (client, then schedule) before it is reported, and replays exactly.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/stress/client.h"
#include "harness/stress/finding.h"
#include "harness/stress/sim/investigation.h"
#include "harness/stress/sim/strategies.h"
#include "harness/stress/sim/world.h"
#include "harness/stress/suspect.h"

namespace lockbench::stress::sim {

// An execution that convicts.
struct Conviction {
  Finding finding;
  std::string strategy;  // that found it
  Client client;
  std::vector<Option> schedule;
  std::vector<Event> events;
  std::uint64_t executions = 0;  // before it was found
  double seconds = 0;
};

// A client, and the bound to which all its executions were looked at.
struct Explored {
  Client client;
  std::uint32_t preemptions = 0;
  std::uint64_t executions = 0;
  std::uint64_t states = 0;
  double seconds = 0;
};

struct Outcome {
  std::optional<Conviction> conviction;
  std::vector<Explored> explored;  // whole
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;
  std::uint64_t drawn = 0;     // of the executions, those drawn at random
  std::uint64_t too_long = 0;  // executions cut off after World::kMostSteps
  std::uint64_t acquisitions = 0;
  std::uint64_t contended = 0;
  Evaluations evaluations;
  bool deterministic = true;
  double seconds = 0;
};

struct Hunt {
  std::chrono::nanoseconds budget = std::chrono::seconds(10);
  std::uint64_t seed = 1;
  std::uint32_t most_preemptions = 3;
  std::optional<Client> client;                  // explore this one alone
  std::function<void(const Outcome&)> progress;  // called a few times a second
};

class Detective {
 public:
  Detective(World& world, const Lineup& lineup, const Hunt& hunt);

  Outcome investigate();

  // One execution, told in full; absent when it convicts nobody.
  static std::optional<Conviction> replay(World& world, const Lineup& lineup, const Client& client,
                                          const std::vector<Option>& schedule);

 private:
  using Clock = std::chrono::steady_clock;

  bool found() const { return outcome_.conviction.has_value(); }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }
  bool over(Clock::time_point until);

  void execute(const Client& client, Strategy& strategy, const char* name);
  void explore(const Client& client, std::uint32_t bound, Clock::time_point until);
  void walk(Clock::time_point until);
  void look_for_worse(Clock::time_point until);
  void make_smaller();
  bool without_a_part();
  void shorten_schedule();
  bool still_convicts(const Client& client);
  bool follows(const Client& client, const std::vector<Option>& schedule);

  World& world_;
  const Lineup& lineup_;
  const Hunt hunt_;
  const Clock::time_point began_ = Clock::now();
  bool ordering_known_ = false;  // a missing order has been found: look for what it leads to
  Clock::time_point told_ = began_;
  Clock::time_point shrink_until_{};
  std::uint64_t walks_ = 0;
  std::uint64_t longest_ = 100;  // steps of an execution so far
  Outcome outcome_;
};

}  // namespace lockbench::stress::sim
