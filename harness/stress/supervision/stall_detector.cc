// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/supervision/stall_detector.h"

#include <algorithm>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "harness/kernel/processors.h"

namespace lockbench::stress {

namespace {

// Removes the next word from the front of `text` and returns it.
std::string_view next_word(std::string_view& text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const std::size_t end = std::min(text.find(' ', begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

std::uint64_t number_from(std::string_view word) {
  std::uint64_t number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  return number;
}

// Uses read() and not a stream: reading the file of a thread that has just ended is an error, and
// streams throw it.
std::string text_of(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file == -1) return {};
  char text[1024];
  const ssize_t size = read(file, text, sizeof text);
  close(file);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

Scheduling scheduling_in(std::string_view schedstat) {
  Scheduling read;
  read.cpu_ns = number_from(next_word(schedstat));
  read.delay_ns = number_from(next_word(schedstat));
  read.turns = number_from(next_word(schedstat));
  return read;
}

}  // namespace

std::optional<TaskState> task_state_from(std::string_view stat) {
  // The name, in parentheses, may contain anything, also `) `. The state comes after the last `) `.
  const std::size_t name_end = stat.rfind(") ");
  if (name_end == std::string_view::npos) return std::nullopt;
  stat.remove_prefix(name_end + 2);
  const std::string_view state = next_word(stat);
  constexpr int kBetween = 10;  // fields before utime
  for (int i = 0; i < kBetween; ++i) next_word(stat);
  const std::string_view user = next_word(stat);
  const std::string_view system = next_word(stat);
  if (system.empty()) return std::nullopt;
  return TaskState{.runnable = state == "R",
                   .held_up = state == "D" || state == "T" || state == "t",
                   .cpu_ticks = number_from(user) + number_from(system)};
}

std::optional<TaskState> task_state(pid_t process, pid_t task) {
  return task_state_from(
      text_of("/proc/" + std::to_string(process) + "/task/" + std::to_string(task) + "/stat"));
}

std::vector<pid_t> tasks_of(pid_t process) {
  std::vector<pid_t> tasks;
  std::error_code ignored;  // the process may end during the iteration
  const std::filesystem::path folder = "/proc/" + std::to_string(process) + "/task";
  for (std::filesystem::directory_iterator entry(folder, ignored), end; entry != end;
       entry.increment(ignored)) {
    tasks.push_back(static_cast<pid_t>(number_from(entry->path().filename().native())));
  }
  return tasks;
}

std::uint64_t own_delay_ns() {
  return scheduling_in(text_of("/proc/thread-self/schedstat")).delay_ns;
}

Scheduling scheduling_of(pid_t task) {
  return scheduling_in(text_of("/proc/self/task/" + std::to_string(task) + "/schedstat"));
}

namespace {

// Calls are a few milliseconds apart. If a call comes late, the caller may have been stopped
// together with all other threads.
constexpr std::chrono::milliseconds kMostBetweenChecks{50};

// Runs for a moment on each processor that this thread may use. A host may have taken a processor
// away for longer than the patience; a thread whose sleep ended meanwhile still looks asleep. Once
// this thread has run there, that processor has handled its timers.
void visit_processors() {
  const std::vector<int> usable = allowed_processor_numbers();
  for (const int processor : usable) bind_to_processors(0, {processor});
  if (!usable.empty()) bind_to_processors(0, usable);
}

}  // namespace

bool StallDetector::reached(std::uint64_t progress, pid_t process, const std::vector<pid_t>& tasks,
                            Clock::time_point now) {
  if (!begun_ || progress != progress_) {
    begin(progress, process, tasks, now);
    return false;
  }
  note_first(process, tasks);
  watched_ += std::min<Clock::duration>(now - checked_at_, kMostBetweenChecks);
  checked_at_ = now;
  const bool still = watched_ >= patience_ && each_had_its_chance(process, tasks);
  if (still && !seen_once_) visit_processors();
  return std::exchange(seen_once_, still) && still;
}

void StallDetector::begin(std::uint64_t progress, pid_t process, const std::vector<pid_t>& tasks,
                          Clock::time_point now) {
  begun_ = true;
  seen_once_ = false;
  progress_ = progress;
  checked_at_ = now;
  watched_ = {};
  then_.clear();
  note_first(process, tasks);
}

void StallDetector::note_first(pid_t process, const std::vector<pid_t>& tasks) {
  for (const pid_t task : tasks) {
    if (then_.contains(task)) continue;
    if (const auto state = task_state(process, task)) then_[task] = *state;
  }
}

bool StallDetector::each_had_its_chance(pid_t process, const std::vector<pid_t>& tasks) const {
  return std::all_of(tasks.begin(), tasks.end(), [&](pid_t task) {
    const auto now = task_state(process, task);
    const auto then = then_.find(task);
    if (now && now->held_up) return false;
    if (!now || !now->runnable) return true;
    return then != then_.end() && now->cpu_ticks >= then->second.cpu_ticks + ticks_;
  });
}

}  // namespace lockbench::stress
