#include "harness/command/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace lockbench {
namespace {

// Lines are sparse: a log of a long run stays readable.
constexpr std::chrono::seconds kBetweenLines{10};
constexpr std::size_t kNarrowest = 40;
constexpr std::size_t kUsualWidth = 80;

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

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualWidth;
  return std::max<std::size_t>(size.ws_col, kNarrowest);
}

}  // namespace

std::optional<ProgressStyle> parse_progress(std::string_view text) {
  if (text == "auto") return ProgressStyle::kAuto;
  if (text == "bar") return ProgressStyle::kBar;
  if (text == "line") return ProgressStyle::kLine;
  if (text == "off") return ProgressStyle::kOff;
  return std::nullopt;
}

double seconds_left(const ProgressState& state) {
  const double expected_left = state.expected_total_s - state.expected_done_s;
  if (state.done == 0 || state.expected_done_s <= 0) return expected_left;
  return expected_left * state.elapsed_s / state.expected_done_s;
}

std::string progress_line(const ProgressState& state) {
  std::string text = std::to_string(state.done) + "/" + std::to_string(state.total) + " trials, ";
  if (state.done == state.total) return text + clock_text(state.elapsed_s) + " in all";
  return text + clock_text(seconds_left(state)) + " left";
}

std::string progress_bar(const ProgressState& state, std::string_view doing, std::size_t width) {
  constexpr std::size_t kCells = 20;
  const std::size_t filled = state.total == 0 ? 0 : kCells * state.done / state.total;
  std::string text = "[" + std::string(filled, '=') + std::string(kCells - filled, ' ') + "] " +
                     progress_line(state) + "  ";
  text += doing;
  if (text.size() > width) text.resize(width);
  return text;
}

Progress::Progress(ProgressStyle style) : style_(style) {
  if (style_ == ProgressStyle::kAuto) {
    style_ = isatty(STDERR_FILENO) ? ProgressStyle::kBar : ProgressStyle::kLine;
  }
}

Progress::~Progress() {
  if (bar_drawn_) std::fputc('\n', stderr);
}

void Progress::show(const ProgressState& state, const std::string& doing) {
  if (style_ == ProgressStyle::kOff) return;
  if (style_ == ProgressStyle::kBar) {
    // "\r" to the line's start, "\x1b[K" clears what the last bar left behind.
    std::fprintf(stderr, "\r%s\x1b[K", progress_bar(state, doing, terminal_width() - 1).c_str());
    bar_drawn_ = true;
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  const bool last = state.done == state.total;
  if (!last && now - last_line_ < kBetweenLines) return;
  last_line_ = now;
  std::fprintf(stderr, "%s%s%s\n", progress_line(state).c_str(), doing.empty() ? "" : ": ",
               doing.c_str());
}

}  // namespace lockbench
