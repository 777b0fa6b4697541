// SPDX-License-Identifier: Apache-2.0

#include "harness/command/calibrate/calibrate_command.h"

#include <csignal>
#include <filesystem>
#include <ostream>
#include <system_error>

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

std::string exists_text(const std::filesystem::path& file) {
  return file.string() + ": exists already; remove it, or name another file";
}

}  // namespace

int calibrate_command(const CalibrateOptions& options, std::ostream& out, std::ostream& err) {
  std::signal(SIGXFSZ, SIG_IGN);  // required by AppendFile
  const std::filesystem::path file = file_of(options);
  // Asked first, so that the user need not wait to find out. The file is created last, so that an
  // interrupted calibration leaves none.
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) return complain(err, exists_text(file), kBadInput);
  if (file.has_parent_path() && !std::filesystem::is_directory(file.parent_path(), ignored)) {
    return complain(err, file.string() + ": there is no folder " + file.parent_path().string(),
                    kCouldNotFinish);
  }
  const absl::StatusOr<std::string> text = measure_here(file.stem().string(), err);
  if (!text.ok()) return complain(err, std::string(text.status().message()), kCouldNotFinish);
  absl::StatusOr<AppendFile> created = AppendFile::create(file);
  if (absl::IsAlreadyExists(created.status())) return complain(err, exists_text(file), kBadInput);
  const absl::Status written = created.ok() ? created->append(*text) : created.status();
  if (!written.ok()) {
    // An empty file would be in the way of the next attempt.
    if (created.ok()) std::filesystem::remove(file, ignored);
    return complain(err, std::string(written.message()), kCouldNotFinish);
  }
  const std::string path = file.has_parent_path() ? file.string() : "./" + file.string();
  out << "Machine " << printable(file.string()) << "\nnow     "
      << printable(shell_command({"lockbench", "predict", "quick", "--machine", path})) << '\n';
  return kSuccess;
}

}  // namespace lockbench
