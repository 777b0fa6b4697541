// SPDX-License-Identifier: Apache-2.0

// Report: the result of one engine for one lock. Order: what the engine was asked to do.
//
// An engine is a separate program: it reads the order as JSON from standard input and writes the
// report as JSON to standard output. So if a lock crashes or hangs, only its own report is lost.
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
#include "harness/stress/trace/trace_text.h"

namespace lockbench::stress {

// The check that an engine has to make. An engine ignores the members that it does not use.
struct Order {
  std::string lock;
  std::chrono::nanoseconds budget = std::chrono::seconds(10);
  std::uint64_t seed = 1;
  std::string program;            // text in the form of program.h; empty: the engine chooses
  std::string schedule;           // sim: replay this schedule; requires a program
  std::string memory;             // sim: of sc, tso, c11, with commas; empty: the lock's default
  bool weaken = false;            // sim: try each memory order one level weaker
  bool exhaustive = false;        // sim: nothing at random; ends when all is explored
  std::uint32_t preemptions = 3;  // sim: bound of the exhaustive search
  std::string mode;               // real, proc: only this mode; empty: all modes in turn
  std::string faults;             // services: of fault.h, with commas; empty: all
  bool ignore_tokens = false;     // services: the resource does not check tokens
  std::string network;            // services: proxy or namespaces; empty: proxy
  std::uint32_t threads = 4;      // real, proc, services
  std::uint32_t reruns =
      10;           // real, proc, services: repetitions of a counterexample, if time is left
  std::string net;  // PNML; check the lock only against this net
};

enum class Verdict : std::uint8_t { kClean, kFailed, kInconclusive };

std::string_view name_of(Verdict verdict);

// How to reproduce a counterexample.
struct Reproduction {
  std::vector<std::string> options;  // of `lockbench stress`, in addition to the lock's name
  bool exact = false;                // each replay has the same steps
  std::uint32_t reruns = 0;          // if not exact: number of repetitions …
  std::uint32_t failures = 0;        // … and how many of them failed
  // If a repetition is less than what the command of the report does, and none failed: how long
  // that was done then (0: not at all), and whether it failed.
  double command_s = 0;
  bool command_failed = false;
};

// A litmus program of which every execution within a bound, or in every interleaving, was explored,
// or, if it is not `whole`, as many as there was time for.
struct ExploredLitmus {
  std::string program;
  std::string bound;  // `under tso with at most 2 preemptions`, `in every interleaving under c11`
  bool whole = true;
  std::uint64_t executions = 0;
  std::uint64_t states = 0;  // 0: the search knows none
  double seconds = 0;

  bool operator==(const ExploredLitmus&) const = default;
};

struct Report {
  std::string engine;  // sim, real, proc or services
  std::string lock;
  Verdict verdict = Verdict::kClean;
  std::optional<Failure> failure;
  std::string how;  // the strategy or mode that found it
  double found_after_s = 0;
  Reproduction replay;
  std::vector<std::string> trace;     // one event on each line; threads, processes: the last events
  std::vector<TraceStep> steps = {};  // the same events with their parts separated
  Evaluations evaluations;
  // Amounts of work and times. The names say the units: executions, steps, lock_operations,
  // longest_wait_ns …
  std::vector<std::pair<std::string, double>> figures;
  std::vector<ExploredLitmus> explored = {};  // sim
  std::vector<std::string> remarks;           // sentences: what was not possible, how sure this is
  double seconds = 0;
  // The engine leaves these empty: the machine and build, and the command that reproduces the
  // failure.
  std::string machine = {};
  std::string command = {};
};

// Returns clean if each oracle in `needed` was evaluated at least once, otherwise inconclusive.
Verdict clean_or_inconclusive(const Evaluations& evaluations, const std::vector<Oracle>& needed);

std::string to_json(const Order& order);
std::string to_json(const Report& report);

// Fails with InvalidArgument: which member is wrong, why, and what is valid.
absl::StatusOr<Order> order_from_json(std::string_view text);
absl::StatusOr<Report> report_from_json(std::string_view text);

}  // namespace lockbench::stress
