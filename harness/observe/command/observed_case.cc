// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/command/observed_case.h"

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <absl/strings/str_format.h>

#include "harness/base/printable.h"
#include "harness/bench/command/advise/question.h"
#include "harness/cli/flags.h"

namespace lockbench {
namespace {

// What an operation of a scenario of `nested` does; it has five acquisitions.
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

absl::Status take_place(const std::filesystem::path& folder, std::size_t number, AdviceCase& wanted,
                        std::ostream& out) {
  const absl::StatusOr<RecordedPlace> place = recorded_place(folder, number);
  if (!place.ok()) return place.status();
  out << "The load at " << printable(place->name) << '\n';
  ObservedCase found = case_of(*place);
  for (const std::string& difference : found.differences) {
    out << "lockbench advise: " << difference << '\n';
  }
  found.wanted.memory_bytes = wanted.memory_bytes;
  found.wanted.fair = wanted.fair;
  found.wanted.when = wanted.when;
  found.wanted.beats = wanted.beats;
  wanted = std::move(found.wanted);
  return absl::OkStatus();
}

CaseSource case_of_place() {
  struct Flags {
    std::optional<std::filesystem::path> observed;
    std::size_t place = 1;
  };
  const auto flags = std::make_shared<Flags>();
  return {.flag = "--observed",
          .add_flags =
              [flags](CLI::App& advise) {
                add_folder(advise, "--observed",
                           "The case is the load of a place in a program: the folder that "
                           "`lockbench observe` wrote",
                           flags->observed);
                add_count(advise, "--place", {1, 1'000'000},
                          "Which place of --observed, in the order of its table [1]", flags->place);
              },
          .given = [flags] { return flags->observed.has_value(); },
          .idle = [](const CLI::App& advise) -> std::string {
            if (!was_given(advise, "--place")) return {};
            return "--place: names a place of an observation; say --observed DIR";
          },
          .take =
              [flags](AdviceCase& wanted, std::ostream& out) {
                return take_place(*flags->observed, flags->place, wanted, out);
              }};
}

}  // namespace lockbench
