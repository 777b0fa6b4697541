// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/scheduling.h"

#include <algorithm>
#include <charconv>
#include <fcntl.h>
#include <pthread.h>
#include <string>
#include <unistd.h>

namespace lockbench {
namespace {

constexpr double kNsPerS = 1e9;

// Reads without iostreams: they take longer than the read itself, and the threads of the trial wait
// during that time.
std::optional<double> delayed_s(pid_t task) {
  const std::string path = "/proc/" + std::to_string(task) + "/schedstat";
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  char text[96];
  const ssize_t size = ::read(file, text, sizeof text);
  ::close(file);
  if (size <= 0) return std::nullopt;
  return internal::delay_in({text, static_cast<std::size_t>(size)});
}

std::optional<double> ran_s(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return std::nullopt;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / kNsPerS;
}

// The sum over all workers. If some workers were not read, everything that the process ran counts
// as theirs. The processor time of workers differs too much to infer it from some of them; delays
// differ less.
WorkerShare sum_of(const WindowOfWorkers& window) {
  WorkerShare sum;
  for (const WorkerShare& one : window.used) {
    sum.ran_s += one.ran_s;
    sum.delayed_s += one.delayed_s;
  }
  const auto read = static_cast<std::uint32_t>(window.used.size());
  if (read < window.workers) {
    sum.ran_s = window.process_s;
    sum.delayed_s *= static_cast<double>(window.workers) / read;
  }
  return sum;
}

}  // namespace

WorkerId WorkerId::of_caller(bool own_process) {
  WorkerId worker{.task = gettid()};
  const int error = own_process ? clock_getcpuclockid(getpid(), &worker.cpu_clock)
                                : pthread_getcpuclockid(pthread_self(), &worker.cpu_clock);
  if (error != 0) worker = {};
  return worker;
}

Scheduled Scheduled::now(const WorkerId& worker) {
  if (worker.task == 0) return {};
  return {.ran_s = lockbench::ran_s(worker.cpu_clock),
          .delayed_s = lockbench::delayed_s(worker.task)};
}

std::optional<WorkerShare> share_between(const Scheduled& before, const Scheduled& after,
                                         double window_s) {
  if (!before.ran_s || !before.delayed_s || !after.ran_s || !after.delayed_s) return std::nullopt;
  const double ran_s = *after.ran_s - *before.ran_s;
  const double delayed_s = *after.delayed_s - *before.delayed_s;
  return WorkerShare{.ran_s = ran_s,
                     .delayed_s = std::clamp(delayed_s, 0.0, std::max(0.0, window_s - ran_s))};
}

std::optional<double> run_delay_share(const WindowOfWorkers& window) {
  if (window.used.empty() || window.window_s <= 0) return std::nullopt;
  const auto longest = std::max_element(
      window.used.begin(), window.used.end(),
      [](const WorkerShare& a, const WorkerShare& b) { return a.delayed_s < b.delayed_s; });
  return longest->delayed_s / window.window_s;
}

std::optional<double> denied_cpu_share(const WindowOfWorkers& window) {
  if (window.used.empty() || window.window_s <= 0) return std::nullopt;
  const WorkerShare sum = sum_of(window);
  const double at_once = std::min(window.workers, window.processors);
  const double could_run_s = (sum.ran_s + sum.delayed_s) * at_once / window.workers;
  // Other threads of the process, for example a lock's own threads, are no interference.
  const double helpers_s = std::max(0.0, window.process_s - sum.ran_s);
  const double denied_s = could_run_s - sum.ran_s - helpers_s;
  return std::max(0.0, denied_s) / (at_once * window.window_s);
}

namespace internal {

std::optional<double> delay_in(std::string_view schedstat) {
  const std::size_t blank = schedstat.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  std::uint64_t ns = 0;
  const char* const begin = schedstat.data() + blank + 1;
  const auto [end, error] = std::from_chars(begin, schedstat.data() + schedstat.size(), ns);
  if (error != std::errc() || end == begin) return std::nullopt;
  return static_cast<double>(ns) / kNsPerS;
}

}  // namespace internal

}  // namespace lockbench
