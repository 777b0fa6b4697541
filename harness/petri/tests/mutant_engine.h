// SPDX-License-Identifier: Apache-2.0

// MutantEngine: the engine that a program about broken locks and their nets is linked with.
#pragma once

#include <vector>

#include <absl/status/statusor.h>

#include "harness/stress/engine_program.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/report.h"

namespace lockbench::mutants {

struct MutantEngine {
  const char* name = "";
  bool native = false;  // native threads
  std::vector<stress::RegisteredLock> (*registry)() = nullptr;
  absl::StatusOr<stress::Report> (*check_conformance)(const stress::RegisteredLock&,
                                                      const stress::Order&,
                                                      const stress::ReportProgress&) = nullptr;
};

MutantEngine mutant_engine();

}  // namespace lockbench::mutants
