// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/conclude.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "harness/bench/plan/load.h"
#include "harness/bench/plan/window.h"

namespace lockbench {

namespace {

// Length of one piece of work, or its mean; absent if it is not known in advance.
std::optional<double> length_of(const Work& work) {
  if (work.kind == Work::Kind::kTouch) return std::nullopt;
  return seconds(work.duration);
}

double spun_of(const Work& work) {
  return work.computes() ? seconds(work.duration) : 0.0;
}

}  // namespace

std::optional<double> jain_index(std::span<const std::uint64_t> shares) {
  double sum = 0;
  double squares = 0;
  for (const std::uint64_t share : shares) {
    const auto x = static_cast<double>(share);
    sum += x;
    squares += x * x;
  }
  if (squares == 0) return std::nullopt;
  return sum * sum / (static_cast<double>(shares.size()) * squares);
}

std::optional<double> overlap_of(std::span<const Interval> threads) {
  double first_start = std::numeric_limits<double>::max();
  double last_start = std::numeric_limits<double>::lowest();
  double first_end = std::numeric_limits<double>::max();
  double last_end = std::numeric_limits<double>::lowest();
  for (const Interval& thread : threads) {
    first_start = std::min(first_start, thread.start_s);
    last_start = std::max(last_start, thread.start_s);
    first_end = std::min(first_end, thread.end_s);
    last_end = std::max(last_end, thread.end_s);
  }
  if (last_end <= first_start) return std::nullopt;
  return std::max(0.0, first_end - last_start) / (last_end - first_start);
}

std::optional<double> ideal_seconds(const HoldBound& bound, const Cell& cell,
                                    std::uint32_t capacity, std::uint32_t processors) {
  const std::optional<double> hold_s = length_of(cell.hold);
  const std::optional<double> think_s = length_of(cell.think);
  if (!hold_s || !think_s || *hold_s == 0) return std::nullopt;
  const auto holds = [](std::uint64_t n) { return static_cast<double>(n); };
  const double operations = static_cast<double>(cell.operations);
  const double key_s = holds(bound.busiest_key_holds) * *hold_s / capacity;
  const double thread_s = holds(bound.busiest_thread_holds) * *hold_s + operations * *think_s;
  const double spun_s =
      (holds(bound.holds) * spun_of(cell.hold) + operations * cell.threads * spun_of(cell.think)) /
      processors;
  return std::max({key_s, thread_s, spun_s});
}

void StarvationWatch::look(double now_s, std::span<const ThreadProgress> threads) {
  now_s_ = now_s;
  all_ = 0;
  for (const ThreadProgress& thread : threads) all_ += thread.attempts;
  seen_.resize(threads.size());
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const bool same = seen_[i].progress.in_loop && threads[i].in_loop &&
                      seen_[i].progress.attempts == threads[i].attempts;
    if (!same) seen_[i] = {.progress = threads[i], .since_s = now_s, .all_then = all_};
  }
}

std::optional<StarvationWatch::Starved> StarvationWatch::longest() const {
  std::optional<Starved> found;
  for (const Seen& thread : seen_) {
    if (!thread.progress.in_loop || thread.all_then == all_) continue;
    const double seconds = now_s_ - thread.since_s;
    if (seconds > 0 && (!found || seconds > found->seconds)) {
      found = {.seconds = seconds, .others = all_ - thread.all_then};
    }
  }
  return found;
}

Nanoseconds least_starvation(const Cell& cell) {
  if (cell.stall_limit == Nanoseconds{0}) return Nanoseconds{0};
  const Nanoseconds operation = longest_of(cell.hold) + longest_of(cell.think) + cell.timeout;
  return std::max(cell.stall_limit / 2, 2 * operation);
}

namespace {

void add_throughput(const TrialEnd& end, Sample& sample) {
  std::vector<std::uint64_t> operations;
  std::vector<Interval> intervals;
  std::uint64_t sum = 0;
  std::uint64_t given_up = 0;
  platform::Time last = end.opened;
  for (const ThreadReport& report : end.reports) {
    operations.push_back(report.operations);
    // In modes that end by time, all threads were at work when the window opened.
    const bool gated = end.cell.mode == Mode::kFixed;
    intervals.push_back({.start_s = gated ? seconds(report.started - end.opened) : 0.0,
                         .end_s = seconds(report.ended - end.opened)});
    sum += report.operations;
    given_up += report.given_up;
    last = std::max(last, report.ended);
  }
  const auto [least, most] = std::minmax_element(operations.begin(), operations.end());
  sample.operations = sum;
  sample.timeouts = given_up;
  sample.window_s = seconds(last - end.opened);
  if (end.cell.mode == Mode::kFixed) sample.makespan_s = sample.window_s;
  sample.thread_operations_min = *least;
  sample.thread_operations_max = *most;
  sample.fairness_jain = jain_index(operations);
  sample.overlap = overlap_of(intervals);
}

void add_times(const TrialEnd& end, Sample& sample) {
  Histogram wait;
  Histogram hold;
  for (const ThreadReport& report : end.reports) {
    wait.add(report.wait);
    hold.add(report.hold);
  }
  if (wait.samples() != 0) sample.wait = wait.summary();
  if (hold.samples() != 0) sample.hold = hold.summary();
}

void add_busy_share(const TrialEnd& end, Sample& sample) {
  if (!end.holds_once || !sample.hold || sample.hold->samples == 0) return;
  if (!sample.window_s || *sample.window_s <= 0) return;
  const double held_s = std::max(0.0, sample.hold->mean_ns - end.clock_ns) * 1e-9;
  const double of_busiest = static_cast<double>(*sample.operations) * busiest_key_share(end.cell);
  sample.busy_share = of_busiest * held_s / end.capacity / *sample.window_s;
}

void add_schedule(const TrialEnd& end, Sample& sample) {
  std::uint64_t unserved = 0;
  std::uint64_t idle_starts = 0;
  std::uint64_t lateness_ns = 0;
  for (const ThreadReport& report : end.reports) {
    unserved += report.unserved;
    idle_starts += report.idle_starts;
    lateness_ns += report.idle_lateness_ns;
  }
  sample.unserved = unserved;
  if (idle_starts != 0) {
    sample.idle_lateness_mean_ns =
        static_cast<double>(lateness_ns) / static_cast<double>(idle_starts);
  }
}

// The figures of the workers whose kind of core has one rank.
struct OfKind {
  std::uint64_t operations = 0;
  Histogram wait;
};

OfKind of_kind(int rank, const TrialEnd& end) {
  OfKind all;
  for (std::size_t i = 0; i < end.reports.size(); ++i) {
    if (end.ranks[i] != rank) continue;
    all.operations += end.reports[i].operations;
    all.wait.add(end.reports[i].wait);
  }
  return all;
}

std::optional<double> p99_of(const Histogram& wait) {
  if (wait.samples() == 0) return std::nullopt;
  return wait.summary().p99_ns;
}

// Compares the fastest kind of core that workers ran on with the slowest one.
void add_kinds(const TrialEnd& end, Sample& sample) {
  if (end.ranks.empty() || end.ranks.size() != end.reports.size()) return;
  const auto [fastest, slowest] = std::minmax_element(end.ranks.begin(), end.ranks.end());
  if (*fastest == *slowest) return;
  const OfKind fast = of_kind(*fastest, end);
  const OfKind slow = of_kind(*slowest, end);
  // With fixed work, each thread completes what was planned.
  if (end.cell.mode != Mode::kFixed && sample.operations.value_or(0) != 0) {
    sample.slow_operations_share =
        static_cast<double>(slow.operations) / static_cast<double>(*sample.operations);
  }
  sample.fast_wait_p99_ns = p99_of(fast.wait);
  sample.slow_wait_p99_ns = p99_of(slow.wait);
}

std::string complaint(const Proof& proof, std::uint64_t operations) {
  std::string text;
  if (proof.lost_updates != 0) {
    text = "lost " + std::to_string(proof.lost_updates) + " updates in " +
           std::to_string(operations) + " operations";
  }
  if (proof.violations != 0) {
    text += (text.empty() ? "" : "; ") + std::to_string(proof.violations) +
            " mutual-exclusion violations";
  }
  return text;
}

}  // namespace

void add_usage(const Usage& used, Sample& sample) {
  sample.cpu_user_s = used.user_s;
  sample.cpu_system_s = used.system_s;
  sample.voluntary_switches = used.voluntary_switches;
  sample.involuntary_switches = used.involuntary_switches;
}

void add_events(const EventCounts& counts, const Usage& used, std::uint32_t workers,
                std::uint32_t read, Sample& sample) {
  sample.events_missing = counts.missing;
  if (sample.operations.value_or(0) == 0) return;
  const auto operations = static_cast<double>(*sample.operations);
  const double share_read = static_cast<double>(read) / workers;
  const auto of_workers = [&](std::optional<double> count) -> std::optional<double> {
    if (!count) return std::nullopt;
    return *count / share_read / operations;
  };
  sample.cycles_per_operation = of_workers(counts.cycles);
  sample.instructions_per_operation = of_workers(counts.instructions);
  sample.cache_misses_per_operation = of_workers(counts.cache_misses);
  sample.branch_misses_per_operation = of_workers(counts.branch_misses);
  sample.migrations_per_operation = of_workers(counts.migrations);
  if (counts.energy_j) sample.energy_j_per_operation = *counts.energy_j / operations;
  const std::uint64_t switches = used.voluntary_switches + used.involuntary_switches;
  sample.switches_per_operation = static_cast<double>(switches) / operations;
  sample.page_faults_per_operation = static_cast<double>(used.page_faults) / operations;
}

void conclude(const TrialEnd& end, Sample& sample) {
  add_throughput(end, sample);
  add_times(end, sample);
  add_busy_share(end, sample);
  add_kinds(end, sample);
  if (end.cell.mode == Mode::kOpen) add_schedule(end, sample);
  // If acquisitions timed out, threads held less than the ideal assumes. If holds expired, several
  // threads held a key at the same time.
  const bool as_planned = sample.timeouts == 0u && end.proof.expired_holds.value_or(0) == 0;
  // A slow core takes longer for the same work.
  const bool all_fast =
      std::all_of(end.ranks.begin(), end.ranks.end(), [](int rank) { return rank == 0; });
  if (end.cell.mode == Mode::kFixed && end.hold_bound && as_planned && all_fast) {
    sample.ideal_s = ideal_seconds(*end.hold_bound, end.cell, end.capacity, end.processors);
  }
  sample.lost_updates = end.proof.lost_updates;
  sample.violations = end.proof.violations;
  sample.expired_holds = end.proof.expired_holds;
  sample.refused_writes = end.proof.refused_writes;
  sample.counts = end.proof.counts;
  if (!sample.proven()) sample.reason = complaint(end.proof, *sample.operations);
}

}  // namespace lockbench
