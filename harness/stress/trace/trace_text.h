// SPDX-License-Identifier: Apache-2.0

// Formats events as text for users: `2.5 us, thread 1 acquires key 0`. The functions are pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/stress/trace/event.h"

namespace lockbench::stress {

// Whether events of that kind name one or two keys.
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
