// SPDX-License-Identifier: Apache-2.0

#include "harness/command/run/published_summary.h"

#include "harness/command/run/side_by_side.h"
#include "harness/plan/published.h"
#include "harness/process/resources.h"
#include "harness/record/csv.h"
#include "harness/record/files.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;

const fs::path kPublished = "workloads/presets/published";

}  // namespace

absl::StatusOr<std::optional<Section>> published_summary(const std::string& preset,
                                                         const fs::path& run_folder) {
  const absl::StatusOr<fs::path> file = find_resource(kPublished / (preset + ".toml"));
  if (!file.ok()) return std::nullopt;
  const absl::StatusOr<std::string> text = read_file(*file);
  if (!text.ok()) return text.status();
  const absl::StatusOr<Published> published = parse_published(*text, file->string());
  if (!published.ok()) return published.status();

  const fs::path trials = run_folder / "trials.csv";
  const absl::StatusOr<std::string> rows = read_file(trials);
  if (!rows.ok()) return rows.status();
  const absl::StatusOr<CsvText> csv = parse_csv(*rows, trials.string());
  if (!csv.ok()) return csv.status();
  return side_by_side(*published, MeasuredRows(*csv));
}

}  // namespace lockbench
