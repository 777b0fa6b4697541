// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/advise/advise_command.h"

#include <iostream>
#include <memory>
#include <utility>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <nlohmann/json.hpp>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/printable.h"
#include "harness/bench/catalog/catalog.h"
#include "harness/bench/catalog/known_plugins.h"
#include "harness/bench/command/advise/questions.h"
#include "harness/bench/command/run/core_binding.h"
#include "harness/bench/command/run/finish.h"
#include "harness/bench/command/run/run_plan.h"
#include "harness/bench/command/run/run_servers.h"
#include "harness/bench/plan/spelling.h"
#include "harness/bench/record/machine.h"
#include "harness/process/analysis_command.h"
#include "harness/process/command_programs.h"

namespace lockbench {
namespace {

// Runs scripts/commands/advise.py on the rows in `folder`.
absl::StatusOr<int> answer_from(const std::string& folder, const AdviseOptions& options) {
  return run_analysis("advise",
                      {folder, "--case", case_json(options.wanted), "--format", options.format});
}

// Makes the locks of services the candidates. A hold at a service may end before its holder knows,
// so only those with tokens can be recommended.
absl::Status ask_for_services(AdviceCase& wanted) {
  std::vector<std::string> without;
  for (const CatalogEntry& entry : Catalog::standard().entries()) {
    if (entry.listing.service.empty()) continue;
    PrimitiveSpec spec{.name = entry.listing.name, .parameters = {}};
    for (const Choice& choice : entry.listing.choices) {
      spec.parameters.emplace(choice.parameter, choice.value);
    }
    if (entry.tokens) {
      wanted.services.push_back(std::move(spec));
    } else {
      without.push_back(to_text(spec));
    }
  }
  if (wanted.services.size() < 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--across-machines: ",
        wanted.services.empty() ? "no lock of a service" : "one lock of a service with tokens",
        " is loaded, and a choice needs two", known_plugins().remedy));
  }
  if (!without.empty()) {
    std::cerr << "lockbench advise: not asked, since their holds have no tokens: "
              << absl::StrJoin(without, ", ") << '\n';
  }
  return absl::OkStatus();
}

// The traits of a cell as it is measured: bind_by_default().
absl::StatusOr<CellTraits> check_here(Cell cell) {
  if (cell.pinning == "none") cell.pinning = "scatter";
  return traits_here(cell);
}

absl::Status check_cores_here(const AdviceCase& wanted) {
  if (wanted.cores.empty()) return absl::OkStatus();
  const absl::StatusOr<std::vector<std::string>> kinds = kinds_here();
  return kinds.ok() ? check_cores(wanted, *kinds, "this machine") : kinds.status();
}

int measure(AdviseOptions options) {
  if (const absl::Status there = check_cores_here(options.wanted); !there.ok()) {
    return complain_of_advice(there);
  }
  absl::StatusOr<Plan> plan =
      advice_plan(options.wanted, options.budget.value_or(usual_budget(options.wanted.kind)),
                  check_here, options.budget ? BudgetKind::kAsked : BudgetKind::kUsual);
  if (!plan.ok()) return complain_of_advice(plan.status());
  const std::string binding = bind_by_default(*plan);
  if (!binding.empty()) say(std::cerr, "lockbench advise", binding);
  if (leaves_out_map(options.wanted, *plan)) {
    std::cerr << "lockbench advise: the budget is too short for the map of readers and writers; "
                 "say --budget 40s\n";
  }
  absl::StatusOr<AdviceCase> asked = with_loads(options.wanted, check_here);
  if (!asked.ok()) return complain_of_advice(asked.status());
  options.wanted = *std::move(asked);
  const absl::StatusOr<std::unique_ptr<RunServers>> servers =
      start_servers(plan->trials, options.services);
  if (!servers.ok()) return complain_of_advice(servers.status());
  const auto finished = [&](const FinishedSession& session) {
    return answer_at_end(session, options, "Measured");
  };
  return run_plan(*std::move(plan), options.out, options.words,
                  {.progress = options.progress,
                   .program = options.program,
                   .command = "advise",
                   .patience = options.patience,
                   .answers_with = "--run",
                   .finished = finished});
}

// The user at the terminal describes the case.
absl::Status ask_user(AdviseOptions& options) {
  const absl::StatusOr<std::vector<std::string>> machines = options.machine_models.machines
                                                                ? options.machine_models.machines()
                                                                : std::vector<std::string>{};
  Asked asked{.wanted = options.wanted, .question = {}, .machine = {}, .budget = options.budget};
  const AskedAbout about{
      .processors = read_machine().usable_threads.value_or(2),
      .machines = machines.value_or(std::vector<std::string>{}),
      .kinds =
          [&options](const std::string& machine) {
            if (!machine.empty()) return options.machine_models.kinds(machine);
            return kinds_here().value_or(std::vector<std::string>{});
          },
      .possible = [](const AdviceCase& wanted) { return with_loads(wanted, check_here).status(); },
      .affordable =
          [](const AdviceCase& wanted, Nanoseconds budget) {
            return advice_plan(wanted, budget, check_here).status();
          }};
  if (absl::Status done = ask_case(std::cin, std::cerr, about, asked); !done.ok()) return done;
  options.wanted = asked.wanted;
  options.question = asked.question;
  options.machine = asked.machine;
  options.budget = asked.budget;
  return absl::OkStatus();
}

}  // namespace

int complain_of_advice(const absl::Status& status, int code) {
  return complain(std::cerr, "lockbench advise", status, code);
}

int answer_at_end(const FinishedSession& session, const AdviseOptions& options,
                  const std::string& done) {
  std::cerr << done << ' ' << session.folder << ": " << session.tally.text() << '\n';
  const absl::StatusOr<int> answered = answer_from(session.folder, options);
  if (answered.ok()) return *answered;
  std::cerr << "Medians\n" << medians_text(session.plan, session.measurements);
  return complain_of_advice(answered.status(), kCouldNotFinish);
}

nlohmann::json described(const AnswersForMachineModels& machine_models) {
  return {{"flag_help", machine_models.flag_help},
          {"why_alone", machine_models.why_alone},
          {"help", machine_models.help}};
}

AnswersForMachineModels machine_models_of_programs() {
  for (const Addition& addition : additions_to("advise")) {
    if (!addition.what.contains("models")) continue;
    const nlohmann::json& texts = addition.what["models"];
    return {.flag_help = texts.value("flag_help", ""),
            .why_alone = texts.value("why_alone", ""),
            .help = texts.value("help", ""),
            .program = addition.program->file};
  }
  return {};
}

int advise_command(const AdviseOptions& given) {
  AdviseOptions options = given;
  const bool asks_user = options.wanted.cell.threads == 0 && !options.source.given();
  if (!options.machine_models.program.empty() && (asks_user || !options.machine.empty())) {
    // That program knows the machines that the user may name, too.
    std::vector<std::string> words = options.words;
    words.front() = options.program;
    return become(options.machine_models.program, std::move(words));
  }
  if (options.source.given()) {
    const absl::Status taken = options.source.take(options.wanted, std::cerr);
    if (!taken.ok()) return complain_of_advice(taken);
  }
  if (options.wanted.cell.threads == 0) {
    if (absl::Status asked = ask_user(options); !asked.ok()) return complain_of_advice(asked);
  }
  for (const std::string& difference : differences_of(options.question)) {
    say(std::cerr, "lockbench advise", difference);
  }
  if (options.question.across_machines) {
    if (absl::Status added = ask_for_services(options.wanted); !added.ok())
      return complain_of_advice(added);
  }
  if (!options.machine.empty()) return options.machine_models.answer(options);
  if (!options.run) return measure(std::move(options));
  absl::StatusOr<AdviceCase> asked = with_loads(options.wanted, check_here);
  if (!asked.ok()) return complain_of_advice(asked.status());
  options.wanted = *std::move(asked);
  const absl::StatusOr<int> answered = answer_from(options.run->string(), options);
  return answered.ok() ? *answered : complain_of_advice(answered.status());
}

}  // namespace lockbench
