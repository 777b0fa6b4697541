// SPDX-License-Identifier: Apache-2.0

#include "harness/command/calibrate/calibrate_command.h"

#include <csignal>
#include <filesystem>
#include <ostream>
#include <string>
#include <system_error>

#include "harness/calibrate/calibrate_host.h"
#include "harness/command/calibrate/here.h"
#include "harness/plan/printable.h"
#include "harness/record/files.h"
#include "harness/record/meta.h"
#include "harness/terminal/exit_code.h"

namespace lockbench {
namespace {

int complain(std::ostream& err, const std::string& what, int code) {
  err << "lockbench calibrate-machine: " << printable(what) << '\n';
  return code;
}

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
      return complain(err,
                      file.string() +
                          ": exists already and is not the model of this machine; "
                          "remove it, or name another file",
                      kBadInput);
    }
    complain(err,
             "nothing was left to measure: " + file.string() +
                 " has the model of this machine; to measure it again, remove the file",
             kSuccess);
    return finish(out, file);
  }
  if (file.has_parent_path() && !std::filesystem::is_directory(file.parent_path(), ignored)) {
    return complain(err, file.string() + ": there is no folder " + file.parent_path().string(),
                    kCouldNotFinish);
  }
  const absl::StatusOr<std::string> text = measure_here(file.stem().string(), err);
  if (!text.ok()) return complain(err, std::string(text.status().message()), kCouldNotFinish);
  // The file is written last and in one step, so that a calibration that is interrupted or killed
  // leaves none.
  const absl::Status written = replace_file(file, *text);
  if (!written.ok()) return complain(err, std::string(written.message()), kCouldNotFinish);
  return finish(out, file);
}

}  // namespace lockbench
