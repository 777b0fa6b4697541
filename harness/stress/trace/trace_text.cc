// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/trace/trace_text.h"

#include <algorithm>
#include <map>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/stress/trace/trace_text.h"

namespace lockbench::stress {

namespace {

// One fixed word for each kind. It stays the same if the wording of the texts changes.
const char* name_of(Event::Kind kind) {
  switch (kind) {
    case Event::kNone:
      return "none";
    case Event::kRequest:
      return "request";
    case Event::kAcquire:
      return "acquire";
    case Event::kRefuse:
      return "refuse";
    case Event::kRelease:
      return "release";
    case Event::kReleased:
      return "released";
    case Event::kForeignUnlock:
      return "foreign_unlock";
    case Event::kExpire:
      return "expire";
    case Event::kDie:
      return "die";
    case Event::kEnd:
      break;
  }
  return "end";
}

}  // namespace

TraceStep step_of(const TimedEvent& event) {
  TraceStep step{.at = event.at,
                 .thread = event.event.thread,
                 .text = text_of_act(event.event),
                 .act = name_of(event.event.kind)};
  if (is_of_keys(event.event.kind)) step.keys = event.event.keys();
  return step;
}

std::vector<TraceStep> steps_of(std::vector<TimedEvent> events, std::uint64_t began) {
  std::stable_sort(events.begin(), events.end(),
                   [](const TimedEvent& a, const TimedEvent& b) { return a.at < b.at; });
  std::vector<TraceStep> steps;
  for (TimedEvent& event : events) {
    event.at -= began;
    steps.push_back(step_of(event));
  }
  return steps;
}

std::vector<std::string> to_text(const std::vector<TraceStep>& steps) {
  std::vector<std::string> lines;
  for (const TraceStep& step : steps) {
    const std::string who = step.thread == kMainThread ? std::string("the main thread")
                                                       : absl::StrCat("thread ", step.thread);
    lines.push_back(absl::StrCat("step ", step.at, ", ", who, step.access ? "   " : " ", step.text,
                                 step.source_line.empty() ? "" : "  [" + step.source_line + "]",
                                 step.decides ? absl::StrCat("  ", kDecides) : "",
                                 step.wrong ? "  <-- here it goes wrong" : ""));
  }
  return lines;
}

namespace {

bool is_poll(const TraceStep& step) {
  if (step.wrong || step.decides) return false;  // it stays where it happened
  return step.act == "load" || step.act == "compare" ||
         (step.act == "update" && step.was == step.now);
}

// A poll that stays, and those that are folded into it.
struct Poll {
  std::size_t position;
  std::uint64_t repeated = 0;
  std::uint64_t last = 0;  // the step of the last of them
};

}  // namespace

std::vector<TraceStep> with_polls_folded(const std::vector<TraceStep>& steps) {
  std::vector<TraceStep> folded;
  std::vector<Poll> polls;
  // For each thread, the positions in `polls` of those since it last did something else.
  std::map<std::int32_t, std::vector<std::size_t>> of_thread;
  for (const TraceStep& step : steps) {
    std::vector<std::size_t>& recent = of_thread[step.thread];
    if (!is_poll(step)) {
      recent.clear();
      folded.push_back(step);
      continue;
    }
    const auto same = std::find_if(recent.begin(), recent.end(), [&](std::size_t poll) {
      const TraceStep& first = folded[polls[poll].position];
      return first.text == step.text && first.source_line == step.source_line;
    });
    if (same == recent.end()) {
      recent.push_back(polls.size());
      polls.push_back({folded.size()});
      folded.push_back(step);
      continue;
    }
    ++polls[*same].repeated;
    polls[*same].last = step.at;
  }
  for (const Poll& poll : polls) {
    std::string& text = folded[poll.position].text;
    if (poll.repeated == 1) absl::StrAppend(&text, ", and again at step ", poll.last);
    if (poll.repeated > 1) {
      absl::StrAppend(&text, ", and ", poll.repeated, " more times, the last at step ", poll.last);
    }
  }
  return folded;
}

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
