// SPDX-License-Identifier: Apache-2.0

// Progress: prints to standard error how far a run has come.
//
// It prints only between two trials, so nothing of lockbench runs while a window is measured.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
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

// The progress of a run. Trials count from the start of the run, seconds from the start of this
// session.
struct ProgressState {
  std::size_t done = 0;
  std::size_t total = 0;
  double elapsed_s = 0;
  double measured_s = 0;        // real time of the trials that this session has done
  double expected_done_s = 0;   // expected time of these trials
  double expected_total_s = 0;  // and of all that are planned
  double later_s = 0;           // expected time of trials that will be planned later, or kUnknownS
  std::optional<double> budget_left_s;  // for the latter; absent: none are planned later
};

inline constexpr double kUnknownS = std::numeric_limits<double>::infinity();

// Estimates the seconds that are left from the ratio of real to expected time so far. Before the
// first trial, it returns the expected time. Trials that are planned later end with the budget.
// Pure.
double seconds_left(const ProgressState& state);

// "12/60 trials, 0:07 left"; if only the budget limits what is left: "at most 0:42 left". Pure.
std::string progress_line(const ProgressState& state);

// "[====                ] 12/60 trials, 0:07 left  keyed, …" in at most `width` columns. If there
//                       is too little room, the name of the cell is cut off first, then the bar is
//                       left out. Pure.
std::string progress_bar(const ProgressState& state, std::string_view doing, std::size_t width);

// "0:07", "2:15", "1:02:03"; rounded up to a whole second. Pure.
std::string clock_text(double seconds);

// "28 s", "12 min", "3 h 20 min": for durations that are only expected. Pure.
std::string rough_duration(double seconds);

class Progress {
 public:
  explicit Progress(ProgressStyle style);

  // Called before each trial, and once at the end.
  void show(const ProgressState& state, const std::string& doing);

  // Ends the bar's line, so that other output can follow.
  void end_bar_line();

 private:
  ProgressStyle style_;
  bool on_bar_ = false;
  std::optional<std::chrono::steady_clock::time_point> last_line_;
};

}  // namespace lockbench
