// SPDX-License-Identifier: Apache-2.0

// lockbench-net-mutants (simulated threads), lockbench-native-net-mutants (native threads) and
// lockbench-process-net-mutants (processes): check each mutant against its net and print the
// results as CSV, as in docs/data/model-mutants.csv.

#include <cstdio>
#include <string>

#include "harness/petri/tests/mutant_engine.h"
#include "harness/petri/tests/mutant_nets.h"

namespace lockbench::mutants {
namespace {

struct Row {
  std::string result;
  std::string reason;
};

Row row_of(const MutantNet& mutant) {
  const stress::Report report = checked_against_net(mutant);
  if (!report.failure) {
    if (!mutant.undetectable.empty()) return {"undetectable", mutant.undetectable};
    if (mutant_engine().native && !mutant.missed_natively.empty()) {
      return {"sometimes missed", mutant.missed_natively};
    }
    return {mutant.control ? "conforms" : "WRONG: conforms", ""};
  }
  const std::string& what = report.failure->what;
  return {mutant.control ? "WRONG: disagrees" : "disagrees", what.substr(0, what.find(". "))};
}

void print_table() {
  std::printf("engine,lock,model,result,reason\n");
  for (const MutantNet& mutant : mutant_nets()) {
    const Row row = row_of(mutant);
    std::printf("%s,%s,%s,%s,\"%s\"\n", mutant_engine().name, mutant.lock.c_str(),
                arguments_of(mutant.model).c_str(), row.result.c_str(), row.reason.c_str());
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace lockbench::mutants

int main() {
  lockbench::mutants::print_table();
}
