// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/tests/mutant_nets.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/petri/net/pnml.h"
#include "harness/petri/tests/mutant_engine.h"

namespace lockbench::mutants {
namespace {

// Ends when the mutant is found. Faults of processes take chance: `link_two_rescuers` mostly takes
// seconds, and once took more than a minute.
constexpr std::chrono::seconds kForAMutant{180};
constexpr std::chrono::milliseconds kWhereNothingIsFound{300};

stress::Report investigated(const MutantNet& mutant) {
  const std::vector<stress::RegisteredLock> registry = mutant_engine().registry();
  const auto line =
      std::find_if(registry.begin(), registry.end(),
                   [&](const stress::RegisteredLock& known) { return known.name == mutant.lock; });
  if (line == registry.end()) std::abort();
  const stress::Order order{.lock = mutant.lock,
                            .budget = must_fail(mutant) ? kForAMutant : kWhereNothingIsFound,
                            .net = pnml_of(build_model(mutant.model).value())};
  return mutant_engine().check_conformance(*line, order, [](const std::string&) {}).value();
}

std::string read_all(int from) {
  std::string text;
  char part[4096];
  for (ssize_t n; (n = read(from, part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(n));
  }
  return text;
}

}  // namespace

bool must_fail(const MutantNet& mutant) {
  if (mutant.control || !mutant.undetectable.empty()) return false;
  return !mutant_engine().native || mutant.missed_natively.empty();
}

stress::Report checked_against_net(const MutantNet& mutant) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = to_json(investigated(mutant));
    const bool whole =
        write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(whole ? 0 : 1);
  }
  close(ends[1]);
  const std::string text = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFSIGNALED(status)) return stress::report_from_json(text).value();
  return {.engine = mutant_engine().name,
          .lock = mutant.lock,
          .verdict = stress::Verdict::kFailed,
          .failure = stress::Failure{stress::Oracle::kCrash, "the code took its process with it"}};
}

std::string arguments_of(const ModelSpec& model) {
  std::string words = model.primitive;
  if (model.threads != ModelSpec().threads) {
    words += " --threads " + std::to_string(model.threads);
  }
  if (model.depth.value_or(2) != 2) words += " --depth " + std::to_string(*model.depth);
  return words + (model.nested ? " --nested" : "");
}

}  // namespace lockbench::mutants
