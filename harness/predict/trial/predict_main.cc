// SPDX-License-Identifier: Apache-2.0

// lockbench-predicted-trial: predicts one trial on the model of a machine. `lockbench predict`
// starts it for each trial, as `lockbench run` starts `lockbench trial`.
//
//   lockbench-predicted-trial list            a line for each primitive that it knows and type of
//   its keys:
//                                     PRIMITIVE u64|string WORKLOAD…
//   lockbench-predicted-trial MACHINE.toml    a trial as JSON on standard input; prints its sample
//   as JSON lockbench-predicted-trial describe        the locks of the plug-in, as JSON
//
// Before these words: `--plugin FILE.predict.so`.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <system_error>
#include <unistd.h>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/files.h"
#include "harness/base/printable.h"
#include "harness/bench/plan/json.h"
#include "harness/bench/plan/spelling.h"
#include "harness/bench/record/sample_json.h"
#include "harness/plugin/describe.h"
#include "harness/plugin/load.h"
#include "harness/predict/machine/machine_file.h"
#include "harness/predict/trial/program_memory.h"
#include "harness/predict/trial/registry.h"
#include "harness/predict/trial/run_prediction.h"
#include "harness/stress/simulated/foreign_calls.h"

namespace lockbench::predict {
namespace {

constexpr std::string_view kWho = "lockbench-predicted-trial";

// The locks of the plug-in are known from now on.
absl::StatusOr<PluginOffer> load(const std::filesystem::path& file) {
  absl::StatusOr<LoadedPlugin> loaded = load_plugin(file, PluginBuild{});
  if (!loaded.ok()) return loaded.status();
  if (loaded->c != nullptr) {
    return absl::InvalidArgumentError("plug-in " + file.string() +
                                      ": of the C interface, which cannot be predicted");
  }
  if (absl::Status sound = stress::explore::prepare_plugin(file); !sound.ok()) return sound;
  add_locks(loaded->offer);
  return std::move(loaded->offer);
}

// Locks of other authors, built beside this program.
absl::Status load_peers() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return load(program.parent_path() / "lockbench-peers.predict.so").status();
}

int list() {
  if (const absl::Status loaded = load_peers(); !loaded.ok())
    return complain(std::cerr, kWho, loaded);
  for (const RegisteredLock& lock : registered_locks()) {
    for (const KeyType key_type : lock.key_types) {
      std::cout << to_text(lock.spec) << (key_type == KeyType::kU64 ? " u64" : " string");
      for (const std::string_view workload : predicted_workloads(lock.kind)) {
        std::cout << ' ' << workload;
      }
      std::cout << '\n';
    }
  }
  return kSuccess;
}

int predict(const std::string& machine_file) {
  const absl::StatusOr<std::string> toml = read_file(machine_file, kMostInputBytes);
  if (!toml.ok()) return complain(std::cerr, kWho, toml.status());
  const absl::StatusOr<machine::MachineModel> model = machine::parse_machine(*toml, machine_file);
  if (!model.ok()) return complain(std::cerr, kWho, model.status());
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const absl::StatusOr<Trial> trial = trial_from_json(text);
  if (!trial.ok()) return complain(std::cerr, kWho, trial.status());
  if (find_registered(trial->cell.primitive, trial->cell.key_type) == nullptr) {
    if (const absl::Status loaded = load_peers(); !loaded.ok())
      return complain(std::cerr, kWho, loaded);
  }
  begin_program_memory();
  const absl::StatusOr<Sample> sample = run_prediction(*trial, *model);
  if (!sample.ok()) return complain(std::cerr, kWho, sample.status());
  std::cout << sample_text(*sample) << std::endl;
  // The objects of a trial that did not finish are still in use by threads that stand still.
  _exit(kSuccess);
}

int run(std::span<const char* const> words) {
  PluginOffer offer;
  while (words.size() > 2 && std::string_view(words[0]) == "--plugin") {
    absl::StatusOr<PluginOffer> loaded = load(words[1]);
    if (!loaded.ok()) return complain(std::cerr, kWho, loaded.status());
    offer = *std::move(loaded);
    words = words.subspan(2);
  }
  if (words.size() != 1) {
    std::cerr
        << "lockbench-predicted-trial: takes `list`, or the file of a machine; `lockbench predict` "
           "starts it\n";
    return kBadInput;
  }
  const std::string_view word = words.front();
  if (word == "list") return list();
  if (word != "describe") return predict(std::string(word));
  std::cout << to_json({.entries = std::move(offer.entries), .call_ns = {}}) << '\n';
  return kSuccess;
}

}  // namespace
}  // namespace lockbench::predict

int main(int count, char** words) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const std::span<const char* const> all(words, static_cast<std::size_t>(count));
  return lockbench::predict::run(all.subspan(1));
}
