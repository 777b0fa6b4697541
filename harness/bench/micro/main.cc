// SPDX-License-Identifier: Apache-2.0

// lockbench-micro: measures the cost of locks without contention, and of the machine's operations.
//
// A Google Benchmark program with all its flags and one of our own: --lockbench_out. Exits with 0,
// with 2 if the command line is invalid, or with 1 if rows could not be written.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/shell_command.h"
#include "harness/bench/micro/benchmarks.h"
#include "harness/bench/micro/options.h"
#include "harness/bench/micro/rows.h"
#include "harness/bench/record/build.h"
#include "harness/bench/record/machine.h"
#include "harness/bench/record/run_writer.h"
#include "harness/bench/record/stamp.h"
#include "harness/process/written_output.h"

namespace lockbench {
namespace {

constexpr std::string_view kWho = "lockbench-micro";

void print_help() {
  benchmark::PrintDefaultHelp();
  std::fputs(kMicroHelp, stdout);
}

// Google Benchmark on Debian 12 always reports a debug build; the build type of this program
// matters.
void describe_build() {
  const Build build = this_build();
  benchmark::AddCustomContext("lockbench", build.version + " " + build.commit.value_or(""));
  benchmark::AddCustomContext("lockbench_build", build.compiler + " " + build.flags);
}

absl::StatusOr<RunWriter> begin_run(const MicroOptions& options,
                                    const std::vector<MicroBenchmark*>& chosen,
                                    const std::vector<std::string>& words) {
  std::signal(SIGXFSZ, SIG_IGN);  // required by RunWriter
  const Machine machine = read_machine();
  const RunIdentity identity{.run_id = new_run_id(kMicroPreset),
                             .preset = kMicroPreset,
                             .machine = machine.id.value_or("")};
  return RunWriter::create(*options.out, {.run = identity,
                                          .started_at = utc_now(),
                                          .command = shell_command(words),
                                          .machine = machine,
                                          .build = this_build(),
                                          .plan = micro_plan(chosen, options.repetitions)});
}

int measure_into(RunWriter writer, const std::vector<MicroBenchmark*>& chosen) {
  const auto begun = std::chrono::steady_clock::now();
  RowReporter reporter(*benchmark::CreateDefaultDisplayReporter(), chosen, writer);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  const std::chrono::duration<double> session = std::chrono::steady_clock::now() - begun;
  const bool whole = reporter.status().ok();
  const absl::Status ended = writer.finish(
      whole ? RunEnd::State::kFinished : RunEnd::State::kInterrupted, session.count());
  if (!whole) return kCouldNotFinish;  // the error was printed when it occurred
  if (!ended.ok()) return complain(std::cerr, kWho, ended, kCouldNotFinish);
  const std::string folder = shell_command({writer.folder().string()});
  // Standard output may contain Google Benchmark's JSON.
  std::cerr << "Next: lockbench compare " << folder << "   a table\n"
            << "      lockbench plot " << folder << "      a picture\n";
  return 0;
}

int run(const MicroOptions& options, const std::vector<std::string>& words) {
  Companion companion;
  Suite suite;
  add_everything(suite, companion);
  const absl::StatusOr<std::vector<MicroBenchmark*>> chosen =
      suite.matching(benchmark::GetBenchmarkFilter());
  if (!chosen.ok()) return complain(std::cerr, kWho, chosen.status(), kBadInput);
  suite.register_all();
  describe_build();
  if (!options.out || options.lists_only) {
    benchmark::RunSpecifiedBenchmarks();
    return 0;
  }
  absl::StatusOr<RunWriter> writer = begin_run(options, *chosen, words);
  if (!writer.ok()) return complain(std::cerr, kWho, writer.status(), kBadInput);
  return measure_into(*std::move(writer), *chosen);
}

int main_of(const std::vector<std::string>& words) {
  std::vector<std::string> arguments = words;
  const absl::StatusOr<MicroOptions> options = take_options(arguments);
  if (!options.ok()) return complain(std::cerr, kWho, options.status(), kBadInput);
  std::vector<char*> left;
  for (std::string& argument : arguments) left.push_back(argument.data());
  int count = static_cast<int>(left.size());
  left.push_back(nullptr);
  benchmark::Initialize(&count, left.data(), print_help);
  if (benchmark::ReportUnrecognizedArguments(count, left.data())) return kBadInput;
  const int code = run(*options, words);
  benchmark::Shutdown();
  return end_of_output(kWho, code);
}

}  // namespace
}  // namespace lockbench

int main(int argc, char** argv) {
  return lockbench::main_of({argv, argv + argc});
}
