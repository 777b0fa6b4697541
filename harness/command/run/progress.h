// SPDX-License-Identifier: Apache-2.0

// Progress: how far a run is, on standard error.
//
// Everything is drawn between two trials: nothing of ours runs while a window is measured.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lockbench {

enum class ProgressStyle {
  kAuto,  // a bar on a terminal, lines elsewhere
  kBar,
  kLine,
  kOff,
};

std::optional<ProgressStyle> parse_progress(std::string_view text);

// How far a run is. Trials count from the run's beginning, seconds from this session's.
struct ProgressState {
  std::size_t done = 0;
  std::size_t total = 0;
  double elapsed_s = 0;
  double expected_done_s = 0;   // what the plan expected of the trials that this session did
  double expected_total_s = 0;  // and of all that it is to do
};

// Seconds that are left, by what the trials so far really took against what was expected of them;
// the expectation itself before the first. Pure.
double seconds_left(const ProgressState& state);

// "12/60 trials, 0:07 left". Pure.
std::string progress_line(const ProgressState& state);

// "[====                ] 12/60 trials, 0:07 left  keyed, …" in at most `width` columns: what is
// being done is cut off first, then the bar goes. Pure.
std::string progress_bar(const ProgressState& state, std::string_view doing, std::size_t width);

// "0:07", "2:15", "1:02:03"; what has begun counts as a whole second. Pure.
std::string clock_text(double seconds);

// "28 s", "12 min", "3 h 20 min": for what is only expected. Pure.
std::string rough_duration(double seconds);

class Progress {
 public:
  explicit Progress(ProgressStyle style);

  // Called before each trial, and once at the end.
  void show(const ProgressState& state, const std::string& doing);

  // Leaves the bar's line, for other words to follow.
  void leave_bar();

 private:
  ProgressStyle style_;
  bool on_bar_ = false;
  std::optional<std::chrono::steady_clock::time_point> last_line_;
};

}  // namespace lockbench
