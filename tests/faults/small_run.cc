// SPDX-License-Identifier: Apache-2.0

// A run without measurements: three trials put on disk as `lockbench run` does it, in milliseconds,
// so that each of its system calls can fail in turn.
//
//   small_run begin FOLDER    begins the run and writes all rows
//   small_run resume FOLDER   goes on where it stopped
//
// Prints what is done as soon as it is: "row 0", "synced" (all rows before it), "finished". Ends
// with 1 and one line on standard error where it could not go on, with 2 where there is no run.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <unistd.h>
#include <utility>

#include "harness/bench/record/run_writer.h"
#include "harness/process/out_of_memory.h"
#include "tests/record/example_run.h"

// A function of the fault layer, where there is one.
extern "C" __attribute__((weak)) void faults_count_allocations();

namespace lockbench {
namespace {

constexpr std::uint32_t kTrials = 3;

void acknowledge(const std::string& what) {
  const std::string line = what + '\n';
  if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::_Exit(9);
}

int complain(const absl::Status& status) {
  std::cerr << "small_run: " << status.message() << '\n';
  const bool no_run = absl::IsNotFound(status) || absl::IsInvalidArgument(status) ||
                      absl::IsFailedPrecondition(status) || absl::IsAlreadyExists(status);
  return no_run ? 2 : 1;
}

absl::Status write_rows(RunWriter& writer, const std::set<std::uint32_t>& done) {
  for (std::uint32_t trial = 0; trial < kTrials; ++trial) {
    if (done.contains(trial)) continue;
    if (absl::Status status = writer.append(example_row(trial)); !status.ok()) return status;
    acknowledge("row " + std::to_string(trial));
    if (trial != 1) continue;
    if (absl::Status status = writer.sync(); !status.ok()) return status;
    acknowledge("synced");
  }
  return absl::OkStatus();
}

int write_all(RunWriter writer, const std::set<std::uint32_t>& done) {
  const absl::Status written = write_rows(writer, done);
  if (!written.ok()) {
    static_cast<void>(writer.finish(RunEnd::State::kInterrupted, 1));
    return complain(written);
  }
  const absl::Status finished = writer.finish(RunEnd::State::kFinished, 1);
  if (!finished.ok()) return complain(finished);
  acknowledge("finished");
  return 0;
}

int begin(const std::string& folder) {
  absl::StatusOr<RunWriter> writer = RunWriter::create(folder, example_meta());
  if (!writer.ok()) return complain(writer.status());
  acknowledge("begun");
  return write_all(*std::move(writer), {});
}

int resume(const std::string& folder) {
  absl::StatusOr<ResumedRun> run = open_for_resume(folder);
  if (!run.ok()) return complain(run.status());
  return write_all(std::move(run->writer), run->done);
}

int small_run(const std::string& command, const std::string& folder) {
  explain_out_of_memory("small_run");
  if (faults_count_allocations != nullptr) faults_count_allocations();
  return command == "begin" ? begin(folder) : resume(folder);
}

}  // namespace
}  // namespace lockbench

int main(int count, char** words) {
  return count == 3 ? lockbench::small_run(words[1], words[2]) : 2;
}
