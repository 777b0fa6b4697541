// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/command/observed_case.h"

#include <cmath>
#include <iostream>
#include <memory>
#include <optional>

#include <absl/strings/str_format.h>
#include <nlohmann/json.hpp>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/bench/command/advise/question.h"
#include "harness/cli/flags.h"

namespace lockbench {
namespace {

// An operation of a scenario of `nested`; it has five acquisitions.
struct Nesting {
  std::string scenario;
  int outermost;  // acquisitions by a thread that does not hold the lock

  double share_by_holder() const { return 1 - outermost / kAcquisitions; }

  static constexpr double kAcquisitions = 5;
};

// Below it, a place is more like a mutex (no acquisition by a holder) than like the least nested
// scenario (60 %).
constexpr double kLeastByHolder = 0.3;

double share_by_holder(const RecordedPlace& place) {
  const auto outermost = static_cast<double>(place.acquisitions);
  const auto again = static_cast<double>(place.recursions);
  return again == 0 ? 0 : again / (outermost + again);
}

Nesting nearest_nesting(double share) {
  const Nesting mixed{.scenario = "mixed_lock_unlock", .outermost = 2};
  const Nesting deep{.scenario = "reentrant_lock_unlock", .outermost = 1};
  const double middle = (mixed.share_by_holder() + deep.share_by_holder()) / 2;
  return share < middle ? mixed : deep;
}

Work scaled(Work work, double factor) {
  const auto times = [factor](Nanoseconds one) {
    return Nanoseconds(std::llround(static_cast<double>(one.count()) * factor));
  };
  work.duration = times(work.duration);
  for (Nanoseconds& one : work.mix) one = times(one);
  return work.duration == Nanoseconds{0} ? Work{} : work;
}

void make_nested(const RecordedPlace& place, ObservedCase& found) {
  const double share = share_by_holder(place);
  const Nesting nesting = nearest_nesting(share);
  Cell& cell = found.wanted.cell;
  found.wanted.kind = QuestionKind::kNested;
  found.differences.push_back(
      absl::StrFormat("a holder locks again in %.3g %% of the acquisitions; measured with %.0f %%",
                      100 * share, 100 * nesting.share_by_holder()));
  if (cell.keys > 1) {
    found.differences.push_back(
        absl::StrFormat("the place has %d locks; measured with one", cell.keys));
  }
  cell.workload = {.name = "nested", .scenario = nesting.scenario};
  cell.keys = 1;
  cell.key_distribution = {};
  // An observed hold lasts from the outermost acquisition to its release.
  cell.hold = scaled(cell.hold, nesting.outermost / Nesting::kAcquisitions);
  cell.think = scaled(cell.think, nesting.outermost);
}

void make_readers(ObservedCase& found) {
  double& writes = *found.wanted.cell.write_share;
  found.wanted.kind = QuestionKind::kReaders;
  found.differences.push_back(
      "reads and writes are held for times that are drawn from those of both together");
  if (writes == 0) {
    found.differences.push_back("nothing was written while the program was observed");
  } else if (writes < kLeastWriteShare) {
    found.differences.push_back(absl::StrFormat(
        "%.3g %% of the operations write; measured with one in 512, which is the least",
        100 * writes));
    writes = kLeastWriteShare;
  }
}

}  // namespace

ObservedCase case_of(const RecordedPlace& place) {
  ObservedCase found;
  found.wanted.cell = load_of(place);
  if (found.wanted.cell.write_share) {
    make_readers(found);
  } else if (share_by_holder(place) >= kLeastByHolder) {
    make_nested(place, found);
  }
  if (place.failed_tries != 0) {
    found.differences.push_back(absl::StrFormat(
        "%d tries failed without a wait; each measured acquisition waits", place.failed_tries));
  }
  found.wanted.think = found.wanted.cell.think;
  return found;
}

absl::StatusOr<CaseAnswer> answer_of(const std::filesystem::path& folder, std::size_t number) {
  const absl::StatusOr<RecordedPlace> place = recorded_place(folder, number);
  if (!place.ok()) return place.status();
  const ObservedCase found = case_of(*place);
  const Cell& cell = found.wanted.cell;
  return CaseAnswer{.title = place->name,
                    .kind = found.wanted.kind,
                    .workload = cell.workload,
                    .threads = cell.threads,
                    .keys = cell.keys,
                    .key_distribution = cell.key_distribution,
                    .hold = cell.hold,
                    .think = cell.think,
                    .write_share = cell.write_share,
                    .differences = found.differences};
}

namespace {

constexpr char kFlag[] = "--observed";

struct CaseOptions {
  std::optional<std::filesystem::path> observed;
  std::size_t place = 1;
};

void add_case_flags(CLI::App& command, CaseOptions& options) {
  add_folder(command, kFlag,
             "The case is the load of a place in a program: the folder that `lockbench observe` "
             "wrote",
             options.observed);
  add_count(command, "--place", {1, 1'000'000},
            "Which place of --observed, in the order of its table [1]", options.place);
}

// Prints the case of a place, for `advise`.
class ObservedCaseEntry final : public CommandWithOptions<CaseOptions> {
 public:
  ObservedCaseEntry()
      : CommandWithOptions({.name = kObservedCase,
                            .group = CommandGroup::kHidden,
                            .summary = "Prints the load of a place as JSON"}) {}

  void add_flags(CLI::App& command) override { add_case_flags(command, options_); }

  std::string complete(const CLI::App&, const Invocation&) override {
    return options_.observed ? "" : "--observed: not given";
  }

  int run(const Invocation&) override {
    const absl::StatusOr<CaseAnswer> answer = answer_of(*options_.observed, options_.place);
    if (!answer.ok()) {
      return complain(std::cerr, std::string("lockbench ") + kObservedCase, answer.status());
    }
    std::cout << to_json(*answer) << '\n';
    return kSuccess;
  }
};

}  // namespace

void add_observed_case(Commands& all) {
  all.push_back(std::make_unique<ObservedCaseEntry>());
}

nlohmann::json described_case_source() {
  CaseOptions options;
  return {{"flag", kFlag},
          {"command", kObservedCase},
          {"idle", "--place: names a place of an observation; say --observed DIR"},
          {"flags", described_flags([&](CLI::App& app) { add_case_flags(app, options); })}};
}

}  // namespace lockbench
