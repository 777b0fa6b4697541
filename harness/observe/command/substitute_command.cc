// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/command/substitute_command.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/observe/command/command_names.h"
#include "harness/observe/observation/foreground_program.h"
#include "harness/observe/observation/program_file.h"
#include "harness/observe/preload/preload.h"
#include "harness/process/pipe.h"

namespace lockbench {
namespace {

// The unchanged program, in the place of this one.
int become(std::vector<std::string> words, std::ostream& err) {
  execvp(words[0].c_str(), pointers_to(words).data());
  return complain(err, kSubstitute,
                  "`" + words[0] + "` cannot be started: " + std::strerror(errno));
}

// This process stays, to say which of the programs had their own mutexes.
int run_with_lock(const SubstituteOptions& options, std::vector<std::string> environment,
                  std::ostream& err) {
  const auto announcements = AnnouncementFile::create();
  if (!announcements.ok()) {
    return complain(err, kSubstitute, announcements.status(), kCouldNotFinish);
  }
  environment.push_back((*announcements)->variable());
  const absl::StatusOr<ForegroundEnd> end =
      run_in_foreground({.words = options.command, .environment = environment});
  if (!end.ok()) return complain(err, kSubstitute, end.status());
  const absl::Status loaded = (*announcements)->check(options.command[0], "the lock");
  if (!loaded.ok()) complain(err, kSubstitute, loaded);
  return exit_code_of(end->status);
}

}  // namespace

int substitute_command(const SubstituteOptions& options, std::ostream& err) {
  const absl::StatusOr<std::vector<std::string>> environment = environment_for(options.with);
  if (!environment.ok()) return complain(err, kSubstitute, environment.status());
  const absl::StatusOr<ProgramFile> program = find_preloadable(options.command[0]);
  if (!program.ok()) return complain(err, kSubstitute, program.status());
  if (environment->empty()) return become(options.command, err);
  return run_with_lock(options, *environment, err);
}

}  // namespace lockbench
