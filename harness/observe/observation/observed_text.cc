// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/observed_text.h"

#include <algorithm>
#include <vector>

#include <absl/strings/str_cat.h>

#include "harness/base/printable.h"
#include "harness/observe/observation/figures_text.h"
#include "harness/observe/observation/observed_json.h"

namespace lockbench {
namespace {

constexpr std::size_t kMostPlaces = 12;

std::string both(const LatencySummary& times) {
  if (times.samples == 0) return "-";
  return duration_text(times.p50_ns) + " / " + duration_text(times.p99_ns);
}

// The share of the holds that ended on cores of the slowest kind.
std::string on_slow_cores(const ObservedPlace& place) {
  std::uint64_t all = 0;
  for (const HoldsOnKind& one : place.holds_on_kinds) all += one.holds;
  if (all == 0) return "-";
  return percent(static_cast<double>(place.holds_on_kinds.back().holds) / static_cast<double>(all));
}

// True if the machine has several kinds of cores.
bool has_kinds(const ObservedProcess& process) {
  return std::any_of(process.places.begin(), process.places.end(),
                     [](const ObservedPlace& place) { return !place.holds_on_kinds.empty(); });
}

TableRow row_of(const ObservedPlace& place) {
  const double contended = static_cast<double>(place.contended) /
                           static_cast<double>(std::max<std::uint64_t>(1, place.acquisitions));
  return {printable(place.name()),
          kind_name(place.kind),
          grouped(place.popularity.locks + place.unlisted_locks),
          grouped(place.threads),
          place.is_futex() ? "-" : grouped(place.acquisitions),
          place.is_futex() ? "-" : percent(contended),
          duration_text(place.blocked_s * 1e9),
          both(place.wait),
          both(place.hold),
          both(place.think),
          percent(place.greatest_gain)};
}

std::string places_text(const ObservedProcess& process, std::size_t width) {
  std::string text;
  std::vector<TableRow> rows{{"place", "kind", "locks", "threads", "acquisitions", "contended",
                              "blocked", "wait p50 / p99", "hold p50 / p99", "think p50 / p99",
                              "gain at most"}};
  const bool by_kind = has_kinds(process);
  if (by_kind) rows[0].push_back("holds on slow cores");
  for (std::size_t i = 0; i < std::min(kMostPlaces, process.places.size()); ++i) {
    rows.push_back(row_of(process.places[i]));
    if (by_kind) rows.back().push_back(on_slow_cores(process.places[i]));
  }
  absl::StrAppend(&text, table_text(rows, width));
  if (process.places.size() > kMostPlaces) {
    absl::StrAppend(&text, "and ", process.places.size() - kMostPlaces,
                    " more places, in observed.json\n");
  }
  for (const Inversion& inversion : process.inversions) {
    absl::StrAppend(&text, "possible deadlock: ", inversion.pairs,
                    inversion.pairs == 1 ? " pair" : " pairs", " of locks of ",
                    printable(process.places[inversion.first].name()), " and of ",
                    printable(process.places[inversion.second].name()),
                    " are acquired in both orders by different threads\n");
  }
  if (process.untracked_holds != 0) {
    absl::StrAppend(&text, grouped(process.untracked_holds),
                    " holds were not timed: their thread held more than 32 locks\n");
  }
  return text;
}

// Names the place with most of the waits, of a process whose locks may cost time. It need not be
// the one that matters: that a thread waits costs nothing if the program's end depends on others.
std::string waits_text(const ObservedProcess& process) {
  if (process.greatest_gain < kProblemFrom || process.blocked_s <= 0) return {};
  const ObservedPlace& place = process.places[0];
  const std::uint64_t locks = place.popularity.locks + place.unlisted_locks;
  return absl::StrCat(
      "most waits: ", printable(place.name()), " has ",
      percent(std::min(1.0, place.blocked_s / process.blocked_s)), " of the time in waits",
      place.wrappers != 0 && !place.is_futex()
          ? absl::StrCat(" (it locks by ", printable(to_text(place.callers[0])), ")")
          : "",
      locks > 1 ? absl::StrCat("; of its ", grouped(locks), " locks, ", grouped(place.hot_locks),
                               place.hot_locks == 1 ? " has" : " have",
                               " nine tenths of the acquisitions that waited")
                : "",
      "\n");
}

}  // namespace

std::string observed_text(const Observation& observation, const Verdict& verdict,
                          std::size_t width) {
  std::string text = verdict.answer + "\n";
  for (const std::string& note : verdict.notes) absl::StrAppend(&text, "  ", note, "\n");
  constexpr std::size_t kMostProcesses = 4;
  std::size_t shown = 0;
  std::size_t more = 0;
  for (const ObservedProcess& process : observation.processes) {
    if (process.places.empty()) continue;
    if (shown == kMostProcesses) {
      ++more;
      continue;
    }
    if (shown++ != 0) absl::StrAppend(&text, "\n", process_text(process), "\n");
    absl::StrAppend(&text, waits_text(process), places_text(process, width));
  }
  if (more != 0) absl::StrAppend(&text, "and ", more, " more processes, in observed.json\n");
  return text;
}

}  // namespace lockbench
