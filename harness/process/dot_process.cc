// SPDX-License-Identifier: Apache-2.0

#include "harness/process/dot_process.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockbench {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

// Files instead of pipes: neither side can wait for the other.
absl::StatusOr<int> run_dot(std::FILE* input, std::FILE* output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(input), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(output), STDOUT_FILENO);
  std::string program = "dot";
  std::string flag = "-Tplain";
  char* const words[] = {program.data(), flag.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, "dot", &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return absl::UnavailableError("cannot start dot, which lays nets out; install graphviz");
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return absl::InternalError("dot was lost sight of");
  }
  return status;
}

}  // namespace

absl::StatusOr<std::string> laid_out_by_dot(const std::string& graph) {
  const File input(std::tmpfile());
  const File output(std::tmpfile());
  if (!input || !output || std::fputs(graph.c_str(), input.get()) < 0 ||
      std::fflush(input.get()) != 0) {
    return absl::InternalError("no temporary file could be written for dot; free some space");
  }
  std::rewind(input.get());
  const absl::StatusOr<int> status = run_dot(input.get(), output.get());
  if (!status.ok()) return status.status();
  if (*status != 0) return absl::InternalError("dot failed to lay the net out");

  std::rewind(output.get());
  std::string plain;
  char piece[4096];
  for (std::size_t got = 0; (got = std::fread(piece, 1, sizeof piece, output.get())) > 0;) {
    plain.append(piece, got);
  }
  return plain;
}

}  // namespace lockbench
