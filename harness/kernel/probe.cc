// SPDX-License-Identifier: Apache-2.0

#include "harness/kernel/probe.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockbench {
namespace {

using Clock = std::chrono::steady_clock;

// The last byte of each answer: without it, the answer was cut off.
constexpr char kEnd = '\n';

[[noreturn]] void answer(int out, const std::function<std::string()>& probe) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::string text;
  try {
    text = probe() + kEnd;
  } catch (const std::exception&) {
    _exit(1);
  }
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(out, text.data() + done, text.size() - done);
    if (n > 0) done += static_cast<std::size_t>(n);
    if (n < 0 && errno != EINTR) _exit(1);
  }
  _exit(0);
}

// Everything until the end of the pipe, or until the deadline.
std::string read_until(int in, Clock::time_point deadline) {
  std::string text;
  char piece[1 << 12];
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd waiting{.fd = in, .events = POLLIN, .revents = 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(0, left)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return {};
    const ssize_t n = read(in, piece, sizeof piece);
    if (n > 0) text.append(piece, static_cast<std::size_t>(n));
    if (n == 0 || (n < 0 && errno != EINTR)) return text;
  }
}

}  // namespace

std::optional<std::string> answer_within(std::chrono::milliseconds limit,
                                         const std::function<std::string()>& probe) {
  const Clock::time_point deadline = Clock::now() + limit;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    answer(ends[1], probe);
  }
  close(ends[1]);
  std::string text;
  if (child > 0) text = read_until(ends[0], deadline);
  close(ends[0]);
  if (child > 0) {
    kill(child, SIGKILL);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (text.empty() || text.back() != kEnd) return std::nullopt;
  text.pop_back();
  return text;
}

}  // namespace lockbench
