// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/search/schedule.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/algorithm/container.h>
#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "harness/stress/explore/memory/vector_clock.h"

namespace lockbench::stress::explore {
namespace {

// Limit for the number of decisions in a schedule. It is larger than World::kMostSteps.
constexpr std::uint64_t kMostRepeats = 1'000'000;

constexpr std::string_view kPatient = "p";
constexpr std::string_view kIgnoresRaces = "d";

// The text of a usual schedule without decisions. An empty text means that there is no schedule.
constexpr std::string_view kEmptySchedule = "-";

// What precedes the number of a decision; of a decision without one, the whole text. A switch, so
// that a kind that is added cannot be printed as another one.
constexpr std::string_view text_of(Option::Kind kind) {
  switch (kind) {
    case Option::kRun:
      return "";
    case Option::kFlush:
      return "f";
    case Option::kTime:
      return "t";
    case Option::kSpurious:
      return "s";
    case Option::kRead:
      return "r";
    case Option::kPosition:
      return "w";
    case Option::kArrive:
      return "a";
    case Option::kSettle:
      return "e";
  }
  return "?";
}

constexpr Option::Kind kWithoutNumber[] = {Option::kTime, Option::kSettle};
constexpr Option::Kind kWithPrefix[] = {Option::kFlush, Option::kSpurious, Option::kRead,
                                        Option::kPosition, Option::kArrive};

std::string to_text(const Option& option) {
  const std::string_view text = text_of(option.kind);
  if (absl::c_linear_search(kWithoutNumber, option.kind)) return std::string(text);
  return absl::StrCat(std::string(text), option.thread);
}

template <class Number>
bool read_number(std::string_view text, Number most, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && number <= most;
}

std::optional<Option> option_from(std::string_view text) {
  for (const Option::Kind kind : kWithoutNumber) {
    if (text == text_of(kind)) return Option{.kind = kind};
  }
  Option option;
  for (const Option::Kind kind : kWithPrefix) {
    if (!text.starts_with(text_of(kind))) continue;
    option.kind = kind;
    text.remove_prefix(1);
    break;
  }
  const bool has_age = option.kind == Option::kRead || option.kind == Option::kPosition;
  const auto most = static_cast<std::uint8_t>(has_age ? kMostAges : kMaxThreads - 1);
  if (!read_number(text, most, option.thread)) return std::nullopt;
  return option;
}

// Returns false if the text names no condition, or one that was read before.
bool read_condition(std::string_view text, Conditions& conditions) {
  if (text == kPatient) return !std::exchange(conditions.patient, true);
  if (text == kIgnoresRaces) return std::exchange(conditions.races_end_it, false);
  return false;
}

}  // namespace

std::string to_text(const Schedule& schedule) {
  std::vector<std::string> parts;
  if (schedule.conditions.patient) parts.emplace_back(kPatient);
  if (!schedule.conditions.races_end_it) parts.emplace_back(kIgnoresRaces);
  const std::vector<Option>& decisions = schedule.decisions;
  for (std::size_t i = 0; i < decisions.size();) {
    std::size_t end = i + 1;
    while (end < decisions.size() && decisions[end] == decisions[i]) ++end;
    parts.push_back(to_text(decisions[i]));
    if (end - i > 1) absl::StrAppend(&parts.back(), "*", end - i);
    i = end;
  }
  return parts.empty() ? std::string(kEmptySchedule) : absl::StrJoin(parts, ".");
}

absl::StatusOr<Schedule> schedule_from(std::string_view text) {
  Schedule schedule;
  if (text == kEmptySchedule) return schedule;
  std::vector<Option>& decisions = schedule.decisions;
  std::size_t position = 0;
  while (position < text.size()) {
    const std::size_t end = std::min(text.find('.', position), text.size());
    const std::string_view part = text.substr(position, end - position);
    if (decisions.empty() && read_condition(part, schedule.conditions)) {
      position = end + 1;
      continue;
    }
    const std::size_t star = part.find('*');
    const std::optional<Option> option = option_from(part.substr(0, star));
    std::uint64_t times = 1;
    const bool counted =
        star == std::string_view::npos || read_number(part.substr(star + 1), kMostRepeats, times);
    if (!option || !counted || decisions.size() + times > kMostRepeats) {
      return absl::InvalidArgumentError(
          absl::StrCat("schedule, character ", position, ": `", std::string(part),
                       "` is no decision; such are 1, 1*4, f1, s1, r1, w1, a1, t and e; before "
                       "them may come p and "
                       "d, once each; a schedule of none is -"));
    }
    decisions.insert(decisions.end(), times, *option);
    position = end + 1;
  }
  return schedule;
}

}  // namespace lockbench::stress::explore
