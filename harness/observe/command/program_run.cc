// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/command/program_run.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <sys/resource.h>

#include <absl/strings/str_cat.h>

#include "harness/base/quantity.h"
#include "harness/cli/flags.h"
#include "harness/observe/command/printed_number.h"
#include "harness/process/child_process.h"

namespace lockbench {
namespace {

using Clock = std::chrono::steady_clock;

double children_cpu_s() {
  rusage use{};
  getrusage(RUSAGE_CHILDREN, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

}  // namespace

std::vector<std::string> ProgramMetric::words() const {
  std::vector<std::string> words{"--metric", is_printed() ? "printed" : text};
  if (lower_is_better) words.emplace_back("--lower-is-better");
  return words;
}

void add_metric(CLI::App& command, ProgramMetric& metric) {
  add_text(command, {.names = "--metric", .type = "METRIC", .help = "wall, cpu or REGEX [wall]"},
           metric.text);
  add_switch(command, "--lower-is-better", "Less of the printed number is faster",
             metric.lower_is_better);
}

std::string validate_metric(const ProgramMetric& metric) {
  if (!metric.is_printed()) {
    return metric.lower_is_better ? "--lower-is-better: is for a printed number; of " +
                                        metric.text + " it is so anyway"
                                  : std::string();
  }
  const absl::Status expression = Expression::parse(metric.text).status();
  if (expression.ok()) return {};
  return absl::StrCat("--metric: is neither wall nor cpu, and ", expression.message());
}

void add_time_limit(CLI::App& command, Nanoseconds& time_limit) {
  const auto parse = [](std::string_view text) -> absl::StatusOr<Nanoseconds> {
    const absl::StatusOr<Nanoseconds> limit = parse_duration(text);
    if (!limit.ok() || limit->count() > 0) return limit;
    return absl::InvalidArgumentError("leaves no time to run the program; give some, as 10min");
  };
  add_parsed(command,
             {.names = "--time-limit",
              .type = "TIME",
              .help = "A run of the program that takes longer is ended, and has failed [10min]"},
             parse, time_limit);
}

std::string ProgramRun::fields() const {
  return absl::StrCat(wall_s, ",", cpu_s, ",", printed);
}

absl::StatusOr<ProgramRun> run_program(const ProgramRunOrder& order) {
  const double cpu_before = children_cpu_s();
  const Clock::time_point begin = Clock::now();
  const absl::StatusOr<ChildResult> result =
      run_child({.program = order.command[0],
                 .words = order.command,
                 .input = {},
                 .deadline = begin + order.time_limit,
                 .environment = order.environment,
                 .may_print_more = !order.metric.is_printed()});
  ProgramRun run{.wall_s = std::chrono::duration<double>(Clock::now() - begin).count(),
                 .cpu_s = children_cpu_s() - cpu_before,
                 .printed = {}};
  if (!result.ok()) return result.status();
  if (result->ending == ChildEnding::kTooLong) {
    return absl::InternalError(order.who + " did not end within --time-limit");
  }
  if (result->ending != ChildEnding::kEnded || result->status != 0) {
    return absl::InternalError(end_text(order.who, *result));
  }
  if (!order.metric.is_printed()) return run;
  const absl::StatusOr<double> number =
      internal::number_in(result->out + result->err, *Expression::parse(order.metric.text));
  if (!number.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--metric: ", std::string(number.status().message()), " in what ", order.who, " prints"));
  }
  run.printed = absl::StrCat(*number);
  return run;
}

namespace internal {

std::vector<std::size_t> order_in_block(std::size_t count, std::uint32_t block) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < count; ++i) order.push_back((i + block) % count);
  // Every other round goes backwards, so that no variant always follows the same one.
  if (block / count % 2 == 1) std::reverse(order.begin(), order.end());
  return order;
}

absl::StatusOr<double> number_in(const std::string& text, const Expression& expression) {
  const std::optional<std::string> found = expression.last_in(text);
  if (!found) return absl::InvalidArgumentError("nothing matches '" + expression.text() + "'");
  const absl::StatusOr<double> number = printed_number(*found);
  if (number.ok()) return number;
  return absl::InvalidArgumentError(absl::StrCat(std::string(number.status().message()),
                                                 "; it is what '", expression.text(), "' matches"));
}

}  // namespace internal

}  // namespace lockbench
