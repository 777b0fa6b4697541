// SPDX-License-Identifier: Apache-2.0

// lockbench-predict: predicts one trial on the model of a machine. `lockbench predict` starts it
// for each trial, as `lockbench run` starts `lockbench trial`.
//
//   lockbench-predict list            the primitives that it knows, one a line
//   lockbench-predict MACHINE.toml    a trial as JSON on standard input; prints its sample as JSON

#include <csignal>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <unistd.h>

#include "harness/machine/machine_file.h"
#include "harness/plan/json.h"
#include "harness/plan/printable.h"
#include "harness/plan/spelling.h"
#include "harness/predict/program_memory.h"
#include "harness/predict/registry.h"
#include "harness/predict/run_prediction.h"
#include "harness/record/files.h"
#include "harness/record/sample_json.h"
#include "harness/terminal/exit_code.h"

namespace lockbench::predict {
namespace {

int complain(const absl::Status& status) {
  std::cerr << "lockbench-predict: " << printable(std::string(status.message())) << '\n';
  return kBadInput;
}

int list() {
  for (const RegisteredLock& lock : registered_locks()) std::cout << to_text(lock.spec) << '\n';
  return kSuccess;
}

int predict(const std::string& machine_file) {
  const absl::StatusOr<std::string> toml = read_file(machine_file, kMostInputBytes);
  if (!toml.ok()) return complain(toml.status());
  const absl::StatusOr<machine::MachineModel> model = machine::parse_machine(*toml, machine_file);
  if (!model.ok()) return complain(model.status());
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const absl::StatusOr<Trial> trial = trial_from_json(text);
  if (!trial.ok()) return complain(trial.status());
  begin_program_memory();
  const absl::StatusOr<Sample> sample = run_prediction(*trial, *model);
  if (!sample.ok()) return complain(sample.status());
  std::cout << sample_text(*sample) << std::endl;
  // The objects of a trial that did not finish are still in use by threads that stand still.
  _exit(kSuccess);
}

}  // namespace
}  // namespace lockbench::predict

int main(int count, char** words) {
  using namespace lockbench;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (count != 2) {
    std::cerr << "lockbench-predict: takes `list`, or the file of a machine; `lockbench predict` "
                 "starts it\n";
    return kBadInput;
  }
  return std::string_view(words[1]) == "list" ? predict::list() : predict::predict(words[1]);
}
