// SPDX-License-Identifier: Apache-2.0

// CaseSource: a case that another program knows, instead of one that is described by flags.
//
// A program says in its description (harness/process/command_programs.h) by which flags:
//
//   {"cases": {"flag": "--observed", "flags": [{"name": "--observed", …}, …],
//              "idle": "--place: names a place of …", "command": "observed-case"}}
//
// `flag` names the source; the others belong to it, and `idle` says what is wrong if one of them is
// given without it. The program's command, with these flags, prints the case (case_answer.h).
#pragma once

#include <functional>
#include <ostream>
#include <string>

#include <absl/status/status.h>

#include "harness/bench/command/advise/advice_case.h"

namespace CLI {
class App;
}  // namespace CLI

namespace lockbench {

struct CaseSource {
  std::string flag;  // that names the source
  std::function<void(CLI::App& advise)> add_flags = [](CLI::App&) {};
  std::function<bool()> given = [] { return false; };
  // Without the flag: what is wrong with its other flags; empty if nothing is.
  std::function<std::string()> idle = [] { return std::string(); };
  // Replaces the case, except its limits of memory and fairness, its cores and its two primitives.
  // Says on `out` what it took.
  std::function<absl::Status(AdviceCase& wanted, std::ostream& out)> take;
};

// That of a program that describes one; the default if none does.
CaseSource source_of_programs();

}  // namespace lockbench
