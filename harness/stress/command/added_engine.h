// SPDX-License-Identifier: Apache-2.0

// AddedEngine: an engine that another program adds to `stress`. It tests locks of plug-ins alone.
//
// The program describes it in what it adds to "stress" (harness/process/command_programs.h): the
// members below by their names, and `flags`, its own options, as {"name", "type", "help",
// "switch"}.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace lockbench {

struct AddedEngine {
  std::string name;            // that users type
  std::string program;         // that tests; in the folder of the other engines
  std::string tests;           // what, in the help of --engine: "locks at servers"
  std::string about;           // a sentence in the help of `stress`, with a blank at its end
  std::string examples;        // lines of that help, each with a line feed
  std::string without_plugin;  // why it is refused if no plug-in has a lock for it
  nlohmann::json flags = nlohmann::json::array();

  // True if the engine has this option: "--faults".
  bool knows(const std::string& option) const;
};

// Those of all programs.
std::vector<AddedEngine> engines_of_programs();

}  // namespace lockbench
