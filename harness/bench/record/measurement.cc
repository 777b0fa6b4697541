// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/measurement.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <absl/status/status.h>
#include <absl/strings/str_format.h>

#include "harness/base/files.h"
#include "harness/base/quantity.h"
#include "harness/bench/record/csv.h"
#include "harness/bench/record/row.h"
#include "harness/bench/record/schema.h"

namespace lockbench {
namespace {

constexpr std::string_view kRemedy = "name the folder of a run that lockbench wrote";

// The figures, by the names of their columns.
constexpr std::array<std::pair<std::string_view, std::optional<double> Measurement::*>, 12>
    kFigures{{
        {"operations_per_s", &Measurement::operations_per_s},
        {"makespan_s", &Measurement::makespan_s},
        {"ideal_s", &Measurement::ideal_s},
        {"window_s", &Measurement::window_s},
        {"wait_mean_ns", &Measurement::wait_mean_ns},
        {"wait_p50_ns", &Measurement::wait_p50_ns},
        {"wait_p99_ns", &Measurement::wait_p99_ns},
        {"wait_max_ns", &Measurement::wait_max_ns},
        {"held_p50_ns", &Measurement::held_p50_ns},
        {"fairness_jain", &Measurement::fairness_jain},
        {"lock_bytes", &Measurement::lock_bytes},
        {"lost_updates", &Measurement::lost_updates},
    }};

std::optional<double> as_double(const std::optional<std::uint64_t>& count) {
  if (!count) return std::nullopt;
  return static_cast<double>(*count);
}

// The positions of the columns in one file.
class Columns {
 public:
  Columns(const std::vector<std::string>& header, std::string_view name, const RowCheck* check)
      : width_(header.size()), name_(name), check_(check) {
    for (std::size_t i = 0; i < header.size(); ++i) indices_.emplace(header[i], i);
  }

  absl::StatusOr<Measurement> read(const CsvRecord& row) const {
    if (row.fields.size() != width_) return wrong(row, "has not the header's cells");
    const std::string difference =
        check_ == nullptr ? "" : check_->difference([&](std::string_view column) {
          return indices_.contains(column) ? std::optional(cell(row, column)) : std::nullopt;
        });
    if (!difference.empty()) return wrong(row, "is of another run: " + difference);
    Measurement found;
    const auto trial = parse_number<std::uint32_t>(cell(row, "trial"));
    if (!trial) return wrong(row, "names no trial");
    found.trial = *trial;
    found.attempt = parse_number<std::uint32_t>(cell(row, "attempt")).value_or(0);
    found.valid = cell(row, "valid") == "true";
    found.outcome = parse_name("outcome", cell(row, "outcome"), kOutcomeNames)
                        .value_or(found.valid ? Outcome::kOk : Outcome::kFailed);
    found.reason = cell(row, "reason");
    for (const auto& [column, figure] : kFigures) {
      const std::string_view text = cell(row, column);
      if (text.empty()) continue;
      found.*figure = parse_number<double>(text);
      if (!(found.*figure)) return wrong(row, absl::StrFormat("%s is no number", column));
    }
    return found;
  }

 private:
  std::string_view cell(const CsvRecord& row, std::string_view column) const {
    const auto found = indices_.find(column);
    return found == indices_.end() ? std::string_view() : row.fields[found->second];
  }

  absl::Status wrong(const CsvRecord& row, std::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s:%d: the row %s; %s", name_, row.line, what, kRemedy));
  }

  const std::size_t width_;
  const std::string_view name_;
  const RowCheck* const check_;
  std::map<std::string_view, std::size_t> indices_;
};

}  // namespace

Measurement measurement_of(const Row& row) {
  const Sample& s = row.sample;
  Measurement m{.trial = row.trial.number,
                .attempt = row.attempt,
                .valid = row.valid(),
                .outcome = s.outcome,
                .reason = as_cell(s.reason),
                .makespan_s = s.makespan_s,
                .ideal_s = s.ideal_s,
                .window_s = s.window_s,
                .fairness_jain = s.fairness_jain,
                .lock_bytes = as_double(s.lock_bytes),
                .lost_updates = as_double(s.lost_updates)};
  if (s.operations && s.window_s && *s.window_s > 0) {
    m.operations_per_s = static_cast<double>(*s.operations) / *s.window_s;
  }
  if (s.wait && s.wait->samples > 0) {
    m.wait_mean_ns = s.wait->mean_ns;
    m.wait_p50_ns = s.wait->p50_ns;
    m.wait_p99_ns = s.wait->p99_ns;
    m.wait_max_ns = s.wait->max_ns;
  }
  if (s.hold && s.hold->samples > 0) m.held_p50_ns = s.hold->p50_ns;
  return m;
}

absl::StatusOr<std::vector<Measurement>> parse_measurements(std::string_view text,
                                                            std::string_view name,
                                                            const RowCheck* check) {
  const absl::StatusOr<CsvText> csv = parse_csv(text, name);
  if (!csv.ok()) return csv.status();
  std::vector<Measurement> found;
  if (csv->records.empty()) return found;
  const std::vector<std::string>& header = csv->records.front().fields;
  if (absl::Status status = check_separator(header, name); !status.ok()) return status;
  for (const std::string_view needed : {"trial", "valid"}) {
    if (std::find(header.begin(), header.end(), needed) != header.end()) continue;
    return absl::InvalidArgumentError(
        absl::StrFormat("%s:1: has no column \"%s\"; %s", name, needed, kRemedy));
  }
  const Columns columns(header, name, check);
  for (std::size_t i = 1; i < csv->records.size(); ++i) {
    const absl::StatusOr<Measurement> one = columns.read(csv->records[i]);
    if (!one.ok()) return one.status();
    found.push_back(*one);
  }
  return found;
}

absl::StatusOr<MeasuredRun> read_measured_run(const std::filesystem::path& folder) {
  const std::filesystem::path meta_file = folder / "meta.json";
  const absl::StatusOr<std::string> meta_text = read_file(meta_file, kMostRunFileBytes);
  if (!meta_text.ok()) {
    return absl::Status(
        meta_text.status().code(),
        absl::StrFormat("%s; %s", std::string(meta_text.status().message()), kRemedy));
  }
  absl::StatusOr<Meta> meta = parse_meta(*meta_text, meta_file.string());
  if (!meta.ok()) return meta.status();
  const std::filesystem::path trials = folder / "trials.csv";
  const absl::StatusOr<std::string> text = read_file(trials, kMostRunFileBytes);
  if (!text.ok()) return text.status();
  const RowCheck check(meta->run, meta->plan);
  absl::StatusOr<std::vector<Measurement>> found =
      parse_measurements(*text, trials.string(), &check);
  if (!found.ok()) return found.status();
  return MeasuredRun{.meta = *std::move(meta), .measurements = *std::move(found)};
}

}  // namespace lockbench
