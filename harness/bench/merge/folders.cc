// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/merge/folders.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include <absl/status/status.h>
#include <absl/strings/str_format.h>

#include "harness/base/files.h"
#include "harness/bench/plan/json.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;

constexpr char kMeta[] = "meta.json";

bool has_run(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / kMeta, error) || fs::exists(folder / "trials.csv", error);
}

// Sorts by name, with numbers by value: shards/2 before shards/10.
bool earlier(const fs::path& a, const fs::path& b) {
  const std::string one = a.filename().string();
  const std::string other = b.filename().string();
  return one.size() != other.size() ? one.size() < other.size() : one < other;
}

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_directory(error)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end(), earlier);
  return found;
}

void add_with_further_machines(const fs::path& folder, std::vector<fs::path>& runs) {
  if (has_run(folder)) runs.push_back(folder);
  for (const fs::path& inside : folders_in(folder)) {
    const bool further = inside.filename().string().starts_with("machine-");
    if (further && has_run(inside)) runs.push_back(inside);
  }
}

absl::StatusOr<std::vector<fs::path>> runs_at(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return absl::NotFoundError(
        absl::StrFormat("%s: no such folder; name the folders of shards", folder.string()));
  }
  std::vector<fs::path> runs;
  add_with_further_machines(folder, runs);
  if (!runs.empty()) return runs;
  for (const fs::path& inside : folders_in(folder)) add_with_further_machines(inside, runs);
  if (!runs.empty()) return runs;
  return absl::NotFoundError(absl::StrFormat(
      "%s: holds no run, nor do the folders in it; name the folders of shards", folder.string()));
}

absl::StatusOr<FoundRun> read_run(const fs::path& folder) {
  const fs::path path = folder / kMeta;
  const absl::StatusOr<std::string> text = read_file(path, kMostRunFileBytes);
  if (!text.ok()) return text.status();
  absl::StatusOr<MetaHead> head = parse_meta_head(*text, path.string());
  if (!head.ok()) return head.status();
  return FoundRun{
      .folder = folder, .meta = std::move(head->meta), .plan_hash = std::move(head->plan_hash)};
}

absl::Status differ(const FoundRun& one, const FoundRun& other, std::string_view what,
                    std::string_view how) {
  return absl::InvalidArgumentError(
      absl::StrFormat("%s and %s: different %s (%s); merge shards of one plan and one build",
                      one.folder.string(), other.folder.string(), what, how));
}

absl::Status plans_differ(const FoundRun& one, const FoundRun& other) {
  const absl::StatusOr<Plan> a = plan_of(one);
  if (!a.ok()) return a.status();
  const absl::StatusOr<Plan> b = plan_of(other);
  if (!b.ok()) return b.status();
  std::string how = plan_difference(*a, *b);
  if (how.empty()) how = absl::StrFormat("plan_hash %s and %s", one.plan_hash, other.plan_hash);
  return differ(one, other, "plans", how);
}

}  // namespace

absl::StatusOr<std::vector<FoundRun>> find_runs(const std::vector<std::string>& folders,
                                                std::vector<std::string>* skipped) {
  std::vector<FoundRun> runs;
  std::set<fs::path> seen;
  for (const std::string& folder : folders) {
    const absl::StatusOr<std::vector<fs::path>> found = runs_at(folder);
    if (!found.ok()) return found.status();
    for (const fs::path& path : *found) {
      std::error_code error;
      if (!seen.insert(fs::canonical(path, error)).second) continue;
      absl::StatusOr<FoundRun> run = read_run(path);
      if (run.ok()) {
        runs.push_back(*std::move(run));
      } else if (skipped != nullptr && !absl::IsFailedPrecondition(run.status())) {
        skipped->push_back(std::string(run.status().message()));
      } else {
        return absl::Status(
            run.status().code(),
            absl::StrFormat("%s; copy the folder again, or leave it out", run.status().message()));
      }
    }
  }
  return runs;
}

absl::StatusOr<Plan> plan_of(const FoundRun& run) {
  const std::filesystem::path path = run.folder / "meta.json";
  const absl::StatusOr<std::string> text = read_file(path, kMostRunFileBytes);
  if (!text.ok()) return text.status();
  absl::StatusOr<Meta> meta = parse_meta(*text, path.string());
  if (!meta.ok()) return meta.status();
  if (plan_hash(meta->plan) == run.plan_hash) return std::move(meta->plan);
  return absl::InvalidArgumentError(absl::StrFormat(
      "%s: plan_hash is %s, but the plan's is %s; copy the folder again, or merge with the "
      "lockbench that measured it",
      path.string(), run.plan_hash, plan_hash(meta->plan)));
}

absl::Status check_alike(const std::vector<FoundRun>& runs) {
  for (const FoundRun& run : runs) {
    const FoundRun& first = runs.front();
    if (run.plan_hash != first.plan_hash) return plans_differ(first, run);
    const std::string build = build_difference(first.meta, run.meta.build, run.meta.plugins);
    if (!build.empty()) return differ(first, run, "builds", build);
  }
  return absl::OkStatus();
}

}  // namespace lockbench
