// SPDX-License-Identifier: Apache-2.0

#include "harness/cluster/submit/submit_command.h"

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <absl/status/statusor.h>
#include <absl/strings/str_format.h>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/files.h"
#include "harness/base/shell_command.h"
#include "harness/bench/record/meta.h"
#include "harness/bench/record/stamp.h"
#include "harness/cluster/submit/job_engines.h"
#include "harness/cluster/submit/progress_of_shards.h"
#include "harness/cluster/submit/scripts.h"
#include "harness/process/resources.h"
#include "harness/process/signals.h"

namespace lockbench {
namespace {

constexpr std::string_view kWho = "lockbench submit";

namespace fs = std::filesystem;

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

// Checks with `lockbench run` whether the plan and the number of shards are valid. Returns its last
// line, `7 trials in shard 1/8 of 60 trials in 5 blocks, about 10 s`.
absl::StatusOr<std::string> check_plan(const Submission& submission, const std::string& preset) {
  for (const std::string& flag : submission.run_flags) {
    if (flag != "--dry-run" && flag != "-v" && flag != "--verbose") continue;
    return absl::InvalidArgumentError(
        flag +
        ": behind `--` it would be for each shard, which then measures nothing; write "
        "--dry-run before `--`, or leave it out");
  }
  std::vector<std::string> words{main_program().string(), "run", preset};
  words.insert(words.end(), submission.run_flags.begin(), submission.run_flags.end());
  words.insert(words.end(), {"--dry-run", "--shard", absl::StrFormat("1/%d", submission.shards)});
  const absl::StatusOr<std::string> said = output_of(words);
  if (!said.ok()) return said.status();
  return last_line(*said);
}

absl::Status write_script(const fs::path& path, const std::string& text) {
  if (absl::Status status = replace_file(path, text); !status.ok()) return status;
  constexpr mode_t kRunnable = 0755;
  return ::chmod(path.c_str(), kRunnable) == 0 ? absl::OkStatus()
                                               : file_error(path.string(), errno);
}

// A preset file is copied, so that all shards use the same plan.
absl::Status copy_preset(const Submission& submission, const std::string& preset) {
  if (!submission.preset_is_file) return absl::OkStatus();
  const absl::StatusOr<std::string> text = read_file(preset, kMostInputBytes);
  return text.ok() ? replace_file(submission.folder / submission.preset, *text) : text.status();
}

absl::Status make_folder(const Submission& submission, const std::string& preset) {
  absl::Status status = make_folders(submission.folder / "shards");
  if (status.ok()) status = make_folders(submission.folder / "logs");
  if (status.ok()) status = copy_preset(submission, preset);
  return status;
}

void print_next_steps(const Submission& submission, const std::string& program) {
  const std::string folder = submission.folder.string();
  std::cout << "Progress: " << shell_command({program, "submit", "progress", folder}) << '\n'
            << "The merged run will be in " << folder << "/merged\n";
}

int submit_to_slurm(const Submission& submission, const std::string& preset,
                    const SubmitOptions& options) {
  if (absl::Status status = check_for_slurm(submission); !status.ok())
    return complain(std::cerr, kWho, status);
  const fs::path shard_script = submission.folder / "shard.sh";
  const fs::path merge_script = submission.folder / "merge.sh";
  if (options.dry_run) {
    std::cout << "# " << shard_script.string() << '\n'
              << slurm_shard_script(submission) << "\n# " << merge_script.string() << '\n'
              << slurm_merge_script(submission) << "\n# then\nsbatch --parsable "
              << shell_command({shard_script.string()})
              << "\nsbatch --parsable --dependency=afterany:JOB "
              << shell_command({merge_script.string()}) << '\n';
    return kSuccess;
  }
  absl::Status written = make_folder(submission, preset);
  if (written.ok()) written = write_script(shard_script, slurm_shard_script(submission));
  if (written.ok()) written = write_script(merge_script, slurm_merge_script(submission));
  if (!written.ok()) return complain(std::cerr, kWho, written, kCouldNotFinish);
  const auto job_of = [](const absl::StatusOr<std::string>& said) {
    return said->substr(0, said->find_first_of(";\n"));  // `12;cluster`
  };
  const absl::StatusOr<std::string> shards =
      output_of({"sbatch", "--parsable", shard_script.string()});
  if (!shards.ok()) {
    return complain(
        std::cerr, kWho,
        absl::Status(shards.status().code(),
                     absl::StrFormat(
                         "%s; submit on a node that has Slurm, or print the scripts with --dry-run",
                         std::string(shards.status().message()))));
  }
  const std::string job = job_of(shards);
  const absl::StatusOr<std::string> merge =
      output_of({"sbatch", "--parsable", "--dependency=afterany:" + job, merge_script.string()});
  if (!merge.ok()) return complain(std::cerr, kWho, merge.status(), kCouldNotFinish);
  std::cout << "Submitted " << submission.shards << " shards as job " << job
            << " and their merge as job " << job_of(merge) << '\n'
            << "Jobs:     squeue --jobs " << job << ',' << job_of(merge) << '\n';
  print_next_steps(submission, options.program);
  return kSuccess;
}

int submit_to_parallel(const Submission& submission, const std::string& preset,
                       const SubmitOptions& options) {
  const std::string script = parallel_script(submission);
  const fs::path path = submission.folder / "run.sh";
  if (options.dry_run) {
    std::cout << "# " << path.string() << '\n' << script;
    return kSuccess;
  }
  const absl::Status there = check_for_parallel(
      "install it here, and rsync here and on the hosts, or print the script with --dry-run");
  if (!there.ok()) return complain(std::cerr, kWho, there);
  absl::Status written = make_folder(submission, preset);
  if (written.ok()) written = write_script(path, script);
  if (!written.ok()) return complain(std::cerr, kWho, written, kCouldNotFinish);
  std::cout << "Runs " << submission.shards << " shards; after an interruption: sh "
            << shell_command({path.string()}) << '\n';
  print_next_steps(submission, options.program);
  std::cout.flush();
  ::execlp("sh", "sh", path.c_str(), nullptr);
  return complain(std::cerr, kWho, file_error("sh", errno), kCouldNotFinish);
}

int progress(const SubmitOptions& options) {
  if (options.words.size() != 2) {
    return complain(
        std::cerr, kWho,
        absl::InvalidArgumentError(
            "progress: name one folder, as `lockbench submit progress results/runs/FOLDER`"));
  }
  const absl::StatusOr<ProgressOfShards> found = progress_of_shards(options.words[1]);
  if (!found.ok()) return complain(std::cerr, kWho, found.status());
  std::cout << to_text(*found) << '\n';
  return kSuccess;
}

absl::StatusOr<std::uint32_t> shards_of(const SubmitOptions& options) {
  if (options.shards) return *options.shards;
  if (options.hosts) {
    const absl::StatusOr<std::vector<std::string>> hosts = hosts_in(*options.hosts);
    if (!hosts.ok()) return hosts.status();
    return static_cast<std::uint32_t>(hosts->size());
  }
  return absl::InvalidArgumentError(
      "--shards: not given; say how many parts the plan gets, as --shards 8");
}

absl::StatusOr<Submission> submission_of(const SubmitOptions& options) {
  const std::string& preset = options.words[1];
  const absl::StatusOr<std::uint32_t> shards = shards_of(options);
  if (!shards.ok()) return shards.status();
  const bool is_file = preset.ends_with(".toml");
  const std::string name = is_file ? fs::path(preset).stem().string() : preset;
  Submission submission{
      .program = options.node_program.empty() ? main_program().string() : options.node_program,
      .preset = is_file ? fs::path(preset).filename().string() : preset,
      .preset_is_file = is_file,
      .run_flags = {options.words.begin() + 2, options.words.end()},
      .shards = *shards,
      .folder = fs::absolute(
          options.out.value_or(fs::path("results") / "runs" / new_run_id(name + "-shards"))),
      .exclusive = !options.shared};
  if (!submission.folder.has_filename()) submission.folder = submission.folder.parent_path();
  const auto set = [](const std::string& given, std::optional<std::string>& to) {
    if (!given.empty()) to = given;
  };
  set(options.partition, submission.partition);
  set(options.constraint, submission.constraint);
  set(options.time_limit, submission.time_limit);
  set(options.workdir, submission.there);
  if (options.hosts) submission.hosts = fs::absolute(*options.hosts);
  return submission;
}

}  // namespace

int submit_command(const SubmitOptions& options) {
  note_signals();
  if (options.words.front() == "progress") return progress(options);
  const absl::StatusOr<Submission> submission = submission_of(options);
  if (!submission.ok()) return complain(std::cerr, kWho, submission.status());
  const absl::StatusOr<std::string> plan = check_plan(*submission, options.words[1]);
  if (!plan.ok()) return complain(std::cerr, kWho, plan.status());
  std::cerr << "Each of " << submission->shards << " shards is like the first: " << *plan << '\n';
  return options.words.front() == "slurm"
             ? submit_to_slurm(*submission, options.words[1], options)
             : submit_to_parallel(*submission, options.words[1], options);
}

}  // namespace lockbench
