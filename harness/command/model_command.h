// `lockbench model`: the Petri net of a lock, searched for what can go wrong, and shown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>

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
  Nanoseconds budget = std::chrono::seconds(60);
  std::uint64_t most_markings = 50'000'000;
  bool unfolded = false;
};

// Returns the exit code: 0 nothing wrong is reachable, 2 something is, or bad input, 4 the budget
// came first; 1 when a file could not be written.
int model_command(const ModelOptions& options, std::ostream& out, std::ostream& err);

}  // namespace lockbench
