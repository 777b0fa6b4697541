// SPDX-License-Identifier: Apache-2.0

#include "harness/base/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unistd.h>

#include "harness/base/terminal.h"

namespace lockbench {
namespace {

// Lines are rare, so that the log of a long run stays readable.
constexpr std::chrono::seconds kBetweenLines{10};

// Real time divided by expected time, so far.
double pace(const ProgressState& state) {
  return state.expected_done_s > 0 ? state.measured_s / state.expected_done_s : 1;
}

// The time that the trials of the plan still take.
double planned_s(const ProgressState& state) {
  // A sum in a different order may differ by a rounding error.
  return std::max(0.0, state.expected_total_s - state.expected_done_s) * pace(state);
}

// True if the budget ends the run.
bool ends_with_budget(const ProgressState& state) {
  return state.budget_left_s &&
         planned_s(state) + state.later_s * pace(state) > *state.budget_left_s;
}

}  // namespace

double seconds_left(const ProgressState& state) {
  const double planned = planned_s(state);
  if (!state.budget_left_s) return planned;
  return std::max(planned, std::min(planned + state.later_s * pace(state), *state.budget_left_s));
}

std::string clock_text(double seconds) {
  const auto all = static_cast<long>(std::ceil(seconds));
  char text[32];
  if (all >= 3600) {
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", all / 3600, all / 60 % 60, all % 60);
  } else {
    std::snprintf(text, sizeof text, "%ld:%02ld", all / 60, all % 60);
  }
  return text;
}

std::string rough_duration(double seconds) {
  const auto all = static_cast<long>(std::ceil(seconds));
  if (all < 120) return std::to_string(all) + " s";
  const long minutes = (all + 59) / 60;
  if (minutes < 120) return std::to_string(minutes) + " min";
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

std::string progress_line(const ProgressState& state) {
  std::string text = std::to_string(state.done) + "/" + std::to_string(state.total) + " trials, ";
  if (state.done == state.total) return text + clock_text(state.elapsed_s) + " in all";
  return text + (ends_with_budget(state) ? "at most " : "") + clock_text(seconds_left(state)) +
         " left";
}

std::string progress_bar(const ProgressState& state, std::string_view doing, std::size_t width) {
  constexpr std::size_t kCells = 20;
  const std::size_t filled = state.total == 0 ? kCells : kCells * state.done / state.total;
  std::string text = progress_line(state);
  const std::string bar = "[" + std::string(filled, '=') + std::string(kCells - filled, ' ') + "] ";
  if (bar.size() + text.size() <= width) text = bar + text;
  if (!doing.empty()) text.append("  ").append(doing);
  if (text.size() > width) text.resize(width);
  return text;
}

Progress::Progress(ProgressStyle style) : style_(style) {
  if (style_ == ProgressStyle::kAuto) {
    style_ = isatty(STDERR_FILENO) ? ProgressStyle::kBar : ProgressStyle::kLine;
  }
}

void Progress::show(const ProgressState& state, const std::string& doing) {
  if (style_ == ProgressStyle::kOff) return;
  if (style_ == ProgressStyle::kBar) {
    // The last column stays empty, because a terminal may wrap after it. "\r" goes to the start of
    // the line; "\x1b[K" clears the rest of the previous bar.
    std::fprintf(stderr, "\r%s\x1b[K",
                 progress_bar(state, doing, terminal_columns(STDERR_FILENO) - 1).c_str());
    on_bar_ = true;
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  const bool last = state.done == state.total;
  if (!last && last_line_ && now - *last_line_ < kBetweenLines) return;
  last_line_ = now;
  std::fprintf(stderr, "%s%s%s\n", progress_line(state).c_str(), doing.empty() ? "" : ": ",
               doing.c_str());
}

void Progress::end_bar_line() {
  if (on_bar_) std::fputc('\n', stderr);
  on_bar_ = false;
}

}  // namespace lockbench
