// SPDX-License-Identifier: Apache-2.0

#include "harness/process/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "harness/process/signals.h"
#include "primitives/platform/scratch_folder.h"

extern char** environ;

namespace lockbench {
namespace {

using Clock = std::chrono::steady_clock;

// How long all of a killed group may take to be gone. The kernel needs some milliseconds.
constexpr std::chrono::seconds kToBeGone{1};

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

// What a child prints, until all who can print there are gone or have closed it.
class Outputs {
 public:
  Outputs(int out_fd, int err_fd) : fds_{pollfd{out_fd, POLLIN, 0}, pollfd{err_fd, POLLIN, 0}} {}

  bool open() const { return fds_[0].fd >= 0 || fds_[1].fd >= 0; }

  // Waits for more and takes it. Returns what poll() did: 0 when there was none for so long.
  int take_more(std::chrono::milliseconds longest, ChildResult& result) {
    const int ready = poll(fds_.data(), fds_.size(), static_cast<int>(longest.count()));
    if (ready > 0) {
      take(fds_[0], result.out);
      take(fds_[1], result.err);
    }
    return ready;
  }

 private:
  // Takes what there is of one output into `text`; a closed one is not looked at again.
  static void take(pollfd& fd, std::string& text) {
    if (fd.revents == 0) return;
    std::array<char, 1 << 16> buffer;
    const ssize_t got = read(fd.fd, buffer.data(), buffer.size());
    if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) fd.fd = -1;
  }

  std::array<pollfd, 2> fds_;
};

std::chrono::milliseconds left_until(Clock::time_point end, std::chrono::milliseconds longest) {
  return std::clamp(std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()),
                    std::chrono::milliseconds{0}, longest);
}

// Reads both outputs until the child has closed them.
ChildEnding read_until(const ChildOrder& order, Outputs& outputs, ChildResult& result) {
  // Wakes this often, should a signal slip in between the check and the wait.
  const std::chrono::milliseconds longest_wait{order.while_it_runs ? 200 : 1000};
  while (outputs.open()) {
    if (noted_signal() != 0) return ChildEnding::kInterrupted;
    const auto left = left_until(order.deadline, longest_wait);
    const int ready = outputs.take_more(left, result);
    // Looked at once more after the deadline: the run itself may have been stopped (Ctrl-Z) while
    // the child went on to its end.
    if (ready == 0 && left.count() == 0) return ChildEnding::kTooLong;
    if (order.while_it_runs) order.while_it_runs(result.out);
  }
  return ChildEnding::kEnded;
}

// Ends the child and all of its group, and reads what they printed before that. Whoever is killed
// has its outputs closed when it is gone, so that what it left behind stays as it is.
void end_group(pid_t child, Outputs& outputs, ChildResult& result) {
  kill(-child, SIGKILL);
  const Clock::time_point end = Clock::now() + kToBeGone;
  while (outputs.open() && Clock::now() < end) {
    outputs.take_more(left_until(end, kToBeGone), result);
  }
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

// The child's place for temporary files: one that is killed leaves them behind. Empty where none
// can be made; the child will say so if it needs one.
std::unique_ptr<platform::ScratchFolder> own_folder() {
  try {
    return std::make_unique<platform::ScratchFolder>();
  } catch (const std::system_error&) {
    return nullptr;
  }
}

// That of this process, but for the place for temporary files.
std::vector<std::string> environment_with(const platform::ScratchFolder* folder) {
  constexpr std::string_view kPlace = "TMPDIR=";
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const bool other = folder != nullptr && std::string_view(*variable).starts_with(kPlace);
    if (!other) variables.emplace_back(*variable);
  }
  if (folder != nullptr) variables.push_back(std::string(kPlace) + folder->path());
  return variables;
}

// As exec() takes them; they must outlive it.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

absl::StatusOr<pid_t> spawn(const ChildOrder& order, const platform::ScratchFolder* folder,
                            const Pipe& in, const Pipe& out, const Pipe& err) {
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
  std::vector<std::string> environment = environment_with(folder);
  pid_t child = 0;
  const int error = posix_spawn(&child, order.program.c_str(), &actions, &attributes,
                                pointers_to(words).data(), pointers_to(environment).data());
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
  const std::unique_ptr<platform::ScratchFolder> folder = own_folder();
  const absl::StatusOr<pid_t> child = spawn(order, folder.get(), in, out, err);
  if (!child.ok()) return child.status();
  in.close_end(0);
  out.close_end(1);
  err.close_end(1);
  send(in.write_end(), order.input);
  in.close_end(1);

  ChildResult result;
  Outputs outputs(out.read_end(), err.read_end());
  result.ending = read_until(order, outputs, result);
  if (result.ending != ChildEnding::kEnded) end_group(*child, outputs, result);
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
