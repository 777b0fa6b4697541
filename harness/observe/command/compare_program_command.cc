// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/command/compare_program_command.h"

#include <utility>

#include <absl/strings/str_cat.h>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/files.h"
#include "harness/observe/command/command_names.h"
#include "harness/observe/observation/observation_folder.h"
#include "harness/observe/observation/program_file.h"
#include "harness/observe/preload/preload.h"
#include "harness/process/analysis_command.h"
#include "harness/process/signals.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;
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
        return complain(err_, kCompareProgram, environment.status(), kBadInput);
      }
    }
    const absl::StatusOr<ProgramFile> program = find_preloadable(options_.command[0]);
    if (!program.ok()) {
      return complain(err_, kCompareProgram, program.status(), kBadInput);
    }
    const absl::StatusOr<fs::path> folder =
        new_program_folder("programs", options_.out, options_.command[0]);
    if (!folder.ok()) {
      return complain(err_, kCompareProgram, folder.status(),
                      absl::IsAlreadyExists(folder.status()) ? kBadInput : kCouldNotFinish);
    }
    folder_ = *folder;
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
      return complain(err_, kCompareProgram,
                      absl::StrCat("interrupted; the rows of finished runs are in ",
                                   (folder_ / "program.csv").string()),
                      kSignalExitBase + noted_signal());
    }
    if (!status.ok()) {
      return complain(err_, kCompareProgram, status,
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
    const std::string who = options_.command[0] + " with " + lock;
    const absl::StatusOr<ProgramRun> run = run_program({.command = options_.command,
                                                        .environment = *environment,
                                                        .time_limit = options_.time_limit,
                                                        .metric = options_.metric,
                                                        .who = who});
    if (!run.ok()) return run.status();
    if (!is_unchanged) {
      const absl::Status loaded = (*announcements)->check(options_.command[0], "the lock " + lock);
      if (!loaded.ok()) return loaded;
    }
    return run->fields();
  }

  int answer() {
    std::vector<std::string> words{folder_.string(), "--baseline", options_.locks[0]};
    for (std::string& word : options_.metric.words()) words.push_back(std::move(word));
    const absl::StatusOr<int> code =
        run_analysis("harness/observe/python/compare_program.py", words);
    if (!code.ok()) {
      return complain(err_, kCompareProgram,
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

int compare_program_command(const CompareProgramOptions& options, std::ostream& err) {
  return ProgramComparison(options, err).run();
}

}  // namespace lockbench
