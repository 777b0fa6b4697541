// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/net_event.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>

namespace lockbench {
namespace {

struct Phrase {
  NetEvent::Verb verb;
  const char* text;
  bool has_lock;
};

// The first phrase of a verb is the one that is written.
constexpr Phrase kPhrases[] = {
    {NetEvent::kAcquires, "acquires", true}, {NetEvent::kAcquires, "takes", true},
    {NetEvent::kReleases, "releases", true}, {NetEvent::kReleases, "lets go of", true},
    {NetEvent::kShares, "shares", true},     {NetEvent::kStopsSharing, "stops sharing", true},
    {NetEvent::kClears, "clears", true},     {NetEvent::kDies, "dies", false},
    {NetEvent::kExpires, "expires", false},  {NetEvent::kReads, "reads", false},
    {NetEvent::kWrites, "writes", false},    {NetEvent::kIsRefused, "is refused", false},
};

}  // namespace

std::string text_of(const NetEvent& event) {
  for (const Phrase& phrase : kPhrases) {
    if (phrase.verb != event.verb) continue;
    const std::string text = absl::StrCat("thread ", event.thread, " ", phrase.text);
    return phrase.has_lock ? absl::StrCat(text, " ", event.lock) : text;
  }
  return event.lock;
}

NetEvent parse_event(const std::string& text) {
  const NetEvent other{.lock = text};
  absl::string_view rest = text;
  if (!absl::ConsumePrefix(&rest, "thread ")) return other;
  NetEvent event;
  const std::size_t end = rest.find(' ');
  if (end == absl::string_view::npos || !absl::SimpleAtoi(rest.substr(0, end), &event.thread) ||
      event.thread == 0) {
    return other;
  }
  rest.remove_prefix(end + 1);
  for (const Phrase& phrase : kPhrases) {
    event.verb = phrase.verb;
    if (!phrase.has_lock && rest == phrase.text) return event;
    if (!phrase.has_lock || !absl::ConsumePrefix(&rest, absl::StrCat(phrase.text, " "))) continue;
    event.lock = std::string(rest);
    return event;
  }
  return other;
}

}  // namespace lockbench
