#include "harness/command/child.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/command/signals.h"
#include "harness/plan/json.h"
#include "harness/record/sample_json.h"

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

// What a child wrote, on both of its outputs.
struct Output {
  std::string out;
  std::string err;
};

enum class Reading { kEnded, kTooLong, kInterrupted };

// Takes what there is of one output into `text`; a closed one is not looked at again.
void take(pollfd& fd, std::string& text) {
  if (fd.revents == 0) return;
  std::array<char, 1 << 16> buffer;
  const ssize_t got = read(fd.fd, buffer.data(), buffer.size());
  if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
  if (got == 0 || (got < 0 && errno != EINTR)) fd.fd = -1;
}

// Reads both outputs until the child has closed them.
Reading read_until(Clock::time_point deadline, int out_fd, int err_fd, Output& output) {
  // Wakes once a second, should a signal slip in between the check and the wait.
  constexpr std::chrono::milliseconds kLongestWait{1000};
  std::array<pollfd, 2> fds{pollfd{out_fd, POLLIN, 0}, pollfd{err_fd, POLLIN, 0}};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    if (noted_signal() != 0) return Reading::kInterrupted;
    const auto left =
        std::clamp(std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()),
                   std::chrono::milliseconds{0}, kLongestWait);
    const int ready = poll(fds.data(), fds.size(), static_cast<int>(left.count()));
    // Looked at once more after the deadline: the run itself may have been stopped (Ctrl-Z) while
    // the child went on to its end.
    if (ready == 0 && left.count() == 0) return Reading::kTooLong;
    if (ready <= 0) continue;
    take(fds[0], output.out);
    take(fds[1], output.err);
  }
  return Reading::kEnded;
}

// Sends the trial; a child that dies before it has read all of it is told by its end.
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

Sample crashed(int status, const Output& output) {
  std::string reason = "the trial's process ended without a result";
  if (WIFSIGNALED(status)) {
    reason = "the trial's process was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
             strsignal(WTERMSIG(status)) + ")";
  } else if (WIFEXITED(status)) {
    reason += ", with exit code " + std::to_string(WEXITSTATUS(status));
  }
  const std::string said = last_line(output.err);
  if (!said.empty()) reason += ": " + said;
  return {.outcome = Outcome::kCrashed, .reason = reason};
}

Sample judge(Reading reading, int status, const Output& output) {
  if (reading == Reading::kTooLong) {
    return {.outcome = Outcome::kTimeout,
            .reason = "the trial's process did not end by itself and was killed"};
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    absl::StatusOr<Sample> sample = parse_sample(output.out);
    if (sample.ok()) return *std::move(sample);
    return {.outcome = Outcome::kCrashed,
            .reason =
                "the trial's process printed no sample: " + std::string(sample.status().message())};
  }
  return crashed(status, output);
}

absl::StatusOr<pid_t> spawn_trial(const std::filesystem::path& program, const Pipe& in,
                                  const Pipe& out, const Pipe& err) {
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

  std::array<std::string, 4> words{"lockbench", "trial", "--parent", std::to_string(getpid())};
  std::array<char*, 5> arguments{words[0].data(), words[1].data(), words[2].data(), words[3].data(),
                                 nullptr};
  pid_t child = 0;
  const int error =
      posix_spawn(&child, program.c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    return absl::InternalError("a trial's process cannot be started: " +
                               std::string(std::strerror(error)));
  }
  return child;
}

}  // namespace

absl::StatusOr<Sample> measure_in_child(const std::filesystem::path& program, const Trial& trial,
                                        Nanoseconds grace) {
  Pipe in;
  Pipe out;
  Pipe err;
  if (!in.open() || !out.open() || !err.open()) {
    return absl::InternalError(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  const absl::StatusOr<pid_t> child = spawn_trial(program, in, out, err);
  if (!child.ok()) return child.status();
  in.close_end(0);
  out.close_end(1);
  err.close_end(1);
  send(in.write_end(), to_json(trial));
  in.close_end(1);

  Output output;
  const Reading reading = read_until(Clock::now() + trial.cell.time_limit + grace, out.read_end(),
                                     err.read_end(), output);
  if (reading != Reading::kEnded) kill(-*child, SIGKILL);
  const int status = wait_for(*child);
  if (reading == Reading::kInterrupted) return absl::CancelledError("interrupted");
  return judge(reading, status, output);
}

}  // namespace lockbench
