// SPDX-License-Identifier: Apache-2.0

#include "harness/command/observe/observed_text.h"

#include <algorithm>
#include <array>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/command/observe/observed_json.h"
#include "harness/plan/printable.h"

namespace lockbench {
namespace {

constexpr std::size_t kMostPlaces = 12;

std::string percent(double share) {
  if (share > 0 && share < 0.0001) return "< 0.01 %";
  return absl::StrFormat(share >= 0.1 || share == 0 ? "%.0f %%" : "%.2g %%", 100 * share);
}

// `1,234`.
std::string grouped(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

// Columns of visible characters; a UTF-8 letter is one.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string both(const LatencySummary& times) {
  if (times.samples == 0) return "-";
  return duration_text(times.p50_ns) + " / " + duration_text(times.p99_ns);
}

TableRow row_of(const ObservedPlace& place) {
  const double contended = static_cast<double>(place.contended) /
                           static_cast<double>(std::max<std::uint64_t>(1, place.acquisitions));
  return {printable(place.name()),
          kind_name(place.kind),
          grouped(place.popularity.locks + place.unlisted_locks),
          grouped(place.threads),
          grouped(place.acquisitions),
          percent(contended),
          duration_text(place.blocked_s * 1e9),
          both(place.wait),
          both(place.hold),
          both(place.think),
          percent(place.greatest_gain)};
}

std::string process_text(const ObservedProcess& process) {
  std::string text = answer_text(process) + "\n";
  std::vector<TableRow> rows{{"place", "kind", "locks", "threads", "acquisitions", "contended",
                              "blocked", "wait p50 / p99", "hold p50 / p99", "think p50 / p99",
                              "gain at most"}};
  for (std::size_t i = 0; i < std::min(kMostPlaces, process.places.size()); ++i) {
    rows.push_back(row_of(process.places[i]));
  }
  absl::StrAppend(&text, table_text(rows));
  if (process.places.size() > kMostPlaces) {
    absl::StrAppend(&text, "and ", process.places.size() - kMostPlaces,
                    " more places, in observed.json\n");
  }
  for (const auto& [first, second] : process.inversions) {
    absl::StrAppend(&text, "possible deadlock: locks of ", printable(process.places[first].name()),
                    " and of ", printable(process.places[second].name()),
                    " are acquired in both orders\n");
  }
  if (process.untracked_holds != 0) {
    absl::StrAppend(&text, grouped(process.untracked_holds),
                    " holds were not timed: their thread held more than 32 locks\n");
  }
  return text;
}

}  // namespace

std::string duration_text(double ns) {
  struct Unit {
    const char* name;
    double ns;
  };
  constexpr std::array<Unit, 4> kUnits{Unit{"s", 1e9}, Unit{"ms", 1e6}, Unit{"µs", 1e3},
                                       Unit{"ns", 1}};
  const auto* const unit =
      std::find_if(kUnits.begin(), kUnits.end() - 1, [ns](const Unit& u) { return ns >= u.ns; });
  const double value = ns / unit->ns;
  return absl::StrFormat(value >= 99.95   ? "%.0f %s"
                         : value >= 9.995 ? "%.1f %s"
                                          : "%.3g %s",
                         value, unit->name);
}

std::string table_text(const std::vector<TableRow>& rows) {
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const TableRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string text;
  for (const TableRow& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - width(row[i]), ' ');
      absl::StrAppend(&line, i == 0 ? "" : "  ", i == 0 ? row[i] + blanks : blanks + row[i]);
    }
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

std::string answer_text(const ObservedProcess& process) {
  const std::string name = printable(process.program.substr(process.program.rfind('/') + 1));
  return absl::StrCat(
      process.greatest_gain < kProblemFrom ? "locks are not your problem: "
                                           : "locks may cost time: ",
      "if the locks of ", name, " cost nothing, it would gain at most ",
      percent(process.greatest_gain), " of its ", duration_text(process.wall_s * 1e9),
      " (a thread waited in ", percent(process.wall_s > 0 ? process.blocked_s / process.wall_s : 0),
      " of the time", process.processor_bound ? ", but the processors were busy" : "", ")");
}

std::string observed_text(const Observation& observation, const std::string& program) {
  if (observation.processes_begun == 0) {
    return absl::StrCat("nothing was recorded: ", printable(program),
                        " did not load the library, so it ended at once or starts its work with "
                        "another environment\n");
  }
  std::string text;
  if (observation.processes.empty()) {
    text = absl::StrCat("locks are not your problem: ", printable(program),
                        " acquired no lock of the pthread library while it was observed; locks of "
                        "its own (futex) and of statically linked libraries are not seen\n");
  }
  constexpr std::size_t kMostProcesses = 4;
  for (std::size_t i = 0; i < std::min(kMostProcesses, observation.processes.size()); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : "\n", process_text(observation.processes[i]));
  }
  if (observation.processes.size() > kMostProcesses) {
    absl::StrAppend(&text, "and ", observation.processes.size() - kMostProcesses,
                    " more processes, in observed.json\n");
  }
  if (observation.processes_not_recorded != 0) {
    absl::StrAppend(&text, observation.processes_not_recorded,
                    " processes were not recorded: there is space for ",
                    observe::Recording::kProcesses, "\n");
  }
  return text;
}

}  // namespace lockbench
