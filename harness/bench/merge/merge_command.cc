// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/merge/merge_command.h"

#include <csignal>
#include <iostream>
#include <set>
#include <utility>

#include <absl/status/statusor.h>
#include <absl/strings/str_format.h>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/files.h"
#include "harness/base/printable.h"
#include "harness/base/shell_command.h"
#include "harness/bench/merge/folders.h"
#include "harness/bench/merge/merge_writer.h"
#include "harness/bench/merge/merged_meta.h"
#include "harness/bench/merge/trial_index.h"
#include "harness/bench/plan/describe.h"

namespace lockbench {
namespace {

constexpr std::string_view kWho = "lockbench merge";

int complain(const absl::Status& status) {
  return complain(std::cerr, kWho, status,
                  absl::IsResourceExhausted(status) || absl::IsUnavailable(status) ? kCouldNotFinish
                                                                                   : kBadInput);
}

// Reads the tables of all runs. A problem that a partial merge may ignore is recorded as a gap.
absl::StatusOr<TrialIndex> read_tables(const std::vector<FoundRun>& runs, const Plan& plan,
                                       std::vector<std::string>& gaps) {
  TrialIndex index(plan);
  for (const FoundRun& run : runs) {
    const absl::Status status = index.add(run.folder, run.meta.run);
    if (absl::IsNotFound(status)) {
      gaps.push_back(std::string(status.message()));
    } else if (!status.ok()) {
      return status;
    }
    if (index.runs().back().torn) {
      gaps.push_back((run.folder / "trials.csv").string() + ": its last line has no end");
    }
    // If a copy was cut off, times that the rows count are missing.
    if (const std::uint32_t trials = index.runs().back().incomplete; trials > 0) {
      gaps.push_back(absl::StrFormat("%s: lacks times of %s that trials.csv has; copy it again",
                                     (run.folder / "latency.csv").string(),
                                     counted(trials, "trial")));
    }
  }
  return index;
}

void note_missing_trials(const std::vector<FoundRun>& runs, const Meta& meta,
                         std::vector<std::string>& gaps) {
  const std::size_t planned = meta.plan.trials.size();
  if (meta.end.trials_done < planned) {
    gaps.push_back(absl::StrFormat("%d of %s are missing", planned - meta.end.trials_done,
                                   counted(planned, "trial")));
  }
  for (const FoundRun& run : runs) {
    if (run.meta.end.state == RunEnd::State::kFinished || run.meta.parts) continue;
    gaps.push_back(absl::StrFormat("%s: is not finished; its own command goes on with it: %s",
                                   run.folder.string(), run.meta.command));
  }
  std::set<std::uint32_t> missing;
  std::uint32_t of = 0;
  for (const RunPart& part : *meta.parts) {
    if (!part.shard || (of != 0 && part.shard->of != of))
      return;  // the runs are not shards of one division
    of = part.shard->of;
    missing.insert(part.shard->index);
  }
  std::string named;
  for (std::uint32_t i = 1; i <= of; ++i) {
    if (!missing.contains(i)) named += (named.empty() ? "" : ", ") + std::to_string(i);
  }
  if (!named.empty()) {
    gaps.push_back(
        absl::StrFormat("of %d shards, there is no folder of %s", of, clipped(named, 200)));
  }
}

// Reports which trials were measured more than once, and which rows are used.
void report_choices(const std::vector<FoundRun>& runs, const TrialIndex& index) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const MergedRun& run = index.runs()[i];
    const std::uint64_t left_out = run.left_for_a_valid_one + run.left_for_a_later_one;
    if (left_out == 0) continue;
    say(std::cerr, kWho,
        absl::StrFormat(
            "%s: left out rows of %s that another folder has, too (%d there valid and here not, %d "
            "measured later there)",
            runs[i].folder.string(), counted(left_out, "trial"), run.left_for_a_valid_one,
            run.left_for_a_later_one));
  }
}

std::uint32_t trials_done(const TrialIndex& index) {
  std::uint32_t done = 0;
  for (const TrialRows& rows : index.trials()) done += rows.run != TrialRows::kNone ? 1 : 0;
  return done;
}

int finish(const std::string& out, const Meta& meta, const std::string& program) {
  std::cout << "Merged " << out << ": " << counted(meta.parts->size(), "run") << " on "
            << counted(meta.machines->size(), "machine") << ", " << meta.end.trials_done << " of "
            << counted(meta.plan.trials.size(), "trial")
            << "\nNext: " << shell_command({program, "report", out}) << "    one page\n      "
            << shell_command({program, "compare", out}) << "   every comparison\n";
  return kSuccess;
}

int merge(const std::string& out, const MergeOptions& options, std::vector<FoundRun> runs,
          std::vector<std::string> gaps) {
  if (absl::Status status = check_alike(runs); !status.ok()) return complain(status);
  absl::StatusOr<Plan> plan = plan_of(runs.front());
  if (!plan.ok()) return complain(plan.status());
  const absl::StatusOr<TrialIndex> index = read_tables(runs, *plan, gaps);
  if (!index.ok()) return complain(index.status());
  if (index->header().empty()) {
    return complain(absl::NotFoundError("none of the folders has a trials.csv"));
  }
  const Meta meta = merged_meta(runs, *index, *plan, trials_done(*index));
  note_missing_trials(runs, meta, gaps);
  for (const std::string& gap : gaps) say(std::cerr, kWho, gap);
  if (!gaps.empty() && !options.partial) {
    say(std::cerr, kWho,
        "nothing was merged; finish or copy what is missing, or merge what is there with "
        "--partial");
    return kBadInput;
  }
  report_choices(runs, *index);
  if (meta.overlaps) {
    say(std::cerr, kWho,
        absl::StrFormat("%s measured at the same time on one machine and disturbed each other: "
                        "their figures are no basis for a comparison",
                        counted(meta.overlaps->size(), "pair") + " of runs"));
  }
  if (absl::Status status = check_out(out, meta); !status.ok()) return complain(status);
  if (absl::Status status = write_merged(out, meta, runs, *index); !status.ok()) {
    return complain(status);
  }
  return finish(out, meta, options.program);
}

}  // namespace

int merge_command(const MergeOptions& options) {
  std::signal(SIGXFSZ, SIG_IGN);  // required by AppendFile
  std::vector<std::string> gaps;
  absl::StatusOr<std::vector<FoundRun>> runs = find_runs(
      {options.folders.begin() + 1, options.folders.end()}, options.partial ? &gaps : nullptr);
  if (!runs.ok()) return complain(runs.status());
  if (runs->empty()) {
    for (const std::string& gap : gaps) say(std::cerr, kWho, gap);
    return complain(absl::NotFoundError("none of the folders holds a run that can be read"));
  }
  return merge(options.folders.front(), options, *std::move(runs), std::move(gaps));
}

}  // namespace lockbench
