// SPDX-License-Identifier: Apache-2.0

// Formats events as text for users: `2.5 us, thread 1 acquires key 0`. The functions are pure.
//
// TraceStep: one line of the trace that is shown to users after a failure: what a thread did with
// the lock, or how the lock accessed a shared word.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/stress/trace/event.h"

namespace lockbench::stress {

struct TraceStep {
  std::uint64_t at = 0;     // sim: steps; otherwise: nanoseconds since the epoch began
  std::int32_t thread = 0;  // or process; kMainThread: the one that starts and joins the others
  std::string text;         // `acquires key 0`, `changes lock+0: 0 → 1 (acquire)`
  std::string act = {};     // `acquires`, `changes`: the kind of step, for programs that read it
  std::vector<std::uint32_t> keys = {};  // the keys that the act names
  std::string source_line = {};          // in the source: `spin_lock.h:31`; empty if unknown
  bool access = false;                   // the lock accesses a shared word
  bool wrong = false;                    // the failure was detected at this step
  bool decides = false;  // in another order with another such access, nothing fails (deciding.h)
  // Only for an access; empty where a member does not apply:
  std::string word = {};
  std::string was = {};
  std::string now = {};
  std::string order = {};

  bool operator==(const TraceStep&) const = default;
};

inline constexpr std::int32_t kMainThread = -1;

// The events ordered by time. Times are counted from `began`.
std::vector<TraceStep> steps_of(std::vector<TimedEvent> events, std::uint64_t began);
TraceStep step_of(const TimedEvent& event);

// The mark of a step in the text.
inline constexpr char kDecides[] = "<-- decides";

// `step 12, thread 1 acquires key 0`, one line for each; accesses are indented.
std::vector<std::string> to_text(const std::vector<TraceStep>& steps);

// The steps, without repeated polls. A poll is an access that changes no value and is not where it
// goes wrong. It is repeated if its thread has made it before, and only polls since. The text of
// the first one says how often it is repeated, and at which step the last time.
std::vector<TraceStep> with_polls_folded(const std::vector<TraceStep>& steps);

// True if events of that kind name one or two keys.
bool is_of_keys(Event::Kind kind);

// `key 3`, `keys 1 and 2`, `key 3 (lease 1)`.
std::string name_of_keys(const Event& event);

// `acquires key 0`.
std::string text_of_act(const Event& event);

// `thread 1 acquires key 0` if `actor` is `thread`.
std::string to_text(const Event& event, const std::string& actor);

enum class TimeUnit : std::uint8_t { kNanoseconds, kSteps };

// One line for each of the last 60 events, ordered by time. Times are counted from `began`.
std::vector<std::string> to_text(std::vector<TimedEvent> events, TimeUnit unit, std::uint64_t began,
                                 const std::string& actor);

}  // namespace lockbench::stress
