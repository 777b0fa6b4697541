// SPDX-License-Identifier: Apache-2.0

#include "harness/command/substitute/compare_program_command.h"

#include <charconv>
#include <csignal>
#include <regex>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>

#include <absl/strings/str_cat.h>

#include "harness/plan/printable.h"
#include "harness/process/analysis_command.h"
#include "harness/process/child_process.h"
#include "harness/process/program_file.h"
#include "harness/process/resources.h"
#include "harness/process/signals.h"
#include "harness/record/files.h"
#include "harness/record/stamp.h"
#include "harness/terminal/exit_code.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

int complain(std::ostream& err, const std::string& what, int code) {
  err << "lockbench compare-program: " << printable(what) << '\n';
  return code;
}

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
        return complain(err_, std::string(environment.status().message()), kBadInput);
      }
    }
    const absl::StatusOr<ProgramFile> program = find_preloadable(options_.command[0]);
    if (!program.ok()) {
      return complain(err_, std::string(program.status().message()), kBadInput);
    }
    folder_ = options_.out.value_or(fs::path("results") / "programs" /
                                    new_run_id(fs::path(options_.command[0]).filename().string()));
    std::error_code none;
    if (fs::exists(folder_, none)) {
      return complain(err_, folder_.string() + ": exists already; name another folder with --out",
                      kBadInput);
    }
    if (const absl::Status made = make_folders(folder_); !made.ok()) {
      return complain(err_, std::string(made.message()), kCouldNotFinish);
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
      return complain(err_,
                      absl::StrCat("interrupted; the rows of finished runs are in ",
                                   (folder_ / "program.csv").string()),
                      kSignalExitBase + noted_signal());
    }
    if (!status.ok()) {
      return complain(err_, std::string(status.message()),
                      absl::IsInvalidArgument(status) ? kBadInput : kCouldNotFinish);
    }
    return answer();
  }

  // The rest of a row.
  absl::StatusOr<std::string> measure_one(const std::string& lock) {
    std::vector<std::string> words{options_.program, "substitute", "--lock", lock};
    if (!options_.with.place.empty()) {
      words.insert(words.end(), {"--observed", options_.with.observed->string(), "--place",
                                 options_.with.place});
    }
    words.emplace_back("--");
    words.insert(words.end(), options_.command.begin(), options_.command.end());
    const double cpu_before = children_cpu_s();
    const Clock::time_point begin = Clock::now();
    const absl::StatusOr<ChildResult> result = run_child({.program = this_program(),
                                                          .words = words,
                                                          .input = {},
                                                          .deadline = begin + options_.time_limit});
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
    std::string printed;
    if (options_.metric != "wall" && options_.metric != "cpu") {
      const absl::StatusOr<double> number =
          internal::number_in(result->out + result->err, options_.metric);
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
    const absl::StatusOr<int> code = run_analysis("compare_program", words);
    if (!code.ok()) {
      return complain(err_,
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

absl::StatusOr<double> number_in(const std::string& text, const std::string& expression) {
  const std::regex wanted(expression);
  std::smatch last;
  for (std::sregex_iterator match(text.begin(), text.end(), wanted), end; match != end; ++match) {
    last = *match;
  }
  if (last.empty()) return absl::InvalidArgumentError("nothing matches '" + expression + "'");
  std::string digits = last.size() > 1 ? last[1].str() : last[0].str();
  std::erase(digits, ',');
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || !(number > 0)) {
    return absl::InvalidArgumentError("'" + digits + "' is no number above 0, which '" +
                                      expression + "' matches");
  }
  return number;
}

}  // namespace internal

int compare_program_command(const CompareProgramOptions& options, std::ostream& err) {
  return ProgramComparison(options, err).run();
}

}  // namespace lockbench
