// SPDX-License-Identifier: Apache-2.0

#include "harness/command/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/command/signals.h"

extern char** environ;

namespace lockbench {
namespace {

using Clock = std::chrono::steady_clock;

// A pipe whose ends close by themselves.
class Pipe {
 public:
  Pipe() { open_ = pipe2(ends_.data(), O_CLOEXEC) == 0; }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool open() const { return open_; }
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }

  void close_end(int end) {
    if (ends_[end] >= 0) close(ends_[end]);
    ends_[end] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
  bool open_ = false;
};

// Takes what there is of one output into `text`; a closed one is not looked at again.
void take(pollfd& fd, std::string& text) {
  if (fd.revents == 0) return;
  std::array<char, 1 << 16> buffer;
  const ssize_t got = read(fd.fd, buffer.data(), buffer.size());
  if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
  if (got == 0 || (got < 0 && errno != EINTR)) fd.fd = -1;
}

// Reads both outputs until the child has closed them.
ChildEnding read_until(const ChildOrder& order, int out_fd, int err_fd, ChildResult& result) {
  // Wakes this often, should a signal slip in between the check and the wait.
  const std::chrono::milliseconds longest_wait{order.while_it_runs ? 200 : 1000};
  std::array<pollfd, 2> fds{pollfd{out_fd, POLLIN, 0}, pollfd{err_fd, POLLIN, 0}};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    if (noted_signal() != 0) return ChildEnding::kInterrupted;
    const auto left = std::clamp(
        std::chrono::duration_cast<std::chrono::milliseconds>(order.deadline - Clock::now()),
        std::chrono::milliseconds{0}, longest_wait);
    const int ready = poll(fds.data(), fds.size(), static_cast<int>(left.count()));
    // Looked at once more after the deadline: the run itself may have been stopped (Ctrl-Z) while
    // the child went on to its end.
    if (ready == 0 && left.count() == 0) return ChildEnding::kTooLong;
    if (ready > 0) {
      take(fds[0], result.out);
      take(fds[1], result.err);
    }
    if (order.while_it_runs) order.while_it_runs(result.out);
  }
  return ChildEnding::kEnded;
}

// A child that dies before it has read all of it is told by its end.
void send(int fd, const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t wrote = write(fd, text.data() + sent, text.size() - sent);
    if (wrote < 0 && (errno != EINTR || noted_signal() != 0)) return;
    if (wrote > 0) sent += static_cast<std::size_t>(wrote);
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text.substr(text.find_last_of('\n') + 1);
}

absl::StatusOr<pid_t> spawn(const ChildOrder& order, const Pipe& in, const Pipe& out,
                            const Pipe& err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.read_end(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.write_end(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write_end(), STDERR_FILENO);
  // A group of its own: Ctrl-C on the terminal reaches the run, which decides what becomes of it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) sigaddset(&usual, signal);
  posix_spawnattr_setsigdefault(&attributes, &usual);

  std::vector<std::string> words = order.words;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, order.program.c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    return absl::InternalError("`" + order.program.string() +
                               "` cannot be started: " + std::strerror(error));
  }
  return child;
}

}  // namespace

absl::StatusOr<ChildResult> run_child(const ChildOrder& order) {
  Pipe in;
  Pipe out;
  Pipe err;
  if (!in.open() || !out.open() || !err.open()) {
    return absl::InternalError(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  const absl::StatusOr<pid_t> child = spawn(order, in, out, err);
  if (!child.ok()) return child.status();
  in.close_end(0);
  out.close_end(1);
  err.close_end(1);
  send(in.write_end(), order.input);
  in.close_end(1);

  ChildResult result;
  result.ending = read_until(order, out.read_end(), err.read_end(), result);
  if (result.ending != ChildEnding::kEnded) kill(-*child, SIGKILL);
  result.status = wait_for(*child);
  return result;
}

std::string told_end(const std::string& who, const ChildResult& result) {
  std::string told = who + " ended without a result";
  if (WIFSIGNALED(result.status)) {
    told = who + " was ended by signal " + std::to_string(WTERMSIG(result.status)) + " (" +
           strsignal(WTERMSIG(result.status)) + ")";
  } else if (WIFEXITED(result.status)) {
    told += ", with exit code " + std::to_string(WEXITSTATUS(result.status));
  }
  const std::string said = last_line(result.err);
  if (!said.empty()) told += ": " + said;
  return told;
}

}  // namespace lockbench
