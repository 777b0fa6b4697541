// SPDX-License-Identifier: Apache-2.0

// observed.json: what was observed, for other programs. docs/observe.md describes the members.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/observe/observation/observation.h"
#include "harness/observe/observation/verdict.h"

namespace lockbench {

// Facts about the whole observation.
struct ObservationFacts {
  std::vector<std::string> command;
  std::string interpreter;  // of a script; else empty
  std::string started_at;   // UTC, ISO 8601
  double wall_s = 0;
  double processor_s = 0;
  std::optional<int> status;  // as of waitpid(); absent: it runs still
  double delay_s = 0;
  double duration_s = 0;  // 0: to the end
  std::string places;     // the expression of --place; empty: all
  double uncontended_ns = 0;
  double processors = 1;  // that this process may use
};

std::string observed_json(const Observation& observation, const Verdict& verdict,
                          const ObservationFacts& facts);

// `mutex`, `rwlock`, `spin lock`, `semaphore` or `futex`; of events `semaphore event` or `futex
// event`.
std::string kind_name(observe::LockKind kind);

}  // namespace lockbench
