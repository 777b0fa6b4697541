// SPDX-License-Identifier: Apache-2.0

#include "harness/services/engine/trace.h"

#include <algorithm>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

namespace lockbench::stress::services {
namespace {

// So many of the acts of other clients are kept from the beginning, and as many from the end.
constexpr std::size_t kKeptAtEachEnd = 12;

bool is_of_key(const Act& act, std::uint32_t key) {
  return act.kind != Act::kEnds && act.key == key;
}

// Those that show who else had the key.
bool shows_a_hold(const Act& act) {
  return act.kind == Act::kAcquires || act.kind == Act::kWrites || act.kind == Act::kOverwrites ||
         act.kind == Act::kReleases;
}

const char* name_of(Act::Kind kind) {
  switch (kind) {
    case Act::kRequests:
      return "request";
    case Act::kAcquires:
      return "acquire";
    case Act::kIsRefused:
    case Act::kIsToldLost:
      return "refuse";
    case Act::kReleases:
      return "release";
    case Act::kReleased:
      return "released";
    case Act::kEnds:
      return "end";
    default:
      return "use";
  }
}

TraceStep step_of(const Act& act, std::uint64_t began_ns) {
  TraceStep step{.at = act.at_ns - began_ns,
                 .thread = static_cast<std::int32_t>(act.client),
                 .text = text_of(act),
                 .act = name_of(act.kind)};
  if (act.kind != Act::kEnds) step.keys = {act.key};
  return step;
}

// The client's last request before `failed_ns`.
std::uint64_t request_of(const std::vector<Act>& acts, std::uint32_t client) {
  std::uint64_t at = 0;
  for (const Act& act : acts) {
    if (act.client == client && act.kind == Act::kRequests) at = std::max(at, act.at_ns);
  }
  return at;
}

// True if the act begins a hold that lasts at the time `since`, as far as the acts show.
bool begins_hold_at(const std::vector<Act>& acts, const Act& begin, std::uint64_t since) {
  if (begin.kind != Act::kAcquires || begin.at_ns > since) return false;
  return std::none_of(acts.begin(), acts.end(), [&](const Act& act) {
    return act.client == begin.client && act.at_ns > begin.at_ns && act.at_ns <= since &&
           (act.kind == Act::kReleases || act.kind == Act::kRequests || act.kind == Act::kEnds);
  });
}

}  // namespace

std::string text_of(const Act& act) {
  const std::string key = absl::StrCat("key ", act.key);
  switch (act.kind) {
    case Act::kRequests:
      return "requests " + key;
    case Act::kAcquires:
      return absl::StrCat("acquires ", key,
                          act.number == 0 ? "" : absl::StrCat(" with token ", act.number));
    case Act::kIsRefused:
      return "is refused " + key;
    case Act::kIsToldLost:
      return "is told that the service does not answer, for " + key;
    case Act::kReads:
      return absl::StrCat("reads ", act.number, " under ", key);
    case Act::kReadRefused:
      return "may not read under " + key + ": its token is late";
    case Act::kWrites:
      return absl::StrCat("writes ", act.number, " under ", key);
    case Act::kWriteRefused:
      return absl::StrCat("may not write ", act.number, " under ", key, ": its token is late");
    case Act::kOverwrites:
      return absl::StrCat("writes ", act.number, " under ", key, " over what others wrote");
    case Act::kReleases:
      return "releases " + key;
    case Act::kReleased:
      return "has released " + key;
    case Act::kEnds:
      return "ends";
    case Act::kNone:
      break;
  }
  return "does nothing";
}

std::vector<Act> acts_of(const Take& hold) {
  const auto act = [&](Act::Kind kind, std::int64_t at, std::uint64_t number = 0) {
    return Act{.kind = kind,
               .client = hold.thread,
               .key = hold.key,
               .number = number,
               .at_ns = static_cast<std::uint64_t>(at)};
  };
  return {act(Act::kRequests, hold.requested), act(Act::kAcquires, hold.answered, hold.token),
          act(Act::kReleases, hold.unlock_began)};
}

std::vector<TraceStep> trace_of(std::vector<Act> acts, const std::vector<FaultNote>& faults,
                                std::uint32_t client, std::uint32_t key, std::uint64_t began_ns,
                                std::uint64_t failed_ns) {
  std::erase_if(acts, [&](const Act& act) { return act.at_ns > failed_ns; });
  std::stable_sort(acts.begin(), acts.end(),
                   [](const Act& a, const Act& b) { return a.at_ns < b.at_ns; });
  const std::uint64_t since = request_of(acts, client);
  std::vector<TraceStep> own;
  std::vector<TraceStep> others;
  for (const Act& act : acts) {
    if (act.client == client) {
      if (act.at_ns >= since) own.push_back(step_of(act, began_ns));
    } else if (is_of_key(act, key) && shows_a_hold(act) &&
               (act.at_ns >= since || begins_hold_at(acts, act, since))) {
      others.push_back(step_of(act, began_ns));
    }
  }
  if (!own.empty()) own.back().wrong = true;
  if (others.size() > 2 * kKeptAtEachEnd) {
    const std::size_t left_out = others.size() - 2 * kKeptAtEachEnd;
    const auto first = others.begin() + kKeptAtEachEnd;
    first->text += absl::StrCat("; then ", left_out, " such acts of others");
    others.erase(first + 1, first + 1 + static_cast<std::ptrdiff_t>(left_out));
  }
  std::vector<TraceStep> steps = std::move(own);
  steps.insert(steps.end(), others.begin(), others.end());
  for (const FaultNote& fault : faults) {
    if (fault.at_ns > failed_ns) continue;
    steps.push_back(
        {.at = fault.at_ns - began_ns, .thread = kMainThread, .text = fault.text, .act = "fault"});
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const TraceStep& a, const TraceStep& b) { return a.at < b.at; });
  return steps;
}

std::vector<std::string> lines_of(const std::vector<TraceStep>& steps) {
  std::vector<std::string> lines;
  for (const TraceStep& step : steps) {
    const std::string who =
        step.thread == kMainThread ? "fault:" : absl::StrCat("client ", step.thread);
    lines.push_back(absl::StrFormat("%.3f ms, %s %s%s", static_cast<double>(step.at) / 1e6, who,
                                    step.text, step.wrong ? "  <-- here it goes wrong" : ""));
  }
  return lines;
}

}  // namespace lockbench::stress::services
