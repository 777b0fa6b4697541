// SPDX-License-Identifier: Apache-2.0

#include "harness/command/substitute/substitute_command.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "harness/plan/printable.h"
#include "harness/process/pipe.h"
#include "harness/process/program_file.h"
#include "harness/terminal/exit_code.h"

namespace lockbench {
namespace {

int complain(std::ostream& err, const std::string& what) {
  err << "lockbench substitute: " << printable(what) << '\n';
  return kBadInput;
}

}  // namespace

int substitute_command(const SubstituteOptions& options, std::ostream& err) {
  const absl::StatusOr<std::vector<std::string>> environment = environment_for(options.with);
  if (!environment.ok()) return complain(err, std::string(environment.status().message()));
  const absl::StatusOr<ProgramFile> program = find_preloadable(options.command[0]);
  if (!program.ok()) return complain(err, std::string(program.status().message()));
  for (const std::string& variable : *environment) {
    const std::size_t equals = variable.find('=');
    setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
  }
  std::vector<std::string> words = options.command;
  execvp(words[0].c_str(), pointers_to(words).data());
  return complain(err, "`" + options.command[0] + "` cannot be started: " + std::strerror(errno));
}

}  // namespace lockbench
