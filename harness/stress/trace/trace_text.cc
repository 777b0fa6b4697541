// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/trace/trace_text.h"

#include <algorithm>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

namespace lockbench::stress {
namespace {

constexpr std::size_t kMostLines = 60;

const char* verb_of(Event::Kind kind) {
  switch (kind) {
    case Event::kNone:
      return "does nothing";
    case Event::kRequest:
      return "requests";
    case Event::kAcquire:
      return "acquires";
    case Event::kRefuse:
      return "is refused";
    case Event::kRelease:
      return "releases";
    case Event::kReleased:
      return "has released";
    case Event::kForeignUnlock:
      return "unlocks, without holding it,";
    case Event::kExpire:
      return "loses, for it held too long,";
    case Event::kDie:
      return "is killed";
    case Event::kEnd:
      break;
  }
  return "ends";
}

}  // namespace

bool is_of_keys(Event::Kind kind) {
  return kind != Event::kNone && kind != Event::kDie && kind != Event::kEnd;
}

std::string name_of_keys(const Event& event) {
  if (event.pair) return absl::StrCat("keys ", event.key, " and ", event.other);
  const bool has_lease = event.kind == Event::kAcquire && event.lease != 0;
  return absl::StrCat("key ", event.key,
                      has_lease ? absl::StrCat(" (lease ", event.lease, ")") : std::string());
}

std::string text_of_act(const Event& event) {
  return absl::StrCat(verb_of(event.kind),
                      is_of_keys(event.kind) ? " " + name_of_keys(event) : std::string());
}

std::string to_text(const Event& event, const std::string& actor) {
  return absl::StrCat(actor, " ", event.thread, " ", text_of_act(event));
}

std::vector<std::string> to_text(std::vector<TimedEvent> events, TimeUnit unit, std::uint64_t began,
                                 const std::string& actor) {
  std::stable_sort(events.begin(), events.end(),
                   [](const TimedEvent& a, const TimedEvent& b) { return a.at < b.at; });
  std::vector<std::string> lines;
  const std::size_t first = events.size() > kMostLines ? events.size() - kMostLines : 0;
  for (std::size_t i = first; i < events.size(); ++i) {
    const std::uint64_t at = events[i].at - began;
    const std::string time = unit == TimeUnit::kSteps
                                 ? absl::StrCat("step ", at)
                                 : absl::StrFormat("%.1f us", static_cast<double>(at) / 1000);
    lines.push_back(absl::StrCat(time, ", ", to_text(events[i].event, actor)));
  }
  return lines;
}

}  // namespace lockbench::stress
