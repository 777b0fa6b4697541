// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/command/calibrate_command.h"

#include <csignal>
#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/files.h"
#include "harness/base/printable.h"
#include "harness/base/shell_command.h"
#include "harness/bench/record/meta.h"
#include "harness/predict/calibrate/calibrate_host.h"
#include "harness/predict/command/here.h"

namespace lockbench {
namespace {

constexpr std::string_view kWho = "lockbench calibrate-machine";

std::filesystem::path file_of(const CalibrateOptions& options) {
  if (!options.out.empty()) return options.out;
  return (options.name.empty() ? kHere : options.name) + ".toml";
}

bool has_this_machine(const std::filesystem::path& file) {
  const absl::StatusOr<std::string> text = read_file(file, kMostInputBytes);
  return text.ok() && calibration::is_model_of_host(*text);
}

int finish(std::ostream& out, const std::filesystem::path& file) {
  const std::string path = file.has_parent_path() ? file.string() : "./" + file.string();
  out << "Machine " << printable(file.string()) << "\nnow     "
      << printable(shell_command({"lockbench", "predict", "quick", "--machine", path})) << '\n';
  return kSuccess;
}

}  // namespace

int calibrate_command(const CalibrateOptions& options, std::ostream& out, std::ostream& err) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is then an error of the write
  const std::filesystem::path file = file_of(options);
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) {
    if (!has_this_machine(file)) {
      return complain(err, kWho,
                      file.string() +
                          ": exists already and is not the model of this machine; "
                          "remove it, or name another file",
                      kBadInput);
    }
    complain(err, kWho,
             "nothing was left to measure: " + file.string() +
                 " has the model of this machine; to measure it again, remove the file",
             kSuccess);
    return finish(out, file);
  }
  if (file.has_parent_path() && !std::filesystem::is_directory(file.parent_path(), ignored)) {
    return complain(err, kWho,
                    file.string() + ": there is no folder " + file.parent_path().string(),
                    kCouldNotFinish);
  }
  const absl::StatusOr<std::string> text = measure_here(file.stem().string(), err);
  if (!text.ok()) return complain(err, kWho, text.status(), kCouldNotFinish);
  // The file is written last and in one step, so that a calibration that is interrupted or killed
  // leaves none.
  const absl::Status written = replace_file(file, *text);
  if (!written.ok()) return complain(err, kWho, written, kCouldNotFinish);
  return finish(out, file);
}

}  // namespace lockbench
