// SPDX-License-Identifier: Apache-2.0

// A small run to write, tear and read back: rows with every cell, with hardly any, and between.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/bench/plan/cell.h"
#include "harness/bench/record/csv.h"
#include "harness/bench/record/meta.h"
#include "harness/bench/record/row.h"
#include "harness/bench/record/schema.h"

namespace lockbench {

inline const RunIdentity kExampleRun{
    .run_id = "20250131T235959Z-7f3a", .preset = "connection-pool", .target = "i7-1165G7"};

inline Cell example_cell() {
  using namespace std::chrono_literals;
  return {.primitive = {.name = "striped", .parameters = {{"lock", "std"}, {"stripes", "64"}}},
          .workload = {.name = "counter", .scenario = ""},
          .threads = 8,
          .keys = 1000,
          .key_distribution = {.kind = KeyDistribution::Kind::kZipf, .theta = 0.99},
          .hold = {.kind = Work::Kind::kSpin, .duration = 200ns},
          .warmup = 20ms,
          .window = 100ms,
          .stall_limit = 2s,
          .time_limit = 3s};
}

inline LatencySummary example_latency() {
  return {.samples = 5,
          .mean_ns = 1234.5,
          .p50_ns = 210,
          .p90_ns = 1e6,
          .p99_ns = 1e21,
          .p999_ns = 0.1,
          .max_ns = 123456789,
          .buckets = {{.low_ns = 0, .high_ns = 7, .count = 3},
                      {.low_ns = 208, .high_ns = 211, .count = 2}}};
}

// Every figure measured; no two are equal, so that one in another's place is seen.
inline Sample full_sample() {
  return {.outcome = Outcome::kOk,
          .reason = "2 updates lost, \"race\"",
          .operations = 18446744073709551615u,
          .window_s = 0.125,
          .makespan_s = 2.5,
          .ideal_s = 2,
          .wait = example_latency(),
          .hold = LatencySummary{.samples = 6,
                                 .mean_ns = 0.3,
                                 .p50_ns = 301,
                                 .p90_ns = 302,
                                 .p99_ns = 303,
                                 .p999_ns = 304,
                                 .max_ns = 305,
                                 .buckets = {{.low_ns = 300, .high_ns = 305, .count = 6}}},
          .thread_operations_min = 11,
          .thread_operations_max = 12,
          .fairness_jain = 0.97,
          .overlap = 0.5,
          .cpu_user_s = 1.25,
          .cpu_system_s = 0.75,
          .voluntary_switches = 13,
          .involuntary_switches = 14,
          .peak_rss_bytes = 15,
          .lock_bytes = 16,
          .timeouts = 17,
          .lost_updates = 2,
          .violations = 0,
          .expired_holds = 26,
          .refused_writes = 27,
          .unserved = 18,
          .idle_lateness_mean_ns = 19.5,
          .pinning_held = false,
          .run_delay_share = 0.19,
          .denied_cpu_share = 0.18,
          .steal_share = 0.21,
          .other_cpu_share = 0.22,
          .throttled_periods = 3,
          .throttled_s = 0.375,
          .slow_operations_share = 0.0625,
          .fast_wait_p99_ns = 31.5,
          .slow_wait_p99_ns = 63.5,
          .starved_s = 0.4375,
          .false_conflicts = 0.23,
          .key_bytes_live = 24.5,
          .key_bytes_idle = 25.5,
          .round_trips = 2.25,
          .bytes_sent = 210.5,
          .bytes_received = 31.25,
          .reconnects = 28,
          .renewals = 29,
          .server_cpu_s = 30.5,
          .cycles_per_operation = 410.5,
          .instructions_per_operation = 520.25,
          .cache_misses_per_operation = 0.5,
          .branch_misses_per_operation = 1.5,
          .switches_per_operation = 0.25,
          .migrations_per_operation = 0.125,
          .page_faults_per_operation = 0.0625,
          .energy_j_per_operation = 0.0078125,
          .events_missing = "of user mode only",
          .interference = "run delay 19 % of the window (maximum 5 %)",
          .disturbance = "the host, \"kvm\", took 21 %",
          .counts = "6 2 5 3 2 3"};
}

inline Row full_row() {
  using namespace std::chrono_literals;
  Cell cell = example_cell();
  cell.workload = {.name = "nested", .scenario = "mixed_lock_unlock"};
  cell.mode = Mode::kFixed;
  cell.key_type = KeyType::kString;
  cell.think = {.kind = Work::Kind::kTouch, .lines = 4};
  cell.pinning = "0,2,4-7";
  cell.write_share = 0.125;
  cell.timeout = 20ms;
  cell.operations = 100000;
  RunIdentity run = kExampleRun;
  run.machine = "node7-3f2a9c";
  return {.run = run,
          .trial = {.number = 7, .block = 1, .position = 3, .seed = 42, .cell = cell},
          .sample = full_sample(),
          .attempt = 6,
          .threads_by_kind = "fast 2, slow 1",
          .started_at = "2025-01-31T23:59:59Z"};
}

// The row of a trial that came to nothing.
inline Row almost_empty_row() {
  return {.run = {.run_id = "r", .preset = "command line", .target = ""},
          .trial = {.cell = {.primitive = {.name = "keyed", .parameters = {}},
                             .workload = {.name = "checkout", .scenario = ""}}},
          .sample = {.outcome = Outcome::kCrashed, .reason = "ended by signal 11"},
          .started_at = "2025-01-31T23:59:59Z"};
}

inline Trial example_trial(std::uint32_t number) {
  return {.number = number, .block = 0, .position = number, .seed = 1, .cell = example_cell()};
}

// A run of three trials.
inline Meta example_meta() {
  return {
      .run = kExampleRun,
      .started_at = "2025-01-31T23:59:59Z",
      .command = "lockbench run connection-pool",
      .machine =
          {.cpu_model = "A \"quoted\" processor",
           .cores = 4,
           .hardware_threads = 8,
           .caches = {{.level = 1, .kind = "data", .bytes = 49152, .number = 4, .threads = 2}},
           .memory_bytes = 1ULL << 34},
      .build = {.version = "0.1.0",
                .compiler = "GNU 12.2.0",
                .build_type = "RelWithDebInfo",
                .flags = "-O2",
                .libraries = {{"abseil", "20220623"}},
                .commit = "0123abcd",
                .modified = true},
      .plugins = {{{.file = "locks.so", .file_hash = "c0ffee"},
                   {.file = "slow.so",
                    .optimisation = "none",
                    .assertions = true,
                    .sanitizers = "none",
                    .lto = false,
                    .compiler = "GNU 12.2.0",
                    .flags = "-O0",
                    .differs = "optimisation none (lockbench: full)"}}},
      .surroundings = Surroundings{.most_interference = 0.05,
                                   .patience_s = 60,
                                   .waited_s = 1.5,
                                   .busy = "others use 50 %",
                                   .at_start = {{"problem", "others", "other processes use 50 %"}},
                                   .at_end = {}},
      .end = {},
      .plan = {.preset = kExampleRun.preset,
               .target = kExampleRun.target,
               .seed = 1,
               .blocks = 1,
               .trials = {example_trial(0), example_trial(1), example_trial(2)}}};
}

// Row of trial `number` of example_meta(); its reason makes the CSV quote.
inline Row example_row(std::uint32_t number) {
  Sample sample = full_sample();
  sample.reason = "trial \"" + std::to_string(number) + "\",\nin two lines";
  return {.run = kExampleRun,
          .trial = example_trial(number),
          .sample = sample,
          .started_at = "2025-01-31T23:59:59Z"};
}

// trials.csv with these rows.
inline std::string trials_text(const std::vector<Row>& rows) {
  std::string text = csv_record(trial_header());
  for (const Row& row : rows) text += csv_record(trial_fields(row));
  return text;
}

// The cells of a row of trials.csv, by the names of their columns.
inline std::map<std::string, std::string> cells_of(const Row& row) {
  const std::vector<std::string> names = trial_header();
  const std::vector<std::string> fields = trial_fields(row);
  std::map<std::string, std::string> cells;
  for (std::size_t i = 0; i < names.size(); ++i) cells[names[i]] = fields[i];
  return cells;
}

}  // namespace lockbench
