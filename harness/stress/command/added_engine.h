// SPDX-License-Identifier: Apache-2.0

// AddedEngine: an engine that another folder adds to `stress` (StressEntry::add_engine()). It tests
// locks of plug-ins alone.
#pragma once

#include <string>
#include <vector>

#include "harness/stress/report.h"

namespace CLI {
class App;
}  // namespace CLI

namespace lockbench {

struct AddedEngine {
  std::string name;                  // that users type; its program is lockbench-NAME
  std::string tests;                 // what, in the help of --engine: "locks at servers"
  std::string about;                 // a sentence in the help of `stress`, with a blank at its end
  std::string examples;              // lines of that help, each with a line feed
  std::string without_plugin;        // why it is refused if no plug-in has a lock for it
  std::vector<std::string> options;  // that this engine alone knows: "--faults"
  // Adds these options.
  void (*add_flags)(CLI::App& stress, stress::Order& order) = nullptr;
};

}  // namespace lockbench
