// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/command/compare_program_command.h"

#include <charconv>
#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>

#include <absl/strings/str_cat.h>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/files.h"
#include "harness/bench/record/stamp.h"
#include "harness/observe/command/printed_number.h"
#include "harness/observe/observation/expression.h"
#include "harness/observe/observation/program_file.h"
#include "harness/observe/preload/preload.h"
#include "harness/process/analysis_command.h"
#include "harness/process/child_process.h"
#include "harness/process/signals.h"

namespace lockbench {
namespace {

constexpr std::string_view kWho = "lockbench compare-program";

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double children_cpu_s() {
  rusage use{};
  getrusage(RUSAGE_CHILDREN, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

class ProgramComparison {
 public:
  ProgramComparison(const CompareProgramOptions& options, std::ostream& err)
      : options_(options), err_(err) {}

  int run() {
    note_signals();
    for (const std::string& lock : options_.locks) {
      Substitution with = options_.with;
      with.lock = lock;
      const auto environment = environment_for(with);
      if (!environment.ok()) {
        return complain(err_, kWho, environment.status(), kBadInput);
      }
    }
    const absl::StatusOr<ProgramFile> program = find_preloadable(options_.command[0]);
    if (!program.ok()) {
      return complain(err_, kWho, program.status(), kBadInput);
    }
    folder_ = options_.out.value_or(fs::path("results") / "programs" /
                                    new_run_id(fs::path(options_.command[0]).filename().string()));
    std::error_code none;
    if (fs::exists(folder_, none)) {
      return complain(err_, kWho,
                      folder_.string() + ": exists already; name another folder with --out",
                      kBadInput);
    }
    if (const absl::Status made = make_folders(folder_); !made.ok()) {
      return complain(err_, kWho, made, kCouldNotFinish);
    }
    return measure();
  }

 private:
  int measure() {
    absl::StatusOr<AppendFile> rows = AppendFile::create(folder_ / "program.csv");
    absl::Status status = rows.status();
    if (status.ok()) status = rows->append("block,lock,wall_s,cpu_s,printed\n");
    for (std::uint32_t block = 0; status.ok() && block < options_.blocks; ++block) {
      for (const std::size_t at : internal::order_in_block(options_.locks.size(), block)) {
        const absl::StatusOr<std::string> row = measure_one(options_.locks[at]);
        if (!row.ok()) {
          status = row.status();
          break;
        }
        status = rows->append(absl::StrCat(block, ",\"", options_.locks[at], "\",", *row, "\n"));
        if (!status.ok()) break;
      }
    }
    if (noted_signal() != 0) {
      return complain(err_, kWho,
                      absl::StrCat("interrupted; the rows of finished runs are in ",
                                   (folder_ / "program.csv").string()),
                      kSignalExitBase + noted_signal());
    }
    if (!status.ok()) {
      return complain(err_, kWho, status,
                      absl::IsInvalidArgument(status) || absl::IsFailedPrecondition(status)
                          ? kBadInput
                          : kCouldNotFinish);
    }
    return answer();
  }

  // The rest of a row.
  absl::StatusOr<std::string> measure_one(const std::string& lock) {
    Substitution with = options_.with;
    with.lock = lock;
    absl::StatusOr<std::vector<std::string>> environment = environment_for(with);
    if (!environment.ok()) return environment.status();
    const auto announcements = AnnouncementFile::create();
    if (!announcements.ok()) return announcements.status();
    const bool is_unchanged = environment->empty();
    if (!is_unchanged) environment->push_back((*announcements)->variable());
    const double cpu_before = children_cpu_s();
    const Clock::time_point begin = Clock::now();
    const absl::StatusOr<ChildResult> result = run_child({.program = options_.command[0],
                                                          .words = options_.command,
                                                          .input = {},
                                                          .deadline = begin + options_.time_limit,
                                                          .environment = *environment});
    const double wall_s = std::chrono::duration<double>(Clock::now() - begin).count();
    const double cpu_s = children_cpu_s() - cpu_before;
    if (!result.ok()) return result.status();
    const std::string who = options_.command[0] + " with " + lock;
    if (result->ending == ChildEnding::kTooLong) {
      return absl::InternalError(who + " did not end within --time-limit");
    }
    if (result->ending != ChildEnding::kEnded || result->status != 0) {
      return absl::InternalError(end_text(who, *result));
    }
    if (!is_unchanged) {
      const absl::Status loaded = (*announcements)->check(options_.command[0], "the lock " + lock);
      if (!loaded.ok()) return loaded;
    }
    std::string printed;
    if (options_.metric != "wall" && options_.metric != "cpu") {
      const absl::StatusOr<double> number =
          internal::number_in(result->out + result->err, *Expression::parse(options_.metric));
      if (!number.ok()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "--metric: ", std::string(number.status().message()), " in what ", who, " prints"));
      }
      printed = absl::StrCat(*number);
    }
    return absl::StrCat(wall_s, ",", cpu_s, ",", printed);
  }

  int answer() {
    std::vector<std::string> words{
        folder_.string(), "--baseline", options_.locks[0], "--metric",
        options_.metric == "wall" || options_.metric == "cpu" ? options_.metric : "printed"};
    if (options_.lower_is_better) words.emplace_back("--lower-is-better");
    const absl::StatusOr<int> code =
        run_analysis("harness/observe/python/compare_program.py", words);
    if (!code.ok()) {
      return complain(err_, kWho,
                      absl::StrCat("the rows are in ", (folder_ / "program.csv").string(), "; ",
                                   std::string(code.status().message())),
                      kCouldNotFinish);
    }
    return *code;
  }

  const CompareProgramOptions& options_;
  std::ostream& err_;
  fs::path folder_;
};

}  // namespace

namespace internal {

std::vector<std::size_t> order_in_block(std::size_t locks, std::uint32_t block) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < locks; ++i) order.push_back((i + block) % locks);
  // Every other round goes backwards, so that no lock always follows the same one.
  if (block / locks % 2 == 1) std::reverse(order.begin(), order.end());
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

int compare_program_command(const CompareProgramOptions& options, std::ostream& err) {
  return ProgramComparison(options, err).run();
}

}  // namespace lockbench
