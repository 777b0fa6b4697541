// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/preset/preset_command.h"

#include <csignal>
#include <ostream>
#include <string>
#include <string_view>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/files.h"
#include "harness/base/printable.h"
#include "harness/base/shell_command.h"
#include "harness/bench/plan/preset_file.h"
#include "harness/bench/record/meta.h"

namespace lockbench {
namespace {

constexpr std::string_view kWho = "lockbench preset";

}  // namespace

int preset_command(const PresetOptions& options, std::ostream& out, std::ostream& err) {
  if (options.words.size() < 2) {
    out << preset_template();
    return kSuccess;
  }
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is then an error of the write
  const std::string& file = options.words[1];
  const absl::StatusOr<std::string> there = read_file(file, kMostInputBytes);
  const bool missing = absl::IsNotFound(there.status());
  // The same command may have written it before.
  if (!missing && !(there.ok() && *there == preset_template())) {
    return complain(err, kWho, file + ": exists already; name another file", kBadInput);
  }
  if (const absl::Status written = replace_file(file, preset_template()); !written.ok()) {
    return complain(err, kWho, written, kCouldNotFinish);
  }
  const std::string run = shell_command({"lockbench", "run", file, "--dry-run", "--verbose"});
  out << "Preset " << printable(file) << "\nnow    edit it, then " << printable(run) << '\n';
  return kSuccess;
}

}  // namespace lockbench
