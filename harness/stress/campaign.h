// SPDX-License-Identifier: Apache-2.0

// Campaign: how an engine spends a budget on epochs of a lock, and what it reports: it runs epochs
// until one fails, repeats that one, and says how sure the verdict is. Epochs: what runs them,
// which is all that threads, processes and clients of servers do differently.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>

#include "harness/stress/engine_program.h"
#include "harness/stress/oracles/failure.h"
#include "harness/stress/oracles/oracle.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/report.h"
#include "harness/stress/worker_slot.h"

namespace lockbench::stress {

class Epochs {
 public:
  using Clock = std::chrono::steady_clock;

  struct Clean {
    std::string_view mode;  // empty: the epochs have no modes
    std::uint64_t epochs = 0;
  };

  Epochs() = default;
  Epochs(const Epochs&) = delete;
  Epochs& operator=(const Epochs&) = delete;
  virtual ~Epochs() = default;

  // Runs epochs, one after the other, until one fails or the time is over.
  virtual absl::Status search(Clock::time_point until) = 0;

  // Runs the epoch that failed once more. Returns whether it fails again; absent: it was ended
  // before that could be told.
  virtual absl::StatusOr<std::optional<bool>> repeat() = 0;

  // The oracle that failed the last repetition; absent: it did not fail, or this is not known.
  virtual std::optional<Oracle> oracle_of_repetition() const { return std::nullopt; }

  // The run of the report's command: epochs like the one that failed, until one fails. Null: that
  // one alone, which repeat() runs.
  virtual std::unique_ptr<Epochs> as_command() const { return nullptr; }

  // The epochs without a failure, and the failure if there is one.
  virtual std::vector<Clean> clean() const = 0;
  virtual std::optional<Failure> failure() const = 0;

  // Adds evaluations, figures and remarks about all epochs.
  virtual void report_work(Report& report) const = 0;

  // Adds how the epoch that failed was run, its trace, and remarks. The options of the report are
  // those of the order; adds those of the epoch.
  virtual void report_failure(Report& report) const = 0;

  // Adds what there is to say about the verdict if no epoch failed. May make it inconclusive.
  virtual void report_clean(Report&) const {}
};

struct CampaignTerms {
  EngineTraits engine;
  Epochs::Clock::time_point began = Epochs::Clock::now();
  std::chrono::seconds most_for_reruns{2};
  std::chrono::seconds most_for_command{5};
};

// Runs one campaign. The time of `order.budget` begins at `terms.began`.
absl::StatusOr<Report> run_campaign(Epochs& epochs, const RegisteredLock& entry, const Order& order,
                                    const CampaignTerms& terms,
                                    const ReportProgress& report_progress);

// The remark about `clean` epochs without a failure: how many of all such epochs fail at most, by
// the rule of three (A. Eypasch et al., "Probability of adverse events that have not yet occurred",
// 1995). Three epochs or less say nothing about that.
std::string confidence_remark(std::uint64_t clean);

// The index of the mode with that name in the table of an engine. InvalidArgument lists the modes.
template <class Mode>
absl::StatusOr<std::size_t> mode_named(std::span<const Mode> modes, const EngineTraits& engine,
                                       const std::string& name) {
  std::string known;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (modes[i].name == name) return i;
    absl::StrAppend(&known, known.empty() ? "" : ", ", std::string(modes[i].name));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "`", name, "` is no mode of the ", std::string(engine.name), " engine; say one of ", known));
}

// Adds what the workers of all epochs did.
template <class Slots>
void report_slots(const Slots& slots, Report& report) {
  const auto sum = [&](Word WorkerSlot::*word) { return static_cast<double>(sum_of(slots, word)); };
  const double operations = sum(&WorkerSlot::acquisitions);
  const double refusals = sum(&WorkerSlot::refusals);
  const double contended = sum(&WorkerSlot::contended);
  report.evaluations = evaluations_of(slots);
  report.figures.insert(
      report.figures.end(),
      {{"lock_operations", operations},
       {"refusals", refusals},
       {"contended_share", contended / std::max(operations + refusals, 1.0)},
       {"injections", sum(&WorkerSlot::injections)},
       {"longest_wait_ns", static_cast<double>(highest_of(slots, &WorkerSlot::longest_wait_ns))}});
}

}  // namespace lockbench::stress
