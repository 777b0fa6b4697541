// SPDX-License-Identifier: Apache-2.0

#include "harness/command/preset/preset_command.h"

#include <csignal>
#include <filesystem>
#include <ostream>

#include "harness/plan/preset_template.h"
#include "harness/plan/printable.h"
#include "harness/record/files.h"
#include "harness/record/meta.h"
#include "harness/terminal/exit_code.h"

namespace lockbench {
namespace {

int complain(std::ostream& err, const std::string& what, int code) {
  err << "lockbench preset: " << printable(what) << '\n';
  return code;
}

}  // namespace

int preset_command(const PresetOptions& options, std::ostream& out, std::ostream& err) {
  if (options.words.size() < 2) {
    out << preset_template();
    return kSuccess;
  }
  std::signal(SIGXFSZ, SIG_IGN);  // required by AppendFile
  const std::string& file = options.words[1];
  absl::StatusOr<AppendFile> created = AppendFile::create(file);
  if (absl::IsAlreadyExists(created.status())) {
    return complain(err, file + ": exists already; name another file", kBadInput);
  }
  if (!created.ok()) {
    return complain(err, std::string(created.status().message()), kCouldNotFinish);
  }
  if (const absl::Status written = created->append(preset_template()); !written.ok()) {
    // An empty file would be in the way of the next attempt.
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    return complain(err, std::string(written.message()), kCouldNotFinish);
  }
  const std::string run = shell_command({"lockbench", "run", file, "--dry-run", "--verbose"});
  out << "Preset " << printable(file) << "\nnow    edit it, then " << printable(run) << '\n';
  return kSuccess;
}

}  // namespace lockbench
