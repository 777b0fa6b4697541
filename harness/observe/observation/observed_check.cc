// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/observed_check.h"

#include <algorithm>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/observe/observation/figures_text.h"

namespace lockbench {
namespace {

// Fewer than this among the waits leave their quantiles unknown.
constexpr std::uint64_t kFewWaits = 100;
// Contention below this is none: neither the program nor the benchmark loses time by it.
constexpr double kNoContention = 0.0005;

CheckedFigure figure(const char* name, double program, double preset) {
  const double least = std::min(program, preset);
  return {.name = name,
          .program = program,
          .preset = preset,
          .agrees = std::max(program, preset) <= kReproducedWithin * least};
}

}  // namespace

bool ObservedCheck::agrees() const {
  return std::all_of(figures.begin(), figures.end(),
                     [](const CheckedFigure& one) { return one.agrees; });
}

ObservedCheck check_of(const RecordedPlace& program, const RecordedPlace& preset) {
  ObservedCheck check;
  check.figures = {figure("contended", program.contended_share(), preset.contended_share())};
  check.negligible = std::max(program.contended_share(), preset.contended_share()) < kNoContention;
  check.figures[0].agrees |= check.negligible;
  check.few_waits = std::min(program.contended, preset.contended) < kFewWaits;
  if (check.few_waits) return check;
  check.figures.push_back(figure("wait p50", program.wait_p50_ns, preset.wait_p50_ns));
  check.figures.push_back(figure("wait p99", program.wait_p99_ns, preset.wait_p99_ns));
  return check;
}

std::string to_text(const ObservedCheck& check) {
  std::vector<TableRow> rows{{"", "the program", "its preset", "factor"}};
  for (const CheckedFigure& one : check.figures) {
    const bool share = &one == &check.figures.front();
    const auto words = [share](double value) {
      return share ? absl::StrFormat("%.3g %%", 100 * value) : duration_text(value);
    };
    const double least = std::min(one.program, one.preset);
    const double factor = std::max(one.program, one.preset) / least;
    rows.push_back({one.name, words(one.program), words(one.preset),
                    least > 0 ? absl::StrFormat("%.2f", factor) : "-"});
  }
  std::string text = table_text(rows);
  if (check.few_waits) {
    absl::StrAppend(&text, "too few threads waited to compare how long: ", kFewWaits,
                    " waits are needed\n");
  }
  if (check.agrees() && check.negligible) {
    return text + "Both have hardly any contention.\n";
  }
  if (check.agrees()) {
    return absl::StrCat(text, "The preset has the program's contention, within a factor of ",
                        kReproducedWithin, ".\n");
  }
  return text +
         "The preset does not have the program's contention. It draws each hold and think for "
         "itself: it has no\nbursts, no holds that are long because many wait, and none of the "
         "program's other work. compare-program\nmeasures locks in the program itself.\n";
}

std::string primitive_like_the_program(const Cell& load) {
  const bool shared = load.write_share.has_value();
  if (load.keys == 1) return shared ? "global:lock=std_shared" : "global:lock=std";
  return absl::StrCat(shared ? "striped:lock=std_shared,stripes=" : "striped_vector:stripes=",
                      std::min<std::uint64_t>(load.keys, 1 << 24));
}

}  // namespace lockbench
