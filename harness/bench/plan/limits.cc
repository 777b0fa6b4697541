// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/limits.h"

#include <algorithm>
#include <numeric>
#include <string>

#include <absl/strings/str_format.h>

#include "harness/base/quantity.h"
#include "harness/bench/plan/in_ns.h"
#include "harness/bench/plan/load.h"
#include "harness/bench/plan/spelling.h"
#include "harness/bench/plan/sweep_fields.h"

namespace lockbench {
namespace {

// Doubles: threads × operations × hold exceeds 64 bits of nanoseconds, and this result needs no
// exact digits.
constexpr double kLineNs = 500;            // a cache line fetched from a busy neighbour
constexpr double kAcquisitionNs = 20'000;  // a contended acquisition: a futex wake-up, and a margin
constexpr double kStallNs = 2e9;
constexpr double kServiceAcquisitionNs = 10e6;
constexpr double kServiceStallNs = 15e9;
constexpr double kThreadTurnNs = 10e6;

Nanoseconds capped(double ns) {
  return Nanoseconds{static_cast<std::int64_t>(std::min(ns, in_ns(kLongestDuration)))};
}

double ns_of(const Work& work) {
  return in_ns(work.duration) + kLineNs * work.lines;
}

double held_at_most_ns(const Cell& cell, const CellTraits& traits) {
  return ns_of(cell.hold) * traits.acquisitions_per_operation;
}

// The number of operations that run one after the other on the busiest lock.
double operations_in_turn(const Cell& cell, const CellTraits& traits) {
  const double all = static_cast<double>(cell.operations) * cell.threads;
  if (traits.one_lock) return all;
  return all * busiest_key_share(cell);
}

absl::Status outside(std::string_view field, const std::string& reason) {
  return absl::InvalidArgumentError(absl::StrFormat("%s: %s", field, reason));
}

absl::Status check_count(std::string_view field, std::uint64_t count, CountRange range) {
  const absl::Status status = check_range(count, range);
  return status.ok() ? status : outside(field, std::string(status.message()));
}

absl::Status check_times(const Cell& cell) {
  struct Time {
    std::string_view field;
    Nanoseconds duration;
  };
  for (const Time& time :
       {Time{"hold", cell.hold.duration}, Time{"think", cell.think.duration},
        Time{"timeout", cell.timeout}, Time{"warmup", cell.warmup}, Time{"window", cell.window},
        Time{"stall_limit", cell.stall_limit}, Time{"time_limit", cell.time_limit}}) {
    if (time.duration < Nanoseconds{0}) {
      return outside(time.field, to_text(time.duration) + " is negative; 0 is the least");
    }
    if (time.duration > kLongestDuration) {
      return outside(time.field, to_text(time.duration) + " is longer than a day");
    }
  }
  return absl::OkStatus();
}

absl::Status check_mode(const Cell& cell) {
  if (cell.mode == Mode::kMicro) {
    if (cell.window == Nanoseconds{0} && cell.operations == 0) return absl::OkStatus();
    return outside("mode", "micro has neither window nor operations; take timed or fixed");
  }
  if (cell.mode == Mode::kOpen) {
    const absl::Status rate = check_count("rate", cell.rate_per_s, kRateRange);
    if (!rate.ok()) return rate;
    if (cell.think != Work{}) {
      return outside("think", "the rate decides when the next operation is due in mode open");
    }
  } else if (cell.rate_per_s != 0) {
    return outside("rate", "operations are due at a rate in mode open alone; take mode open");
  }
  if (cell.mode != Mode::kFixed) {
    if (cell.window <= Nanoseconds{0}) {
      return outside("window", "mode " + to_text(cell.mode) + " wants one longer than 0, as 100ms");
    }
    if (cell.operations != 0) {
      return outside("operations",
                     "time decides how many in mode " + to_text(cell.mode) + "; take mode fixed");
    }
    return absl::OkStatus();
  }
  if (cell.operations == 0) {
    return outside("operations", "mode fixed wants how many each thread does, as 1000");
  }
  return check_count("operations", cell.operations, kOperationRange);
}

absl::Status check_assigned(const Cell& cell) {
  const std::vector<std::uint32_t>& counts = cell.key_distribution.counts;
  if (cell.mode != Mode::kFixed) {
    return outside("key_distribution", "assigned counts want mode fixed");
  }
  if (cell.keys != counts.size()) {
    return outside("keys", absl::StrFormat("%d, but %d counts are assigned; leave keys out, or "
                                           "assign as many",
                                           cell.keys, counts.size()));
  }
  const std::uint64_t sum = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  // A division, because a multiplication could overflow: the number of operations is not limited.
  if (sum == 0 || sum % cell.threads != 0 || sum / cell.threads != cell.operations) {
    return outside("key_distribution",
                   absl::StrFormat("the assigned counts add up to %d, but %d threads do %d "
                                   "operations each; the sums must be equal",
                                   sum, cell.threads, cell.operations));
  }
  return absl::OkStatus();
}

absl::Status check_writes(const Cell& cell) {
  if (!cell.write_share || (*cell.write_share >= 0 && *cell.write_share <= 1)) {
    return absl::OkStatus();
  }
  return outside("writes", to_text(*cell.write_share) + " is no share; it is from 0 to 1");
}

}  // namespace

absl::Status check_cell(const Cell& cell) {
  for (const absl::Status& status :
       {check_count("threads", cell.threads, kThreadRange),
        check_count("keys", cell.keys, kKeyRange),
        check_count("sample_every", cell.sample_every, kSampleEveryRange), check_times(cell),
        check_writes(cell), check_mode(cell)}) {
    if (!status.ok()) return status;
  }
  if (cell.load && !(0 < cell.load->share && cell.load->share <= 1)) {
    return outside("load", "is a share of the time above 0%, up to 100%, as 50%");
  }
  const bool assigned = cell.key_distribution.kind == KeyDistribution::Kind::kAssigned;
  return assigned ? check_assigned(cell) : absl::OkStatus();
}

Nanoseconds stall_limit_of(const Cell& cell, const CellTraits& traits) {
  const double work_ns = traits.slowest_work * (held_at_most_ns(cell, traits) + ns_of(cell.think));
  const double operation_ns = work_ns + static_cast<double>(cell.timeout.count());
  const double least_ns = traits.at_service ? kServiceStallNs : kStallNs;
  return capped(std::max(least_ns, 20 * operation_ns) + kThreadTurnNs * cell.threads);
}

Nanoseconds time_limit_of(const Cell& cell, const CellTraits& traits) {
  const double acquisition_ns = traits.at_service ? kServiceAcquisitionNs : kAcquisitionNs;
  const double turn_ns = traits.slowest_work * held_at_most_ns(cell, traits) +
                         acquisition_ns * traits.acquisitions_per_operation;
  const bool fixed = cell.mode == Mode::kFixed;
  const double rounds = fixed ? static_cast<double>(cell.operations) : 1;
  const double work_ns =
      rounds * (turn_ns * cell.threads + traits.slowest_work * ns_of(cell.think));
  const double window_ns = static_cast<double>((cell.warmup + cell.window).count());
  // The time limit is longer than the stall limit, so a trial without progress from its first
  // operation on is reported as a deadlock and not as a timeout.
  const auto stall_ns = static_cast<double>(stall_limit_of(cell, traits).count());
  return capped(2 * (work_ns + window_ns) + 2 * stall_ns);
}

Nanoseconds expected_duration(const Cell& cell, const CellTraits& traits) {
  if (cell.mode != Mode::kFixed) return cell.warmup + cell.window;
  const double in_turn_ns = operations_in_turn(cell, traits) * held_at_most_ns(cell, traits) /
                            static_cast<double>(traits.holders_of_a_key);
  const double thread_ns =
      static_cast<double>(cell.operations) * (held_at_most_ns(cell, traits) + ns_of(cell.think));
  return capped(std::max(in_turn_ns, thread_ns));
}

}  // namespace lockbench
