// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/trace/trace_step.h"

#include <algorithm>

#include <absl/strings/str_cat.h>

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
                                 step.place.empty() ? "" : "  [" + step.place + "]",
                                 step.wrong ? "  <-- here it goes wrong" : ""));
  }
  return lines;
}

}  // namespace lockbench::stress
