// SPDX-License-Identifier: Apache-2.0

// `lockbench model`: the Petri net of a lock, searched for what can go wrong, and shown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>

#include "harness/petri/model.h"
#include "workloads/settings.h"

namespace lockbench {

struct ModelOptions {
  ModelSpec spec;                             // its primitive is empty when there is a file
  std::optional<std::filesystem::path> file;  // PNML to read
  std::optional<std::filesystem::path> draw;  // SVG to write
  std::optional<std::filesystem::path> film;  // HTML, or SVG for a strip
  std::optional<std::filesystem::path> pnml;  // to write
  std::optional<std::filesystem::path> promela;
  std::optional<std::filesystem::path> replay;  // events to read
  bool conform = false;                         // hold a lock against the net instead
  std::string engine;                           // who uses it; empty: the first that can
  std::string lock;                             // that one; empty: the one of the model's name
  std::uint64_t seed = 1;                       // of what it is made to do
  std::optional<Nanoseconds> budget;            // 60 s for a search, 5 s for a lock
  std::uint64_t most_markings = 50'000'000;
  bool unfolded = false;
};

// Returns the exit code: 0 nothing wrong is reachable, 2 something is, or bad input, 4 the budget
// came first; 1 when a file could not be written; 3 when the engine failed; 130 or 143 when it was
// interrupted.
int model_command(const ModelOptions& options, std::ostream& out, std::ostream& err);

}  // namespace lockbench
