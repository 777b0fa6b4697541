// SPDX-License-Identifier: Apache-2.0

// CaseSource: a case that is read from somewhere, instead of described by flags. A capability that
// can do so gives it to the command (AdviseEntry::read_cases()); the default is that there is none.
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
  std::function<std::string(const CLI::App& advise)> idle = [](const CLI::App&) {
    return std::string();
  };
  // Replaces the case, except its limits of memory and fairness and its two primitives. Says on
  // `out` what it took.
  std::function<absl::Status(AdviceCase& wanted, std::ostream& out)> take;
};

}  // namespace lockbench
