// SPDX-License-Identifier: Apache-2.0

// `lockbench model`: searches the Petri net of a lock for faults, checks traces and locks against
// the net, and exports it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>

#include "harness/petri/net/model.h"
#include "workloads/settings.h"

namespace lockbench {

struct ModelOptions {
  ModelSpec spec;                                  // its primitive is empty if there is a file
  std::optional<std::filesystem::path> file;       // PNML to read
  std::optional<std::filesystem::path> animation;  // to write: .html, .svg for a strip, .json
  std::optional<std::filesystem::path> dot;        // to write
  std::optional<std::filesystem::path> pnml;       // to write
  std::optional<std::filesystem::path> promela;    // to write
  std::optional<std::filesystem::path> trace;      // events to check instead of a search
  bool conform = false;                            // check a lock instead of a search
  std::string engine;                   // that runs the lock; empty: the first that knows it
  std::string lock;                     // to check; empty: the lock with the model's name
  std::uint64_t seed = 1;               // for the programs that the lock is checked with
  std::optional<Nanoseconds> budget;    // 60 s for a search, 5 s for a check
  std::optional<std::uint64_t> memory;  // bytes; half of what is available
  std::uint64_t most_markings = 4'000'000'000;
  bool no_symmetry = false;  // without symmetry reduction
};

// Returns the exit code: 0 no fault; 1 a file could not be written, or the engine failed; 2 bad
// input; 3 a fault is reachable, or the trace or lock does something that the net cannot do; 4 a
// limit was reached before; 130 or 143 after an interrupt.
int model_command(const ModelOptions& options, std::ostream& out, std::ostream& err);

}  // namespace lockbench
