// SPDX-License-Identifier: Apache-2.0

#include "harness/program/help_texts.h"

#include <absl/strings/str_cat.h>

#include "harness/base/names.h"
#include "harness/bench/record/build.h"

namespace lockbench {
namespace {

constexpr Named<CommandGroup> kGroups[] = {
    {"measure", CommandGroup::kMeasure},   {"decide", CommandGroup::kDecide},
    {"check", CommandGroup::kCheck},       {"program", CommandGroup::kProgram},
    {"machines", CommandGroup::kMachines}, {"upkeep", CommandGroup::kUpkeep},
    {"hidden", CommandGroup::kHidden}};

}  // namespace

const char kExitCodes[] =
    "Exit codes, the same in every command\n"
    "  0              done, and nothing is wrong\n"
    "  1              could not finish: a file, a child process or a server failed\n"
    "  2              bad input; nothing was measured\n"
    "  3              the check found what it looks for: a broken lock, a deadlock, a regression,\n"
    "                 a disturbed machine\n"
    "  4              inconclusive: the check ended without an answer\n"
    "  129, 130, 143  interrupted by SIGHUP, SIGINT (Ctrl-C), SIGTERM; finished rows are kept\n";

const char kFirstSteps[] =
    "First steps\n"
    "  lockbench doctor                  what disturbs measurements on this machine\n"
    "  lockbench list presets            the plans that come with lockbench\n"
    "  lockbench run quick               measures all five primitives in a minute\n"
    "  lockbench report RUN              one page: which primitive to use, and the evidence\n"
    "  lockbench compare RUN             the table of a run\n"
    "  lockbench help COMMAND            the flags of a command, with examples\n";

std::string heading_of(CommandGroup group) {
  switch (group) {
    case CommandGroup::kMeasure:
      return "Measure locks";
    case CommandGroup::kDecide:
      return "Decide";
    case CommandGroup::kCheck:
      return "Check a lock";
    case CommandGroup::kProgram:
      return "Your program";
    case CommandGroup::kMachines:
      return "Other machines";
    case CommandGroup::kUpkeep:
      return "Upkeep";
    case CommandGroup::kOnPath:
      return "On the PATH";
    case CommandGroup::kHidden:
      break;
  }
  return {};
}

std::string name_of(CommandGroup group) {
  return name_of(kGroups, group);
}

CommandGroup group_named(std::string_view name) {
  return parse_name("group", name, kGroups).value_or(CommandGroup::kHidden);
}

std::string version_text() {
  const Build build = this_build();
  std::string text = "lockbench " + build.version;
  if (build.commit) {
    text += " (" + *build.commit + (build.modified.value_or(false) ? "+" : "") + ")";
  }
  text += "\n" + build.compiler + ", " + build.build_type + ", " + build.flags;
  for (const auto& [library, version] : build.libraries) {
    absl::StrAppend(&text, "\n", library, " ", version);
  }
  return text;
}

}  // namespace lockbench
