// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/sweep_fields.h"

#include <algorithm>
#include <array>

#include "harness/bench/plan/spelling.h"

namespace lockbench {
namespace {

// Adds one value, for fields whose values may contain commas.
template <auto Axis, auto Parse>
absl::Status add_one(Sweep& sweep, std::string_view text) {
  auto value = Parse(text);
  if (!value.ok()) return value.status();
  (sweep.*Axis).push_back(*std::move(value));
  return absl::OkStatus();
}

// Adds values that are separated by commas.
template <auto Axis, auto Parse>
absl::Status add_list(Sweep& sweep, std::string_view text) {
  for (const std::string_view piece : split(text, ',')) {
    const absl::Status status = add_one<Axis, Parse>(sweep, piece);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

template <auto Axis, CountRange Range>
absl::Status add_counts(Sweep& sweep, std::string_view text) {
  const auto counts = parse_counts(text, Range);
  if (!counts.ok()) return counts.status();
  auto& axis = sweep.*Axis;
  axis.insert(axis.end(), counts->begin(), counts->end());
  return absl::OkStatus();
}

template <auto Setting, auto Parse>
absl::Status set(Sweep& sweep, std::string_view text) {
  const auto value = Parse(text);
  if (!value.ok()) return value.status();
  sweep.*Setting = *value;
  return absl::OkStatus();
}

template <auto Setting, CountRange Range>
absl::Status set_count(Sweep& sweep, std::string_view text) {
  const auto count = parse_count(text, Range);
  if (!count.ok()) return count.status();
  sweep.*Setting = *count;
  return absl::OkStatus();
}

// A mode that `lockbench run` can measure in.
absl::StatusOr<Mode> parse_sweep_mode(std::string_view text) {
  absl::StatusOr<Mode> mode = parse_mode(text);
  if (!mode.ok() || *mode != Mode::kMicro) return mode;
  return absl::InvalidArgumentError(
      "mode 'micro' belongs to lockbench-micro, a program of its own; write timed, fixed or open");
}

constexpr std::string_view kWorkWants =
    "0, 200ns (spins), sleep:100ms, touch:8 (cache lines), exp:1us or sleep:exp:1ms (random times "
    "of this mean), mix:10ns/10ns/1us or sleep:mix:1ms/5ms (one of these times, at random)";
constexpr std::string_view kDurationWants = "a duration, as 200ns, 5us, 1.5ms, 2s";

constexpr std::array kFields = {
    SweepField{"primitive", true, "a primitive, as keyed or striped:lock=std,stripes=64",
               "required", "[\"keyed\", \"striped:stripes=64\"]",
               add_one<&Sweep::primitives, parse_primitive>},
    SweepField{"workload", true, "a workload, as counter or nested:mixed_lock_unlock", "`counter`",
               "\"counter\"", add_list<&Sweep::workloads, parse_workload>},
    SweepField{"mode", false, "timed, fixed or open", "`timed`", "\"timed\"",
               set<&Sweep::mode, parse_sweep_mode>},
    SweepField{"threads", true, kCountsHelp, "1", "[1, 2, 4]",
               add_counts<&Sweep::threads, kThreadRange>},
    SweepField{"keys", true, kCountsHelp,
               "as many as `assigned` has counts; with `own`, a key for each thread; else 1", "64",
               add_counts<&Sweep::keys, kKeyRange>},
    SweepField{"key_type", true, "u64 or string", "`u64`", "\"u64\"",
               add_list<&Sweep::key_types, parse_key_type>},
    SweepField{
        "key_distribution", true,
        "uniform, zipf:0.99, hot:0.1,0.9 (of the keys, of the operations), own (a key for each "
        "thread) or assigned:6,2,5 (operations of each key)",
        "`uniform`", "[\"uniform\", \"zipf:0.99\"]",
        add_one<&Sweep::key_distributions, parse_key_distribution>},
    SweepField{"hold", true, kWorkWants, "0", "[\"0\", \"200ns\"]",
               add_list<&Sweep::holds, parse_work>},
    SweepField{"think", true, kWorkWants, "0, or as `load` says", "\"1us\"",
               add_list<&Sweep::thinks, parse_work>},
    SweepField{
        "load", true,
        "the share of the time in which the busiest key would be held if waiting and locking "
        "took no time, as 50%, which sets think; sleep:50% (threads sleep between "
        "operations), or saturated (no think)",
        "`think` says it", "[\"10%\", \"50%\", \"90%\", \"saturated\"]",
        add_list<&Sweep::loads, parse_load>},
    SweepField{"writes", true, "the share of the operations that write, as 1% or 0",
               "required for `read_mostly`; the other workloads always write", "[\"1%\", \"10%\"]",
               add_list<&Sweep::write_shares, parse_share>},
    SweepField{"pinning", true,
               "none, compact, scatter, one-core, kind:fast or kind:slow (cores of one kind), "
               "mixed:2+2 (threads on the fastest kind and on the next) or a list of processors, "
               "as 0,2,4-7",
               "`none`; `scatter` if the cores are of several kinds", "\"compact\"",
               add_one<&Sweep::pinnings, parse_pinning>},
    SweepField{"timeout", true, kDurationWants, "0: waits without limit", "\"5ms\"",
               add_list<&Sweep::timeouts, parse_duration>},
    SweepField{"rate", true,
               "arrivals a second in mode open: "
               "whole numbers, as 1000 or 1000..16000",
               "required in mode `open`", "\"1000..16000\"", add_counts<&Sweep::rates, kRateRange>},
    SweepField{"arrivals", false, "poisson or fixed, in mode open", "`poisson`", "\"poisson\"",
               set<&Sweep::arrivals, parse_arrivals>},
    SweepField{"watch", false,
               "none or conflicts: notes when a hashed lock was held for another key", "`none`",
               "\"conflicts\"", set<&Sweep::watch_conflicts, parse_watch>},
    SweepField{"warmup", false, kDurationWants, "20ms; not in mode `fixed`", "\"20ms\"",
               set<&Sweep::warmup, parse_duration>},
    SweepField{
        "window", false, kDurationWants,
        "100ms, and longer where holds and think times need it; 1s in mode `open`; not in mode "
        "`fixed`",
        "\"100ms\"", set<&Sweep::window, parse_duration>},
    SweepField{"operations", false, "a whole number: operations of each thread",
               "the sum of the `assigned` counts by threads; required in mode `fixed` without them",
               "1000", set_count<&Sweep::operations, kOperationRange>},
    SweepField{"sample_every", false, "a whole number: waits timed, 1 in so many; 0: none",
               "64; 1 in mode `open`", "64", set_count<&Sweep::sample_every, kSampleEveryRange>},
    SweepField{"time_limit", false, kDurationWants,
               "from the cell: twice the time that all holds take in turn, and more", "\"10s\"",
               set<&Sweep::time_limit, parse_duration>},
};

}  // namespace

std::span<const SweepField> sweep_fields() {
  return kFields;
}

const SweepField* find_sweep_field(std::string_view name) {
  const auto field = std::find_if(kFields.begin(), kFields.end(),
                                  [name](const SweepField& f) { return f.name == name; });
  return field == kFields.end() ? nullptr : &*field;
}

}  // namespace lockbench
