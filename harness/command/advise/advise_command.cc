// SPDX-License-Identifier: Apache-2.0

#include "harness/command/advise/advise_command.h"

#include <algorithm>
#include <iostream>
#include <unistd.h>
#include <utility>

#include <absl/strings/str_join.h>
#include <nlohmann/json.hpp>

#include "harness/catalog/catalog.h"
#include "harness/command/run/readable.h"
#include "harness/command/run/run_plan.h"
#include "harness/plan/describe.h"
#include "harness/record/measurement.h"
#include "harness/terminal/exit_code.h"
#include "harness/terminal/one_line.h"
#include "harness/terminal/terminal.h"

namespace lockbench {
namespace {

int complain(const absl::Status& status) {
  std::cerr << "lockbench advise: " << one_line(std::string(status.message())) << '\n';
  return kBadInput;
}

// The catalog's words for a primitive; of a name, the first line that has it.
std::string described(const PrimitiveSpec& primitive) {
  for (const CatalogEntry& entry : Catalog::standard().entries()) {
    if (entry.listing.name == primitive.name) return entry.listing.summary;
  }
  return {};
}

std::string asked_text(const AdviceCase& wanted) {
  std::string text = describe(wanted.cell).substr(2);
  if (wanted.memory_bytes) text += ", within " + exact_bytes(*wanted.memory_bytes);
  return text + (wanted.fair ? ", fair" : "");
}

bool any_level(const Advice& advice) {
  return std::any_of(advice.advised.begin(), advice.advised.end(),
                     [](const Advised& one) { return one.level; });
}

// What the advice rests on, a line each. `nearest`: of a run that was not made for it, or null.
std::vector<std::string> grounds_of(const std::string& folder, const Advice& advice,
                                    const NearestGroup* nearest) {
  std::vector<std::string> grounds;
  if (any_level(advice)) {
    grounds.push_back(nearest == nullptr
                          ? "to tell more apart: a larger --budget, and a machine left alone"
                          : "to tell more apart: more blocks; without --run they are measured");
  }
  if (nearest != nullptr && !nearest->differences.empty()) {
    grounds.push_back("the run's nearest cells: " + absl::StrJoin(nearest->differences, "; "));
    if (nearest->far) grounds.push_back("that is far from the case: measure it, without --run");
  }
  grounds.push_back("the rows: " + folder + "/trials.csv");
  return grounds;
}

int say(const AdviseOptions& options, const Advice& advice, std::vector<std::string> grounds) {
  std::vector<Section> sections = advice_sections(advice);
  sections.push_back({.title = "What it rests on", .notes = std::move(grounds)});
  const std::string asked = "For " + asked_text(options.wanted) + "\n\n";
  switch (options.format) {
    case SectionFormat::kText:
      std::cout << asked
                << sections_text(sections, {.columns = terminal_columns(STDOUT_FILENO),
                                            .colour = terminal_wants_colour(STDOUT_FILENO)});
      break;
    case SectionFormat::kMarkdown:
      std::cout << asked << sections_markdown(sections);
      break;
    case SectionFormat::kCsv:
      std::cout << sections_csv(sections);
      break;
    case SectionFormat::kJson: {
      const nlohmann::ordered_json whole{
          {"asked", asked_text(options.wanted)},
          {"answer", advice.answer},
          {"grounds", sections.back().notes},
          {"sections", nlohmann::ordered_json::parse(sections_json(sections))}};
      std::cout << whole.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
      break;
    }
  }
  return advice.found ? kSuccess : kInconclusive;
}

int answer_from_run(const AdviseOptions& options) {
  const std::string folder = options.run->string();
  const absl::StatusOr<MeasuredRun> run = read_measured_run(*options.run);
  if (!run.ok()) return complain(run.status());
  const Plan& plan = run->meta.plan;
  const std::optional<NearestGroup> nearest =
      nearest_group(options.wanted.cell, cell_groups(plan, run->measurements));
  if (!nearest) {
    return complain(absl::InvalidArgumentError(
        "--run: " + folder +
        " has no cell with two primitives to choose from; leave out --run, and it is measured"));
  }
  const Advice advice =
      advise(options.wanted, nearest->group.cell, plan, run->measurements, described);
  return say(options, advice, grounds_of(folder, advice, &*nearest));
}

int measure(const AdviseOptions& options) {
  const auto check = [](const Cell& cell) { return Catalog::standard().check(cell); };
  absl::StatusOr<Plan> plan = advice_plan(options.wanted, options.budget, check);
  if (!plan.ok()) return complain(plan.status());
  const auto finished = [&](const FinishedSession& session) {
    const Cell& cell = session.plan.trials.front().cell;
    std::cerr << "Measured " << session.folder << ": " << session.tally.text() << '\n';
    const Advice advice =
        advise(options.wanted, cell, session.plan, session.measurements, described);
    return say(options, advice, grounds_of(session.folder, advice, nullptr));
  };
  return run_plan(*std::move(plan), options.out, options.words,
                  {.progress = options.progress,
                   .program = options.program,
                   .command = "advise",
                   .finished = finished});
}

}  // namespace

int advise_command(const AdviseOptions& options) {
  return options.run ? answer_from_run(options) : measure(options);
}

}  // namespace lockbench
