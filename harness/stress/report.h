// SPDX-License-Identifier: Apache-2.0

// Report: what one engine says of one lock; and the order that it was given.
//
// Engines are programs of their own: the order comes as JSON on standard input, the report goes as
// JSON to standard output. So a lock that crashes or hangs costs its own report and nothing
// else.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/stress/oracles/failure.h"
#include "harness/stress/trace/trace_step.h"

namespace lockbench::stress {

// What to look into. What an engine has no use for it leaves alone.
struct Order {
  std::string lock;
  std::chrono::nanoseconds budget = std::chrono::seconds(10);
  std::uint64_t seed = 1;
  std::string program;            // text of program.h; empty: what the engine draws
  std::string schedule;           // sim: replay this; requires a program
  std::string memory;             // sim: sc, tso or c11; empty: tso
  bool weaken = false;            // sim: try each memory order one level weaker
  std::uint32_t preemptions = 3;  // sim: bound of the exhaustive search
  std::string mode;               // real, proc: this one alone; empty: all in turn
  std::uint32_t threads = 4;      // real, proc
  std::uint32_t reruns =
      10;           // real, proc: how often a counterexample is tried again, in the time left
  std::string net;  // PNML; hold the lock against this, and nothing else
};

enum class Verdict : std::uint8_t { kClean, kFailed, kInconclusive, kUnfair };

std::string_view name_of(Verdict verdict);

// How a counterexample can be had again.
struct Replay {
  std::vector<std::string> options;  // of `lockbench stress`, beside the lock's name
  bool exact = false;                // the same thing happens each time
  std::uint32_t reruns = 0;          // if not exact: tried so often …
  std::uint32_t failures = 0;        // … and convicted so often
};

struct Report {
  std::string engine;  // sim, real or proc
  std::string lock;
  Verdict verdict = Verdict::kClean;
  std::optional<Failure> failure;
  std::string how;  // the strategy or mode that found it
  double found_after_s = 0;
  Replay replay;
  std::vector<std::string> trace;     // one line each, in order; of threads, the last events
  std::vector<TraceStep> steps = {};  // the same, by their parts
  Evaluations evaluations;
  // What was done, by names that carry units: executions, steps, lock_operations, longest_wait_ns …
  std::vector<std::pair<std::string, double>> figures;
  std::vector<std::string> remarks;  // sentences: what was explored whole; what could not be done
  double seconds = 0;
  // Not the engines' to say: machine and build, and the command that has the failure again.
  std::string machine = {};
  std::string command = {};
};

// Oracles without which a clean verdict would be hollow, of those that the engine was given.
Verdict clean_or_inconclusive(const Evaluations& evaluations, const std::vector<Oracle>& needed);

std::string to_json(const Order& order);
std::string to_json(const Report& report);

// Fail with InvalidArgument: which member, what is wrong, what would be right.
absl::StatusOr<Order> order_from_json(std::string_view text);
absl::StatusOr<Report> report_from_json(std::string_view text);

}  // namespace lockbench::stress
