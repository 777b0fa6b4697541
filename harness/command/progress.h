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

// How far a run is.
struct ProgressState {
  std::size_t done = 0;
  std::size_t total = 0;
  double elapsed_s = 0;
  double expected_done_s = 0;   // what the plan expected of the trials that are done
  double expected_total_s = 0;  // and of all
};

// Seconds that are left, by what the trials so far really took against what was expected of them;
// the expectation itself before the first. Pure.
double seconds_left(const ProgressState& state);

// One line of at most `width` columns: "[=====>    ] 12/60  0:07 left  keyed, counter, …". Pure.
std::string progress_bar(const ProgressState& state, std::string_view doing, std::size_t width);

// "12/60 trials, 0:07 left". Pure.
std::string progress_line(const ProgressState& state);

class Progress {
 public:
  explicit Progress(ProgressStyle style);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Called before each trial, and once at the end.
  void show(const ProgressState& state, const std::string& doing);

 private:
  ProgressStyle style_;
  bool bar_drawn_ = false;
  std::chrono::steady_clock::time_point last_line_{};
};

}  // namespace lockbench
