// SPDX-License-Identifier: Apache-2.0

// MutantEngine: the engine that a program about broken locks and their nets is linked with.
#pragma once

#include <vector>

#include <absl/status/statusor.h>

#include "harness/stress/engine_program.h"
#include "harness/stress/report.h"
#include "harness/stress/suspect.h"

namespace lockbench::mutants {

struct MutantEngine {
  const char* name = "";
  bool native = false;  // native threads
  std::vector<stress::Lineup> (*lineup)() = nullptr;
  absl::StatusOr<stress::Report> (*hold_against_net)(const stress::Lineup&, const stress::Order&,
                                                     const stress::Tell&) = nullptr;
};

MutantEngine mutant_engine();

}  // namespace lockbench::mutants
