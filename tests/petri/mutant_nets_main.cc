// SPDX-License-Identifier: Apache-2.0

// lockbench-net-mutants, on simulated threads, lockbench-native-net-mutants, on native ones, and
// lockbench-process-net-mutants, between processes:
// hold each broken lock against its net, and print what disagreed as a table in Markdown.

#include <algorithm>
#include <cstdio>
#include <string>

#include "tests/petri/mutant_engine.h"
#include "tests/petri/mutant_nets.h"

namespace lockbench::mutants {
namespace {

// The first sentence, without what a table has no room for.
std::string said(const MutantNet& mutant) {
  const stress::Report report = held_against_net(mutant);
  if (!report.failure) {
    if (!mutant.blind.empty()) return "cannot: " + mutant.blind;
    if (mutant_engine().native && !mutant.unseen_natively.empty()) {
      return "not seen: " + mutant.unseen_natively;
    }
    return mutant.control ? "agrees, being correct" : "**agrees, and should not**";
  }
  const std::string& what = report.failure->what;
  return (mutant.control ? "**disagrees, and is correct**: " : "") +
         what.substr(0, what.find(". "));
}

void print_table() {
  std::printf("| lock | held against | what disagrees |\n|---|---|---|\n");
  for (const MutantNet& mutant : mutant_nets()) {
    std::printf("| `%s` | `%s` | %s |\n", mutant.lock.c_str(), words_of(mutant.model).c_str(),
                said(mutant).c_str());
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace lockbench::mutants

int main() {
  lockbench::mutants::print_table();
}
