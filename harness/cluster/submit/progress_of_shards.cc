// SPDX-License-Identifier: Apache-2.0

#include "harness/cluster/submit/progress_of_shards.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/strings/str_format.h>

#include "harness/base/files.h"
#include "harness/base/quantity.h"
#include "harness/bench/merge/csv_lines.h"
#include "harness/bench/record/csv.h"
#include "harness/bench/record/meta.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;

// Finds the runs in `folder` and in its subfolders.
void find_runs(const fs::path& folder, int depth, std::vector<fs::path>& runs) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (!entry.is_directory(error)) continue;
    if (fs::exists(entry.path() / "meta.json", error)) runs.push_back(entry.path());
    if (depth > 1) find_runs(entry.path(), depth - 1, runs);
  }
}

absl::StatusOr<Meta> meta_of(const fs::path& folder, bool with_plan) {
  const fs::path path = folder / "meta.json";
  const absl::StatusOr<std::string> text = read_file(path, kMostRunFileBytes);
  if (!text.ok()) return text.status();
  if (with_plan) return parse_meta(*text, path.string());
  absl::StatusOr<MetaHead> head = parse_meta_head(*text, path.string());
  if (!head.ok()) return head.status();
  return std::move(head->meta);
}

// Adds the numbers of the trials that have a row.
void add_trials(const fs::path& folder, std::set<std::uint32_t>& trials) {
  absl::StatusOr<CsvLines> lines = CsvLines::open(folder / "trials.csv");
  if (!lines.ok() || !lines->next()) return;  // not written yet
  std::vector<std::string_view> cells;
  std::vector<std::string> unquoted;
  split_record(lines->line(), cells, unquoted);
  const auto index = std::find(cells.begin(), cells.end(), "trial") - cells.begin();
  while (lines->next()) {
    if (!split_record(lines->line(), cells, unquoted)) continue;
    if (index >= static_cast<std::ptrdiff_t>(cells.size())) continue;
    const auto trial = parse_number<std::uint32_t>(cells[static_cast<std::size_t>(index)]);
    if (trial) trials.insert(*trial);
  }
}

}  // namespace

absl::StatusOr<ProgressOfShards> progress_of_shards(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder / "shards", error)) {
    return absl::NotFoundError(
        absl::StrFormat("%s: no such folder; name the folder that `lockbench submit` printed",
                        (folder / "shards").string()));
  }
  std::vector<fs::path> runs;
  find_runs(folder / "shards", 2, runs);
  ProgressOfShards progress;
  std::map<std::uint32_t, bool> finished;  // of the shards that have begun
  std::set<std::uint32_t> trials;
  for (const fs::path& run : runs) {
    const absl::StatusOr<Meta> meta = meta_of(run, progress.trials == 0);
    if (!meta.ok()) return meta.status();
    if (progress.trials == 0) progress.trials = meta->plan.trials.size();
    if (!meta->shard) continue;
    progress.shards = meta->shard->of;
    finished[meta->shard->index] |= meta->end.state == RunEnd::State::kFinished;
    add_trials(run, trials);
  }
  progress.done = trials.size();
  progress.begun = finished.size();
  progress.finished = static_cast<std::size_t>(std::count_if(
      finished.begin(), finished.end(), [](const auto& shard) { return shard.second; }));
  return progress;
}

std::string to_text(const ProgressOfShards& progress) {
  if (progress.shards == 0) return "no shard has begun";
  return absl::StrFormat(
      "%d of %d trials (%d %%), %d of %d shards finished, %d going on or stopped, %d not begun",
      progress.done, progress.trials,
      100 * progress.done / std::max<std::size_t>(progress.trials, 1), progress.finished,
      progress.shards, progress.begun - progress.finished, progress.shards - progress.begun);
}

}  // namespace lockbench
