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
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <absl/strings/str_format.h>

#include "harness/base/printable.h"
#include "harness/kernel/cgroup.h"
#include "harness/process/environment.h"
#include "harness/process/orphans.h"
#include "harness/process/pipe.h"
#include "harness/process/signals.h"
#include "harness/process/stream_record.h"
#include "primitives/platform/scratch_folder.h"

namespace lockbench {
namespace {

using Clock = std::chrono::steady_clock;

using std::chrono::milliseconds;

// How long a killed child may take to end. The kernel needs some milliseconds.
constexpr std::chrono::seconds kToBeGone{5};

// How often the child is polled if there is no descriptor that reports its end (Linux before 5.3,
// or a filter of system calls).
constexpr milliseconds kWithoutDescriptor{20};

// SIGINT, SIGTERM and SIGHUP arrive only in wait(), so none is missed between a check and the wait.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, signal);
    pthread_sigmask(SIG_BLOCK, &held, &usual_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &usual_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

  void wait(pollfd* fds, nfds_t count, milliseconds longest) const {
    const timespec timeout{.tv_sec = static_cast<time_t>(longest.count() / 1000),
                           .tv_nsec = static_cast<long>(longest.count() % 1000) * 1'000'000};
    ppoll(fds, count, &timeout, &usual_);
  }

 private:
  sigset_t usual_;
};

// The three streams of a child, seen from this side.
class Streams {
 public:
  Streams(Pipe& in, Pipe& out, Pipe& err, std::string_view input)
      : in_(in),
        outputs_{Output{out, StreamRecord(kMostOutBytes)},
                 Output{err, StreamRecord(kMostErrBytes)}},
        input_(input) {
    in_.never_wait_at(1);
    for (Output& output : outputs_) output.pipe.never_wait_at(0);
    if (input_.empty()) in_.close_end(1);
  }

  const StreamRecord& out() const { return outputs_[0].record; }
  const StreamRecord& err() const { return outputs_[1].record; }

  // Writes what to wait for; poll() ignores a negative descriptor.
  void ask_for(pollfd* three) const {
    three[0] = {.fd = in_.write_end(), .events = POLLOUT, .revents = 0};
    three[1] = {.fd = outputs_[0].pipe.read_end(), .events = POLLIN, .revents = 0};
    three[2] = {.fd = outputs_[1].pipe.read_end(), .events = POLLIN, .revents = 0};
  }

  // Moves the bytes that can be moved at once, of each stream no more than a pipe holds. A child
  // that always writes more therefore cannot keep its reader from checking the clock.
  void move() {
    send();
    for (Output& output : outputs_) receive(output);
  }

 private:
  struct Output {
    Pipe& pipe;
    StreamRecord record;
  };

  // If a child ends before it has read all of its input, its exit status decides.
  void send() {
    if (in_.write_end() < 0) return;
    const ssize_t wrote = write(in_.write_end(), input_.data(), input_.size());
    if (wrote > 0) input_.remove_prefix(static_cast<std::size_t>(wrote));
    const bool refused = wrote < 0 && errno != EAGAIN && errno != EINTR;
    if (input_.empty() || refused) in_.close_end(1);
  }

  static void receive(Output& output) {
    if (output.pipe.read_end() < 0) return;
    std::array<char, 1 << 12> buffer;
    int available = 0;
    ioctl(output.pipe.read_end(), FIONREAD, &available);
    do {
      const ssize_t got = read(output.pipe.read_end(), buffer.data(), buffer.size());
      if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) output.pipe.close_end(0);
      if (got <= 0) return;
      output.record.add({buffer.data(), static_cast<std::size_t>(got)});
      available -= static_cast<int>(got);
    } while (available > 0);
  }

  Pipe& in_;
  std::array<Output, 2> outputs_;
  std::string_view input_;  // the part that was not sent yet
};

// A child that was started and not yet waited for.
class StartedChild {
 public:
  explicit StartedChild(pid_t pid)
      : pid_(pid), descriptor_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))), guard_(pid) {}
  ~StartedChild() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  StartedChild(const StartedChild&) = delete;
  StartedChild& operator=(const StartedChild&) = delete;

  bool has_ended() const {
    siginfo_t found{};
    // WNOWAIT: the kernel reuses the number of the child and of its group only after the child was
    // waited for.
    const int asked = waitid(P_PID, static_cast<id_t>(pid_), &found, WEXITED | WNOHANG | WNOWAIT);
    return (asked == 0 && found.si_pid == pid_) || (asked < 0 && errno == ECHILD);
  }

  pollfd to_wait_for() const { return {.fd = descriptor_, .events = POLLIN, .revents = 0}; }

  // The longest wait before has_ended() must be called again.
  milliseconds longest_wait(milliseconds wanted) const {
    return descriptor_ >= 0 ? wanted : std::min(wanted, kWithoutDescriptor);
  }

  // Kills the child, wherever it is, and the whole group that it was started in.
  void kill_all() const {
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);
  }

  // Removes the ended child from the process table. A child that does not end stays there.
  int status() const {
    int status = 0;
    waitpid(pid_, &status, WNOHANG);
    return status;
  }

 private:
  pid_t pid_;
  int descriptor_;
  ChildGuard guard_;
};

milliseconds left_until(Clock::time_point end, milliseconds longest) {
  return std::clamp(std::chrono::ceil<milliseconds>(end - Clock::now()), milliseconds{0}, longest);
}

void wait_for_news(const StartedChild& child, const Streams& streams, const SignalsHeld& signals,
                   milliseconds longest) {
  std::array<pollfd, 4> fds;
  streams.ask_for(fds.data());
  fds[3] = child.to_wait_for();
  signals.wait(fds.data(), fds.size(), child.longest_wait(longest));
}

ChildEnding run_until_end(const ChildOrder& order, const StartedChild& child, Streams& streams,
                          const SignalsHeld& signals) {
  // The kernel may deliver a signal to another thread without waking this one.
  const milliseconds longest{order.while_it_runs ? 200 : 1000};
  for (;;) {
    if (noted_signal() != 0) return ChildEnding::kInterrupted;
    // The deadline is checked before the child: this process may have been stopped (Ctrl-Z) until
    // after the deadline while the child ran to its end.
    const milliseconds left = left_until(order.deadline, longest);
    const bool ended = child.has_ended();
    streams.move();
    if (ended) return ChildEnding::kEnded;
    if (streams.out().exceeded() && !order.may_print_more) return ChildEnding::kTooMuch;
    if (order.while_it_runs) order.while_it_runs(streams.out().head());
    if (left == milliseconds{0}) return ChildEnding::kTooLong;
    wait_for_news(child, streams, signals, left_until(order.deadline, longest));
  }
}

// Kills what is left of the child and of the processes that it started, and reads what they
// printed.
void end_all(const StartedChild& child, Streams& streams, const SignalsHeld& signals) {
  child.kill_all();
  const Clock::time_point give_up = Clock::now() + kToBeGone;
  while (!child.has_ended() && Clock::now() < give_up) {
    // Does not wait for the streams, which may always have data.
    pollfd end = child.to_wait_for();
    signals.wait(&end, 1, child.longest_wait(left_until(give_up, milliseconds{100})));
  }
  streams.move();
}

// The child's folder for temporary files, so that the files of a killed child can be removed. Null
// if the folder cannot be created; a child that needs one reports that.
std::unique_ptr<platform::ScratchFolder> own_folder() {
  static const bool swept = [] {
    std::error_code none;
    platform::ScratchFolder::remove_abandoned(std::filesystem::temp_directory_path(none));
    return true;
  }();
  static_cast<void>(swept);
  try {
    return std::make_unique<platform::ScratchFolder>();
  } catch (const std::system_error&) {
    return nullptr;
  }
}

std::vector<std::string> environment_of(const ChildOrder& order,
                                        const platform::ScratchFolder* folder) {
  std::vector<std::string> more = order.environment;
  if (folder != nullptr) more.push_back("TMPDIR=" + folder->path());
  return environment_with(more);
}

// The settings that a child inherits from this process, in the form of posix_spawn().
class Inheritance {
 public:
  Inheritance() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }
  ~Inheritance() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  Inheritance(const Inheritance&) = delete;
  Inheritance& operator=(const Inheritance&) = delete;

  // The child gets pipes and a process group of its own. Ctrl-C on the terminal therefore reaches
  // only the run, which decides what happens to the child.
  void replace_streams(const Pipe& in, const Pipe& out, const Pipe& err) {
    posix_spawn_file_actions_adddup2(&actions_, in.read_end(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, out.write_end(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, err.write_end(), STDERR_FILENO);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t usual;
    sigemptyset(&usual);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) sigaddset(&usual, signal);
    posix_spawnattr_setsigdefault(&attributes_, &usual);
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

absl::StatusOr<pid_t> start_child(const ChildOrder& order, const platform::ScratchFolder* folder,
                                  const Inheritance& inheritance) {
  std::vector<std::string> words = order.words;
  std::vector<std::string> environment = environment_of(order, folder);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, order.program.c_str(), inheritance.actions(), inheritance.attributes(),
                   pointers_to(words).data(), pointers_to(environment).data());
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
  Inheritance inheritance;
  if (order.streams == ChildStreams::kPipes) {
    if (!in.open() || !out.open() || !err.open()) {
      return absl::InternalError(std::string("cannot make a pipe: ") + std::strerror(errno));
    }
    inheritance.replace_streams(in, out, err);
  }
  adopt_orphans();
  const std::unique_ptr<platform::ScratchFolder> folder = own_folder();
  const std::uint64_t kills_before = out_of_memory_kills();
  const absl::StatusOr<pid_t> pid = start_child(order, folder.get(), inheritance);
  if (!pid.ok()) return pid.status();
  const StartedChild child(*pid);
  in.close_end(0);
  out.close_end(1);
  err.close_end(1);
  Streams streams(in, out, err, order.input);

  ChildResult result;
  {
    const SignalsHeld signals;
    result.ending = run_until_end(order, child, streams, signals);
    end_all(child, streams, signals);
  }
  result.status = child.status();
  end_orphans();
  result.out = streams.out().head();
  result.err = streams.err().head();
  result.last_line = streams.err().last_line();
  result.out_of_memory = result.ending == ChildEnding::kEnded && WIFSIGNALED(result.status) &&
                         WTERMSIG(result.status) == SIGKILL && out_of_memory_kills() > kills_before;
  return result;
}

std::string end_text(const std::string& who, const ChildResult& result) {
  std::string text = who + " ended without a result";
  if (result.ending == ChildEnding::kTooMuch) {
    text = absl::StrFormat("%s printed more than %d MiB and was killed", who, kMostOutBytes >> 20);
  } else if (WIFSIGNALED(result.status)) {
    text = absl::StrFormat("%s was ended by signal %d (%s)", who, WTERMSIG(result.status),
                           strsignal(WTERMSIG(result.status)));
  } else if (WIFEXITED(result.status)) {
    text += absl::StrFormat(", with exit code %d", WEXITSTATUS(result.status));
  }
  if (result.out_of_memory) {
    text += ": the kernel killed it because the memory of this machine or control group ran out";
  }
  return result.last_line.empty() ? text : text + ": " + printable(result.last_line);
}

std::optional<std::string> complaint_of(const ChildResult& result, std::string_view prefix) {
  const std::string_view line = std::string_view(result.err).substr(0, result.err.find('\n'));
  if (!line.starts_with(prefix)) return std::nullopt;
  return printable(line.substr(prefix.size()));
}

}  // namespace lockbench
