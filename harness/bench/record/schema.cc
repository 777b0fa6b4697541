// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/schema.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>

#include <absl/strings/str_format.h>
#include <nlohmann/json.hpp>

#include "harness/base/printable.h"
#include "harness/bench/plan/spelling.h"
#include "harness/bench/record/csv.h"
#include "harness/bench/record/machine_identity.h"
#include "harness/bench/record/row.h"

namespace lockbench {

namespace {

using Seconds = std::chrono::duration<double>;

// Some readers refuse longer cells: Python's csv module refuses cells with more than 131,072
// bytes.
constexpr std::size_t kMostCellBytes = 4096;

std::string text(std::string_view words) {
  return std::string(words);
}
template <std::integral T>
requires(!std::same_as<T, bool>) std::string text(T number) {
  return std::to_string(number);
}
std::string text(double figure) {
  return figure_text(figure);
}
std::string text(bool answer) {
  return answer ? "true" : "false";
}

template <class T>
std::string text(const std::optional<T>& figure) {
  return figure ? text(*figure) : std::string();
}

template <auto kMember>
std::string of_run(const Row& row) {
  return text(row.run.*kMember);
}

template <auto kMember>
std::string of_trial(const Row& row) {
  return text(row.trial.*kMember);
}

template <auto kMember>
std::string of_cell(const Row& row) {
  return text(row.trial.cell.*kMember);
}

// A field of the cell as users type it.
template <auto kMember>
std::string value_name(const Row& row) {
  return to_text(row.trial.cell.*kMember);
}

template <auto kWork>
std::string work_kind(const Row& row) {
  return to_text((row.trial.cell.*kWork).kind);
}

template <auto kWork>
std::string work_ns(const Row& row) {
  const Work& work = row.trial.cell.*kWork;
  return work.computes() || work.sleeps() ? text(work.duration.count()) : std::string();
}

template <auto kWork>
std::string work_lines(const Row& row) {
  const Work& work = row.trial.cell.*kWork;
  return work.kind == Work::Kind::kTouch ? text(work.lines) : std::string();
}

template <auto kLatency>
std::string latency_samples(const Row& row) {
  const std::optional<LatencySummary>& latency = row.sample.*kLatency;
  return latency ? text(latency->samples) : std::string();
}

// A figure of the distribution; empty if there are no samples.
template <auto kLatency, auto kMember>
std::string latency_figure(const Row& row) {
  const std::optional<LatencySummary>& latency = row.sample.*kLatency;
  return latency && latency->samples > 0 ? text((*latency).*kMember) : std::string();
}

std::string operations_per_s(const Row& row) {
  const Sample& s = row.sample;
  if (!s.operations || !s.window_s || *s.window_s <= 0) return {};
  return text(static_cast<double>(*s.operations) / *s.window_s);
}

std::string efficiency(const Row& row) {
  const Sample& s = row.sample;
  if (!s.ideal_s || !s.makespan_s || *s.makespan_s <= 0) return {};
  return text(*s.ideal_s / *s.makespan_s);
}

using L = LatencySummary;
using S = Sample;

constexpr std::string_view kNoWaits = "no wait was timed";
constexpr std::string_view kNoHolds = "no hold was timed";

// All columns, in the order that results/README.md promises: a new one is added at the end. One
// with only a name is a field of the sample, which describes it.
const Column kColumns[] = {
    {"schema_version", "number", "version of this table", "", of_run<&RunIdentity::schema_version>},
    {"run_id", "name", "the run; the same in all its files", "", of_run<&RunIdentity::run_id>},
    {"preset", "name", "the preset, or `command line`", "", of_run<&RunIdentity::preset>},
    {"target", "name", "machine class that the preset is sized for; `meta.json` has the machine",
     "the preset is for any machine", of_run<&RunIdentity::target>},
    {"trial", "number", "position in the plan, from 0; with `run_id` it identifies the row", "",
     of_trial<&Trial::number>},
    {"block", "number", "repetition, from 0: one pass over all cells", "", of_trial<&Trial::block>},
    {"position", "number", "position within the block, from 0", "", of_trial<&Trial::position>},
    {"primitive", "name", "name of the primitive", "",
     [](const Row& r) { return r.trial.cell.primitive.name; }},
    {"params", "text",
     "parameters of the primitive, `name=value`, separated by commas, sorted by name",
     "no parameter was given",
     [](const Row& r) { return parameters_text(r.trial.cell.primitive); }},
    {"workload", "name", "what a thread does for one operation", "",
     [](const Row& r) { return r.trial.cell.workload.name; }},
    {"scenario", "name", "variant of the workload", "the workload has none",
     [](const Row& r) { return r.trial.cell.workload.scenario; }},
    {"mode", "name",
     "`timed`: a window; `fixed`: a number of operations; `open`: a rate of arrivals; `micro`: see "
     "below",
     "", value_name<&Cell::mode>},
    {"threads", "count",
     "number of threads; of processes if `workload` is `file_counter` or `service_counter`, or "
     "`scenario` is `processes`",
     "", of_cell<&Cell::threads>},
    {"keys", "count", "number of keys", "", of_cell<&Cell::keys>},
    {"key_type", "name", "`u64` or `string`", "", value_name<&Cell::key_type>},
    {"key_distribution", "text", "how the key of each operation is chosen, as in a preset", "",
     value_name<&Cell::key_distribution>},
    {"hold_kind", "name",
     "work in the critical section: `none`, `spin`, `sleep`, `touch`, or `exp`, `sleep:exp`, `mix` "
     "and `sleep:mix` for random durations",
     "", work_kind<&Cell::hold>},
    {"hold_ns", "ns", "duration of this work; its mean if it is random",
     "`hold_kind` is `none` or `touch`", work_ns<&Cell::hold>},
    {"think_ns", "ns", "duration of the work between two operations; its mean if it is random",
     "`think_kind` is `none` or `touch`", work_ns<&Cell::think>},
    {"pinning", "text", "how threads are bound to processors", "", of_cell<&Cell::pinning>},
    {"seed", "number", "random seed of the keys; the same for all cells of a block", "",
     of_trial<&Trial::seed>},
    {"warmup_s", "s", "time before the window, as planned", "",
     [](const Row& r) { return text(Seconds(r.trial.cell.warmup).count()); }},
    {"window_s"},
    {"operations"},
    {"operations_per_s", "1/s", "`operations` / `window_s`", kNoSample, operations_per_s},
    {"makespan_s"},
    {"ideal_s"},
    {"efficiency", "ratio", "`ideal_s` / `makespan_s`; 1 is perfect", kNoIdeal, efficiency},
    {"wait_samples", "count", "number of timed waits, from the request to the acquisition",
     kNoWaits, latency_samples<&S::wait>},
    {"wait_mean_ns", "ns", "mean of the timed waits", kNoWaits,
     latency_figure<&S::wait, &L::mean_ns>},
    {"wait_p50_ns", "ns", "median of the timed waits; the error of all quantiles is at most 1.6 %",
     kNoWaits, latency_figure<&S::wait, &L::p50_ns>},
    {"wait_p90_ns", "ns", "9 of 10 waited no longer", kNoWaits,
     latency_figure<&S::wait, &L::p90_ns>},
    {"wait_p99_ns", "ns", "99 of 100 waited no longer", kNoWaits,
     latency_figure<&S::wait, &L::p99_ns>},
    {"wait_p999_ns", "ns", "999 of 1,000 waited no longer", kNoWaits,
     latency_figure<&S::wait, &L::p999_ns>},
    {"wait_max_ns", "ns", "longest timed wait, exact", kNoWaits,
     latency_figure<&S::wait, &L::max_ns>},
    {"thread_operations_min"},
    {"thread_operations_max"},
    {"fairness_jain"},
    {"overlap"},
    {"cpu_user_s"},
    {"cpu_system_s"},
    {"voluntary_switches"},
    {"involuntary_switches"},
    {"peak_rss_bytes"},
    {"lock_bytes"},
    {"timeouts"},
    {"lost_updates"},
    {"violations"},
    {"valid", "name",
     "`true`: the trial ended without an error and its proof holds; use only figures of these rows",
     "", [](const Row& r) { return std::string(r.valid() ? "true" : "false"); }},
    {"outcome", "name",
     "`ok`, `deadlock`, `timeout`, `starved`, `crashed`, `failed` or `service_lost`", "",
     [](const Row& r) { return name_of(kOutcomeNames, r.sample.outcome); }},
    {"reason"},
    {"started_at", "text", "UTC, ISO 8601", "", [](const Row& r) { return r.started_at; }},
    {"hold_lines", "count", "cache lines written in the critical section",
     "`hold_kind` is not `touch`", work_lines<&Cell::hold>},
    {"think_kind", "name", "work between two operations, as `hold_kind`", "",
     work_kind<&Cell::think>},
    {"think_lines", "count", "cache lines written between two operations",
     "`think_kind` is not `touch`", work_lines<&Cell::think>},
    {"timeout_ns", "ns", "time limit of an acquisition", "a thread waits without limit",
     [](const Row& r) {
       const Nanoseconds timeout = r.trial.cell.timeout;
       return timeout.count() == 0 ? std::string() : text(timeout.count());
     }},
    {"sample_every", "count", "one in this number of waits is timed, chosen at random; 0: none", "",
     of_cell<&Cell::sample_every>},
    {"operations_planned", "count", "planned operations of each thread", "`mode` is not `fixed`",
     [](const Row& r) {
       const Cell& cell = r.trial.cell;
       return cell.mode == Mode::kFixed ? text(cell.operations) : std::string();
     }},
    {"held_samples", "count", "number of timed holds, from the acquisition to the release",
     kNoHolds, latency_samples<&S::hold>},
    {"held_mean_ns", "ns", "mean of the timed holds", kNoHolds,
     latency_figure<&S::hold, &L::mean_ns>},
    {"held_p50_ns", "ns", "median of the timed holds", kNoHolds,
     latency_figure<&S::hold, &L::p50_ns>},
    {"held_p99_ns", "ns", "99 of 100 held no longer", kNoHolds,
     latency_figure<&S::hold, &L::p99_ns>},
    {"held_max_ns", "ns", "longest timed hold, exact", kNoHolds,
     latency_figure<&S::hold, &L::max_ns>},
    {"attempt", "number", "attempt of this trial, from 0: a disturbed trial is measured again", "",
     [](const Row& r) { return text(r.attempt); }},
    {"disturbance"},
    {"steal_share"},
    {"other_cpu_share"},
    {"pinning_held"},
    {"rate_per_s", "1/s", "arrivals of all threads together", kNotOpen,
     [](const Row& r) {
       const Cell& cell = r.trial.cell;
       return cell.mode == Mode::kOpen ? text(cell.rate_per_s) : std::string();
     }},
    {"arrivals", "name", "`poisson` or `fixed`", kNotOpen,
     [](const Row& r) {
       const Cell& cell = r.trial.cell;
       return cell.mode == Mode::kOpen ? to_text(cell.arrivals) : std::string();
     }},
    {"unserved"},
    {"idle_lateness_mean_ns"},
    {"false_conflicts"},
    {"key_bytes_live"},
    {"key_bytes_idle"},
    {"counts"},
    {"expired_holds"},
    {"refused_writes"},
    {"run_delay_share"},
    {"denied_cpu_share"},
    {"interference"},
    {"machine", "name",
     "machine of the measurement or of the prediction; `meta.json` describes it under this name",
     "the machine is unknown",
     [](const Row& r) {
       return r.trial.cell.machine.empty() ? r.run.machine : r.trial.cell.machine;
     }},
    {"round_trips"},
    {"bytes_sent"},
    {"bytes_received"},
    {"reconnects"},
    {"renewals"},
    {"server_cpu_s"},
    {"predicted", "name", "`true`: a prediction by the model of the machine, not a measurement", "",
     [](const Row& r) { return std::string(r.trial.cell.machine.empty() ? "false" : "true"); }},
    {"cycles_per_operation"},
    {"instructions_per_operation"},
    {"cache_misses_per_operation"},
    {"branch_misses_per_operation"},
    {"switches_per_operation"},
    {"migrations_per_operation"},
    {"page_faults_per_operation"},
    {"energy_j_per_operation"},
    {"events_missing"},
    {"write_share", "ratio", "share of the operations that write; the others read",
     "the workload always writes",
     [](const Row& r) {
       const std::optional<double>& share = r.trial.cell.write_share;
       return share ? text(*share) : std::string();
     }},
    {"load_share", "ratio",
     "share of the time in which the busiest key would be held if waiting and locking took no "
     "time; "
     "it determined `think_ns`",
     "the think time was given, or there is none: the loop is saturated",
     [](const Row& r) {
       const std::optional<Load>& load = r.trial.cell.load;
       return load ? text(load->share) : std::string();
     }},
    {"busy_share"},
    {"throttled_periods"},
    {"throttled_s"},
    {"starved_s"},
    {"threads_by_kind", "text",
     "how many threads were bound to each kind of core, the fastest kind first: `fast 2, slow 1`",
     "the usable cores are of one kind, or the threads were not bound",
     [](const Row& r) { return r.threads_by_kind; }},
    {"slow_operations_share"},
    {"fast_wait_p99_ns"},
    {"slow_wait_p99_ns"},
};

constexpr FieldDescription kLatencyColumns[] = {
    {"run_id", "name", "the run; the same in all its files", {}},
    {"trial", "number", "position in the plan, as in `trials.csv`", {}},
    {"kind",
     "name",
     "`wait`: from the request to the acquisition; `hold`: from the acquisition to the release",
     {}},
    {"low_ns", "ns", "least time of this bucket", {}},
    {"high_ns", "ns", "greatest time of this bucket", {}},
    {"count", "count", "number of times in this bucket; at least 1", {}},
    {"attempt", "number", "attempt of this trial, as in `trials.csv`", {}},
};

// Fills in the descriptions from the fields of the sample.
std::vector<Column> with_descriptions(std::vector<Column> columns) {
  const Sample none;
  fields(none, [&columns](const Field& field, const auto&) {
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& column) {
      return column.name == field.name;
    });
    if (found == columns.end()) {
      throw std::logic_error("the field " + std::string(field.name) +
                             " of the sample has no column: add it at the end of kColumns");
    }
    static_cast<FieldDescription&>(*found) = field;
  });
  return columns;
}

std::map<std::string_view, std::string> sample_cells(const Sample& sample) {
  std::map<std::string_view, std::string> cells;
  fields(sample,
         [&cells](const Field& field, const auto& figure) { cells[field.name] = text(figure); });
  return cells;
}

template <class Columns>
nlohmann::ordered_json json_of(const Columns& columns) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const FieldDescription& field : columns) {
    list.push_back({{"name", field.name}, {"unit", field.unit}, {"meaning", field.meaning}});
    if (!field.empty_when.empty()) list.back()["empty_when"] = field.empty_when;
  }
  return list;
}

template <class Columns>
std::vector<std::string> names_of(const Columns& columns) {
  std::vector<std::string> names;
  for (const FieldDescription& column : columns) names.emplace_back(column.name);
  return names;
}

}  // namespace

std::span<const Column> trial_columns() {
  static const std::vector<Column> columns =
      with_descriptions({std::begin(kColumns), std::end(kColumns)});
  return columns;
}

std::vector<std::string> trial_header() {
  return names_of(trial_columns());
}

std::string as_cell(std::string_view text) {
  return clipped(printable(text), kMostCellBytes);
}

std::string planned_cell(const Trial& trial, std::string_view column) {
  const std::span<const Column> columns = trial_columns();
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const Column& one) { return one.name == column; });
  return as_cell(found->cell(Row{.trial = trial}));
}

std::vector<std::string> trial_fields(const Row& row) {
  std::vector<std::string> fields;
  std::map<std::string_view, std::string> of_sample = sample_cells(row.sample);
  for (const Column& column : trial_columns()) {
    const std::string cell = column.cell != nullptr ? column.cell(row) : of_sample.at(column.name);
    fields.push_back(as_cell(cell));
  }
  return fields;
}

std::string figure_text(double figure) {
  if (!std::isfinite(figure)) return {};
  // Sign, digits, point, and an exponent of four characters with its sign.
  char digits[std::numeric_limits<double>::max_digits10 + 8];
  const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), figure);
  return error == std::errc{} ? std::string(digits, end) : std::string();
}

std::string schema_json() {
  const nlohmann::ordered_json whole = {
      {"schema_version", kSchemaVersion},
      {"trials", json_of(trial_columns())},
      {"latency", json_of(kLatencyColumns)},
      {"machine_identity", {{"conditions", kMachineConditions}, {"names", kMachineNames}}}};
  return whole.dump(1) + "\n";
}

std::string trials_markdown() {
  std::string table = "| column | unit | meaning | empty when |\n|---|---|---|---|\n";
  for (const Column& column : trial_columns()) {
    table += absl::StrFormat("| `%s` | %s | %s | %s |\n", column.name, column.unit, column.meaning,
                             column.empty_when.empty() ? "never" : column.empty_when);
  }
  return table;
}

std::string latency_markdown() {
  std::string table = "| column | unit | meaning |\n|---|---|---|\n";
  for (const FieldDescription& column : kLatencyColumns) {
    table += absl::StrFormat("| `%s` | %s | %s |\n", column.name, column.unit, column.meaning);
  }
  return table;
}

namespace {

void append(std::string& records, const Row& row, const char* kind,
            const std::optional<LatencySummary>& latency) {
  if (!latency) return;
  for (const LatencyBucket& bucket : latency->buckets) {
    records += csv_record({row.run.run_id, std::to_string(row.trial.number), kind,
                           std::to_string(bucket.low_ns), std::to_string(bucket.high_ns),
                           std::to_string(bucket.count), std::to_string(row.attempt)});
  }
}

}  // namespace

std::vector<std::string> latency_header() {
  return names_of(kLatencyColumns);
}

std::string latency_records(const Row& row) {
  std::string records;
  append(records, row, "wait", row.sample.wait);
  append(records, row, "hold", row.sample.hold);
  return records;
}

}  // namespace lockbench
