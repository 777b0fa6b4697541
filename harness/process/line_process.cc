// SPDX-License-Identifier: Apache-2.0

#include "harness/process/line_process.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <absl/strings/str_cat.h>

#include "harness/process/pipe.h"
#include "harness/process/signals.h"

extern char** environ;

namespace lockbench {
namespace {

using Clock = std::chrono::steady_clock;

// How often a wait checks for a noted signal.
constexpr std::chrono::milliseconds kLook{100};

absl::StatusOr<pid_t> start_program(std::vector<std::string> words, int input, int output) {
  const std::vector<char*> pointers = pointers_to(words);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // A group of its own: Ctrl-C reaches lockbench only, which then ends the program itself.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t process = -1;
  const int error =
      posix_spawnp(&process, pointers[0], &actions, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return process;
  return absl::InternalError(absl::StrCat("cannot start ", words[0], ": ", std::strerror(error)));
}

}  // namespace

absl::StatusOr<LineProcess> LineProcess::start(const std::vector<std::string>& words,
                                               Clock::duration patience) {
  Pipe to;
  Pipe from;
  if (!to.open() || !from.open()) {
    return absl::InternalError(absl::StrCat("cannot open a pipe: ", std::strerror(errno)));
  }
  const absl::StatusOr<pid_t> process = start_program(words, to.read_end(), from.write_end());
  if (!process.ok()) return process.status();
  return LineProcess(*process, to.take_end(1), from.take_end(0), patience);
}

LineProcess::LineProcess(LineProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      guard_(std::move(other.guard_)),
      to_(std::exchange(other.to_, -1)),
      from_(std::exchange(other.from_, -1)),
      patience_(other.patience_),
      unread_(std::move(other.unread_)) {}

LineProcess::~LineProcess() {
  if (to_ >= 0) close(to_);
  if (from_ >= 0) close(from_);
  if (process_ < 0) return;
  for (const auto until = Clock::now() + patience_; Clock::now() < until; poll(nullptr, 0, 1)) {
    if (waitpid(process_, nullptr, WNOHANG) != 0) return;
  }
  kill(-process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
}

absl::StatusOr<std::string> LineProcess::ask(Clock::duration at_most) {
  const Clock::time_point deadline = Clock::now() + at_most;
  while (write(to_, "\n", 1) != 1) {
    if (errno != EINTR) return ended();
  }
  return read(deadline);
}

absl::StatusOr<std::string> LineProcess::read(Clock::time_point deadline) {
  for (;;) {
    if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    if (noted_signal() != 0) return absl::CancelledError("interrupted");
    const auto left = deadline - Clock::now();
    if (left <= Clock::duration::zero()) return absl::DeadlineExceededError("it did not answer");
    const auto look = std::min<Clock::duration>(left, kLook);
    pollfd readable{.fd = from_, .events = POLLIN, .revents = 0};
    const auto look_ms = std::chrono::duration_cast<std::chrono::milliseconds>(look).count() + 1;
    if (poll(&readable, 1, static_cast<int>(look_ms)) <= 0) continue;
    std::array<char, 1 << 12> piece;
    const ssize_t got = ::read(from_, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return ended();
    unread_.append(piece.data(), static_cast<std::size_t>(got));
    if (unread_.size() > kMostAnswerBytes) return absl::UnavailableError("it printed too much");
  }
}

// The program closed its standard output. If it does not end within a second, it is killed.
absl::Status LineProcess::ended() {
  if (process_ < 0) return absl::UnavailableError("it has ended");
  const Clock::time_point patience = Clock::now() + std::chrono::seconds(1);
  int status = 0;
  while (waitpid(process_, &status, WNOHANG) == 0) {
    if (Clock::now() >= patience) kill(-process_, SIGKILL);
    poll(nullptr, 0, 1);
  }
  process_ = -1;
  return absl::UnavailableError(
      WIFSIGNALED(status) ? absl::StrCat("it was ended by signal ", WTERMSIG(status))
                          : absl::StrCat("it has ended with exit code ", WEXITSTATUS(status)));
}

}  // namespace lockbench
