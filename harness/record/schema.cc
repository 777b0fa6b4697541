// SPDX-License-Identifier: Apache-2.0

#include "harness/record/schema.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>

#include "harness/plan/printable.h"
#include "harness/plan/spelling.h"
#include "harness/record/outcome.h"

namespace lockbench {
namespace {

using Seconds = std::chrono::duration<double>;

// Readers refuse cells that are much longer: Python's csv module those of more than 131,072.
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

// A word of the cell as users type it.
template <auto kMember>
std::string spelt(const Row& row) {
  return to_text(row.trial.cell.*kMember);
}

template <auto kMember>
std::string measured(const Row& row) {
  return text(row.sample.*kMember);
}

template <auto kWork>
std::string work_kind(const Row& row) {
  return to_text((row.trial.cell.*kWork).kind);
}

template <auto kWork>
std::string work_ns(const Row& row) {
  const Work& work = row.trial.cell.*kWork;
  const bool lasts = work.kind == Work::Kind::kSpin || work.kind == Work::Kind::kSleep;
  return lasts ? text(work.duration.count()) : std::string();
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

// A figure of the distribution; of no samples there is none.
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

constexpr std::string_view kNoSample = "no sample came back";
constexpr std::string_view kNoWaits = "no wait was timed";
constexpr std::string_view kNoHolds = "no hold was timed";
constexpr std::string_view kNotFixed = "`mode` is not `fixed`, or no sample came back";
constexpr std::string_view kNoIdeal = "`mode` is not `fixed`, or the workload has no known ideal";
constexpr std::string_view kNotOpen = "`mode` is not `open`";
constexpr std::string_view kTooShort = "the window was too short for the kernel's clock to tell";
constexpr std::string_view kNoProof = "the trial came to no proof";

constexpr Column kColumns[] = {
    {"schema_version", "number", "version of this table", "", of_run<&RunIdentity::schema_version>},
    {"run_id", "name", "the run; the same in all its files", "", of_run<&RunIdentity::run_id>},
    {"preset", "name", "the preset, or `command line`", "", of_run<&RunIdentity::preset>},
    {"target", "name", "machine class that the preset is sized for; `meta.json` has the machine",
     "the preset is for any machine", of_run<&RunIdentity::target>},
    {"trial", "number", "place in the plan, from 0; with `run_id` it names the row", "",
     of_trial<&Trial::number>},
    {"block", "number", "repetition, from 0: one pass over all cells", "", of_trial<&Trial::block>},
    {"position", "number", "place within the block, from 0", "", of_trial<&Trial::position>},
    {"primitive", "name", "the way to lock", "",
     [](const Row& r) { return r.trial.cell.primitive.name; }},
    {"params", "text", "its parameters, `name=value` by commas, sorted by name",
     "it was given none", [](const Row& r) { return parameters_text(r.trial.cell.primitive); }},
    {"workload", "name", "what a thread does for one operation", "",
     [](const Row& r) { return r.trial.cell.workload.name; }},
    {"scenario", "name", "its variant", "the workload has none",
     [](const Row& r) { return r.trial.cell.workload.scenario; }},
    {"mode", "name",
     "`timed`: a window; `fixed`: a number of operations; `open`: a rate of arrivals; `micro`: see "
     "below",
     "", spelt<&Cell::mode>},
    {"threads", "count", "threads that lock; where `workload` is `file_counter`, processes", "",
     of_cell<&Cell::threads>},
    {"keys", "count", "keys that they lock", "", of_cell<&Cell::keys>},
    {"key_type", "name", "`u64` or `string`", "", spelt<&Cell::key_type>},
    {"key_distribution", "text", "which key each operation is for, as in a preset", "",
     spelt<&Cell::key_distribution>},
    {"hold_kind", "name", "what is done inside: `none`, `spin`, `sleep` or `touch`", "",
     work_kind<&Cell::hold>},
    {"hold_ns", "ns", "for how long", "`hold_kind` is `none` or `touch`", work_ns<&Cell::hold>},
    {"think_ns", "ns", "how long a thread works between two operations",
     "`think_kind` is `none` or `touch`", work_ns<&Cell::think>},
    {"pinning", "text", "how threads are bound to processors", "", of_cell<&Cell::pinning>},
    {"seed", "number", "of the keys drawn; one for all cells of a block", "",
     of_trial<&Trial::seed>},
    {"warmup_s", "s", "time before the window, as planned", "",
     [](const Row& r) { return text(Seconds(r.trial.cell.warmup).count()); }},
    {"window_s", "s",
     "from the start to the end of the last thread, as measured; what rates are divided by",
     kNoSample, measured<&S::window_s>},
    {"operations", "count", "of all threads, in the window", kNoSample, measured<&S::operations>},
    {"operations_per_s", "1/s", "`operations` / `window_s`", kNoSample, operations_per_s},
    {"makespan_s", "s", "the time that the whole work took", kNotFixed, measured<&S::makespan_s>},
    {"ideal_s", "s", "what a perfect lock would take for the same work", kNoIdeal,
     measured<&S::ideal_s>},
    {"efficiency", "ratio", "`ideal_s` / `makespan_s`; 1 is perfect", kNoIdeal, efficiency},
    {"wait_samples", "count", "waits timed, from asking for the lock to having it", kNoWaits,
     latency_samples<&S::wait>},
    {"wait_mean_ns", "ns", "their mean", kNoWaits, latency_figure<&S::wait, &L::mean_ns>},
    {"wait_p50_ns", "ns", "median; off by at most 1.6 %, as all quantiles here", kNoWaits,
     latency_figure<&S::wait, &L::p50_ns>},
    {"wait_p90_ns", "ns", "9 of 10 waited no longer", kNoWaits,
     latency_figure<&S::wait, &L::p90_ns>},
    {"wait_p99_ns", "ns", "99 of 100 waited no longer", kNoWaits,
     latency_figure<&S::wait, &L::p99_ns>},
    {"wait_p999_ns", "ns", "999 of 1,000 waited no longer", kNoWaits,
     latency_figure<&S::wait, &L::p999_ns>},
    {"wait_max_ns", "ns", "the longest one timed, exact", kNoWaits,
     latency_figure<&S::wait, &L::max_ns>},
    {"thread_operations_min", "count", "operations of the thread that did fewest", kNoSample,
     measured<&S::thread_operations_min>},
    {"thread_operations_max", "count", "operations of the thread that did most", kNoSample,
     measured<&S::thread_operations_max>},
    {"fairness_jain", "ratio",
     "Jain's index of the threads' operations; 1: all did the same, "
     "1/`threads`: one did all",
     kNoSample, measured<&S::fairness_jain>},
    {"overlap", "ratio", "share of the window in which all threads were at work", kNoSample,
     measured<&S::overlap>},
    {"cpu_user_s", "s",
     "processor time of the trial's process in user mode, in the window; of `file_counter`, of all "
     "its processes",
     kNoSample, measured<&S::cpu_user_s>},
    {"cpu_system_s", "s", "the same in the kernel", kNoSample, measured<&S::cpu_system_s>},
    {"voluntary_switches", "count", "context switches because a thread waited", kNoSample,
     measured<&S::voluntary_switches>},
    {"involuntary_switches", "count", "context switches because its time was up", kNoSample,
     measured<&S::involuntary_switches>},
    {"peak_rss_bytes", "bytes",
     "most memory that the trial's process had at once; of `file_counter`, the one that starts the "
     "others",
     kNoSample, measured<&S::peak_rss_bytes>},
    {"lock_bytes", "bytes", "what the primitive itself occupies when all have left", kNoSample,
     measured<&S::lock_bytes>},
    {"timeouts", "count", "acquisitions given up: time ran out, a try failed, or it was refused",
     kNoSample, measured<&S::timeouts>},
    {"lost_updates", "count", "writes that another thread's write undid; 0 where locks exclude",
     kNoProof, measured<&S::lost_updates>},
    {"violations", "count", "other breaches: too many holders, a lease given twice, …", kNoProof,
     measured<&S::violations>},
    {"valid", "name", "`true`: it ended well and its proof holds; only then do its figures count",
     "", [](const Row& r) { return std::string(r.valid() ? "true" : "false"); }},
    {"outcome", "name", "`ok`, `deadlock`, `timeout`, `crashed` or `failed`", "",
     [](const Row& r) { return std::string(outcome_name(r.sample.outcome)); }},
    {"reason", "text", "why it is not `ok` or not valid", "it is both", measured<&S::reason>},
    {"started_at", "text", "UTC, ISO 8601", "", [](const Row& r) { return r.started_at; }},
    {"hold_lines", "count", "cache lines written inside", "`hold_kind` is not `touch`",
     work_lines<&Cell::hold>},
    {"think_kind", "name", "what is done between two operations, as `hold_kind`", "",
     work_kind<&Cell::think>},
    {"think_lines", "count", "cache lines written between two operations",
     "`think_kind` is not `touch`", work_lines<&Cell::think>},
    {"timeout_ns", "ns", "after which an acquisition is given up", "it waits as long as it takes",
     [](const Row& r) {
       const Nanoseconds timeout = r.trial.cell.timeout;
       return timeout.count() == 0 ? std::string() : text(timeout.count());
     }},
    {"sample_every", "count", "a random 1 in so many waits is timed; 0: none", "",
     of_cell<&Cell::sample_every>},
    {"operations_planned", "count", "operations that each thread was to do",
     "`mode` is not `fixed`",
     [](const Row& r) {
       const Cell& cell = r.trial.cell;
       return cell.mode == Mode::kFixed ? text(cell.operations) : std::string();
     }},
    {"held_samples", "count", "holds timed, from having the lock to giving it back", kNoHolds,
     latency_samples<&S::hold>},
    {"held_mean_ns", "ns", "their mean", kNoHolds, latency_figure<&S::hold, &L::mean_ns>},
    {"held_p50_ns", "ns", "median", kNoHolds, latency_figure<&S::hold, &L::p50_ns>},
    {"held_p99_ns", "ns", "99 of 100 held no longer", kNoHolds,
     latency_figure<&S::hold, &L::p99_ns>},
    {"held_max_ns", "ns", "the longest one timed, exact", kNoHolds,
     latency_figure<&S::hold, &L::max_ns>},
    {"attempt", "number", "of this trial, from 0: a disturbed one is measured again", "",
     [](const Row& r) { return text(r.attempt); }},
    {"disturbance", "text", "what outside the lock spoilt the trial; such rows are not valid",
     "nothing is known against it", measured<&S::disturbance>},
    {"steal_share", "ratio", "of the machine's time in the window, taken by the host", kTooShort,
     measured<&S::steal_share>},
    {"other_cpu_share", "ratio", "of the machine's time in the window, used by other processes",
     kTooShort, measured<&S::other_cpu_share>},
    {"pinning_held", "name", "`true`: every bound thread ran where it was bound to",
     "`pinning` is `none`, or no sample came back", measured<&S::pinning_held>},
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
    {"unserved", "count",
     "arrivals whose turn did not come before the window closed; each counts as a wait until then",
     kNotOpen, measured<&S::unserved>},
    {"idle_lateness_mean_ns", "ns",
     "how late an operation began whose thread was waiting for it: the harness's own share of a "
     "wait",
     "`mode` is not `open`, or no thread ever waited", measured<&S::idle_lateness_mean_ns>},
    {"false_conflicts", "ratio",
     "of the conflicts that timed acquisitions met, the share with another key on the same lock",
     "not watched, the primitive does not hash keys, or there was no conflict",
     measured<&S::false_conflicts>},
    {"key_bytes_live", "bytes", "what a held key occupies, its handle included",
     "the primitive has no lock per key, or no sample came back", measured<&S::key_bytes_live>},
    {"key_bytes_idle", "bytes", "what a key still occupies when nobody uses it any more",
     "the primitive has no lock per key, or no sample came back", measured<&S::key_bytes_idle>},
    {"counts", "text", "final value of each key's counter, by blanks",
     "over 32 keys, or the workload counts nothing", measured<&S::counts>},
    {"expired_holds", "count",
     "holds that the primitive ended because their time was up and others waited",
     "the primitive takes no key from its holder, or no sample came back",
     measured<&S::expired_holds>},
    {"refused_writes", "count",
     "updates of such holders that were refused, and so not made; they are not in `operations`",
     "the primitive takes no key from its holder, or no sample came back",
     measured<&S::refused_writes>},
};

}  // namespace

std::span<const Column> trial_columns() {
  return kColumns;
}

std::vector<std::string> trial_header() {
  std::vector<std::string> names;
  for (const Column& column : kColumns) names.emplace_back(column.name);
  return names;
}

std::vector<std::string> trial_fields(const Row& row) {
  std::vector<std::string> fields;
  for (const Column& column : kColumns) {
    fields.push_back(clipped(printable(column.cell(row)), kMostCellBytes));
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

}  // namespace lockbench
