// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/figures_text.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

namespace lockbench {
namespace {

bool continues_letter(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// Columns of visible characters; a UTF-8 letter is one.
std::size_t width_of(std::string_view text) {
  return text.size() -
         static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_letter));
}

// The position after the first `letters`.
std::size_t position_after(const std::string& text, std::size_t letters) {
  std::size_t at = 0;
  for (; letters > 0 && at < text.size(); --letters) {
    do ++at;
    while (at < text.size() && continues_letter(text[at]));
  }
  return at;
}

std::vector<std::size_t> widths_of(const std::vector<TableRow>& rows) {
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const TableRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  return widths;
}

}  // namespace

std::string percent(double share) {
  if (share > 0 && share < 0.0001) return "< 0.01 %";
  return absl::StrFormat(share >= 0.1 || share == 0 ? "%.0f %%" : "%.2g %%", 100 * share);
}

// `1,234`.
std::string grouped(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string duration_text(double ns) {
  struct Unit {
    const char* name;
    double ns;
  };
  constexpr std::array<Unit, 4> kUnits{Unit{"s", 1e9}, Unit{"ms", 1e6}, Unit{"µs", 1e3},
                                       Unit{"ns", 1}};
  const auto* const unit =
      std::find_if(kUnits.begin(), kUnits.end() - 1, [ns](const Unit& u) { return ns >= u.ns; });
  const double value = ns / unit->ns;
  return absl::StrFormat(value >= 99.95   ? "%.0f %s"
                         : value >= 9.995 ? "%.1f %s"
                                          : "%.3g %s",
                         value, unit->name);
}

std::string without_middle(const std::string& text, std::size_t most) {
  const std::size_t all = width_of(text);
  if (all <= most || most == 0) return text;
  // A name begins with what it is called, and ends with its line: more of the begin is left.
  const std::size_t end = (most - 1) * 2 / 5;
  const std::size_t begin = most - 1 - end;
  return absl::StrCat(text.substr(0, position_after(text, begin)), "…",
                      text.substr(position_after(text, all - end)));
}

std::string table_text(const std::vector<TableRow>& rows, std::size_t width) {
  std::vector<std::size_t> widths = widths_of(rows);
  std::size_t others = 0;
  for (std::size_t i = 1; i < widths.size(); ++i) others += widths[i] + 2;
  const std::size_t first = std::max(kFewestColumns, width - std::min(width, others));
  widths[0] = std::min(widths[0], first);
  std::string text;
  for (const TableRow& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string shown = i == 0 ? without_middle(row[0], widths[0]) : row[i];
      const std::string blanks(widths[i] - width_of(shown), ' ');
      absl::StrAppend(&line, i == 0 ? "" : "  ", i == 0 ? shown + blanks : blanks + shown);
    }
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

std::string runtime_text(const std::string& runtime) {
  if (runtime == "Java") {
    return "the locks of Java code (monitors, java.util.concurrent): they look like idle threads; "
           "Java's flight recorder shows them (jcmd PID JFR.start)";
  }
  if (runtime == "Go") {
    return "the locks of Go code (sync.Mutex, channels): a goroutine waits without the kernel; "
           "Go's "
           "own profile shows them (runtime.SetMutexProfileFraction, then go tool pprof)";
  }
  if (runtime == "Python") {
    return "the interpreter lock of Python (GIL): it looks like an idle thread; py-spy shows it "
           "(py-spy record --gil)";
  }
  return absl::StrCat("the locks of the ", runtime,
                      " runtime itself: they look like idle threads; use its own profiler");
}

}  // namespace lockbench
