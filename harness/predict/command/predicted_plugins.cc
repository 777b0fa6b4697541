// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/command/predicted_plugins.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "harness/bench/command/run/plugins.h"
#include "harness/process/resources.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;

// The file that was built for predictions beside the plug-in; it may also be named itself.
std::string predicted_file(const std::string& file) {
  fs::path built = file;
  if (built.stem().extension() != ".predict") built.replace_extension(".predict.so");
  return built.string();
}

absl::Status add_predicted_plugin(const std::string& file) {
  const auto program = find_engine("lockbench-predicted-trial");
  if (!program)
    return absl::NotFoundError("the program lockbench-predicted-trial is missing beside this one");
  return add_plugin_by(file, {.program = *program,
                              .words = {"lockbench-predicted-trial", "--plugin", file, "describe"},
                              .prefix = "lockbench-predicted-trial: "});
}

}  // namespace

absl::Status add_predicted_plugins(const std::vector<std::string>& named, std::ostream& err) {
  std::error_code error;
  for (const std::string& file : named) {
    const std::string built = predicted_file(file);
    if (!fs::exists(built, error)) {
      return plugin_error(file, fs::exists(file, error)
                                    ? "not built for predictions: there is no " + built +
                                          "; give lockbench_add_plugin() PREDICT"
                                    : "no such file; name what lockbench_add_plugin() built");
    }
    if (absl::Status added = add_predicted_plugin(built); !added.ok()) return added;
  }
  for (const std::string& file : plugins_on_path()) {
    const std::string built = predicted_file(file);
    const bool known = std::any_of(named.begin(), named.end(), [&](const std::string& other) {
      return fs::equivalent(built, predicted_file(other), error);
    });
    if (known || !fs::exists(built, error)) continue;
    if (const absl::Status added = add_predicted_plugin(built); !added.ok()) {
      err << "lockbench: LOCKBENCH_PLUGIN_PATH: " << std::string(added.message())
          << "; going on without it\n";
    }
  }
  return absl::OkStatus();
}

std::optional<int> add_predicted_plugins_of_command(std::string_view command,
                                                    const std::vector<std::string>& named) {
  return complain_of_plugin(command, add_predicted_plugins(named, std::cerr));
}

}  // namespace lockbench
