// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/sim/engine.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/stress/sim/conformance.h"
#include "harness/stress/sim/detective.h"
#include "harness/stress/sim/schedule.h"

namespace lockbench::stress::sim {
namespace {

using Report = stress::Report;

absl::StatusOr<Model> model_from(const std::string& name) {
  if (name == "tso") return Model::kTso;
  if (name == "sequential") return Model::kSequential;
  return absl::InvalidArgumentError(
      absl::StrCat("`", name, "` is no memory model; say tso or sequential"));
}

std::vector<Oracle> needed_for(const Abilities& abilities) {
  std::vector<Oracle> needed = {Oracle::kExclusion, Oracle::kOrdering,    Oracle::kProgress,
                                Oracle::kCycle,     Oracle::kModel,       Oracle::kResidue,
                                Oracle::kLifetime,  Oracle::kConservation};
  if (abilities.leases) needed.push_back(Oracle::kLease);
  if (abilities.tokens) needed.push_back(Oracle::kToken);
  if (abilities.lock_per_key) needed.push_back(Oracle::kIndependence);
  return needed;
}

// The last of what each thread did; all of it where it is short.
std::vector<std::string> story_of(const std::vector<Event>& events) {
  constexpr std::size_t kMost = 60;
  std::vector<std::string> story;
  const std::size_t first = events.size() > kMost ? events.size() - kMost : 0;
  for (std::size_t i = first; i < events.size(); ++i) {
    story.push_back(absl::StrFormat("step %d, %s", events[i].step, events[i].what));
  }
  return story;
}

void tell_conviction(const Conviction& conviction, const Order& order, Report& report) {
  report.verdict = Verdict::kConvicted;
  report.finding = conviction.finding;
  report.how = conviction.strategy;
  report.found_after_s = conviction.seconds;
  report.story = story_of(conviction.events);
  report.replay.exact = true;
  report.replay.options = {"--engine",   "sim",
                           "--client",   to_text(conviction.client),
                           "--schedule", to_text(conviction.schedule)};
  if (order.memory != "tso") {
    report.replay.options.insert(report.replay.options.end(), {"--memory", order.memory});
  }
}

absl::StatusOr<Report> replay(World& world, const Lineup& lineup, const Order& order,
                              const Client& client) {
  const absl::StatusOr<std::vector<Option>> schedule = schedule_from(order.schedule);
  if (!schedule.ok()) return schedule.status();
  Report report{.engine = "sim", .suspect = lineup.name};
  if (const std::optional<Conviction> told = Detective::replay(world, lineup, client, *schedule)) {
    tell_conviction(*told, order, report);
  } else {
    report.verdict = Verdict::kInconclusive;
    report.remarks.push_back("one schedule was replayed and broke nothing");
  }
  return report;
}

// "every execution of `…` with at most 3 preemptions", once per client, at its highest bound.
void tell_explored(const std::vector<Explored>& explored, Report& report) {
  for (std::size_t i = 0; i < explored.size(); ++i) {
    const auto later =
        std::any_of(explored.begin() + static_cast<std::ptrdiff_t>(i) + 1, explored.end(),
                    [&](const Explored& e) { return e.client == explored[i].client; });
    if (later) continue;
    report.remarks.push_back(
        absl::StrFormat("whole: `%s` with at most %d preemptions: %d executions, %d states, %.3f s",
                        to_text(explored[i].client), explored[i].preemptions,
                        explored[i].executions, explored[i].states, explored[i].seconds));
  }
}

}  // namespace

absl::StatusOr<Report> investigate(const Lineup& lineup, const Order& order, const Tell& tell) {
  if (!order.net.empty()) return hold_against_net(lineup, order, tell);
  const absl::StatusOr<Model> model = model_from(order.memory);
  if (!model.ok()) return model.status();
  Hunt hunt{.budget = order.budget, .seed = order.seed, .most_preemptions = order.preemptions};
  hunt.progress = [&](const Outcome& so_far) {
    tell(absl::StrFormat("%d schedules", so_far.executions));
  };
  if (!order.client.empty()) {
    // One of the simulated threads is the one that starts and awaits the others.
    absl::StatusOr<Client> client = client_from(order.client, kMaxThreads - 1);
    if (!client.ok()) return client.status();
    hunt.client = *std::move(client);
  }
  if (!order.schedule.empty() && !hunt.client) {
    return absl::InvalidArgumentError("a schedule belongs to a client: say --client, too");
  }
  World world(*model);
  if (!order.schedule.empty()) return replay(world, lineup, order, *hunt.client);

  Outcome outcome = Detective(world, lineup, hunt).investigate();
  if (!outcome.deterministic) {
    return absl::InternalError(
        absl::StrCat("`", lineup.name,
                     "` does not do the same thing twice under one schedule, so it cannot be "
                     "explored: it uses a clock, a thread or an address that does not pass "
                     "primitives/platform"));
  }
  Report report{.engine = "sim", .suspect = lineup.name};
  report.evaluations = outcome.evaluations;
  report.seconds = outcome.seconds;
  report.figures = {{"executions", static_cast<double>(outcome.executions)},
                    {"steps", static_cast<double>(outcome.steps)},
                    {"steps_per_s", static_cast<double>(outcome.steps) / outcome.seconds},
                    {"executions_cut_off", static_cast<double>(outcome.too_long)},
                    {"lock_operations", static_cast<double>(outcome.acquisitions)},
                    {"contended_operations", static_cast<double>(outcome.contended)}};
  tell_explored(outcome.explored, report);
  if (outcome.conviction) {
    tell_conviction(*outcome.conviction, order, report);
  } else {
    report.verdict = clean_or_inconclusive(outcome.evaluations, needed_for(lineup.abilities));
    // The rule of three: A. Eypasch et al., "Probability of adverse events that have not yet
    // occurred", 1995.
    report.remarks.push_back(absl::StrFormat(
        "%d executions drawn at random, all clean: fewer than 1 in %d of such fail, "
        "at 95 %%",
        outcome.drawn, std::max<std::uint64_t>(outcome.drawn / 3, 1)));
  }
  return report;
}

}  // namespace lockbench::stress::sim
