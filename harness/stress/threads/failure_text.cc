// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/failure_text.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <absl/strings/str_cat.h>

#include "harness/stress/oracles/stall.h"
#include "harness/stress/trace/trace_text.h"

namespace lockbench::stress::threads {
namespace {

using absl::StrCat;

ThreadPosition position_from(std::uint32_t thread, const PositionWords& words) {
  ThreadPosition position{.thread = thread, .doing = event_from(get(words.doing))};
  const std::uint64_t holds = std::min<std::uint64_t>(get(words.holds), kHoldsKept);
  for (std::size_t i = 0; i < holds; ++i) position.holds.push_back(event_from(get(words.held[i])));
  return position;
}

std::string thread_text(std::uint32_t number) {
  return number == kNoThreadNumber ? std::string("another thread") : StrCat("thread ", number);
}

// Two that were inside at once.
std::string text_of_meeting(const FailureRecord& c) {
  const std::string both = StrCat(thread_text(c.thread), " has key ", c.key, " while ",
                                  thread_text(c.other), " holds it");
  switch (c.fault) {
    case FailureRecord::kNestBroken:
      return both + ", a part of a nest having been given back";
    case FailureRecord::kNonOwnerUnlocked:
      return both + ", after somebody who did not hold it had unlocked it";
    case FailureRecord::kLeaseTwice:
      return StrCat(thread_text(c.thread), " and ", thread_text(c.other), " both have lease ",
                    c.lease, " of key ", c.key);
    case FailureRecord::kOverwritten:
      return StrCat(thread_text(c.thread), " finds ", c.y, " updates of key ", c.key,
                    " where it had seen ", c.x, " when its hold began");
    case FailureRecord::kUpdatesLost:
      return StrCat("key ", c.key, " was updated ", c.x, " times and counts ", c.y);
    case FailureRecord::kSameUpdate:
      return StrCat(thread_text(c.thread), " and ", thread_text(c.other), " both made update ",
                    c.x + 1, " of key ", c.key);
    case FailureRecord::kOutOfOrder:
      return StrCat(thread_text(c.thread), " had key ", c.key, " for update ", c.x + 1, " before ",
                    thread_text(c.other), ", who made the one before, began to give it back");
    default:
      return both;
  }
}

// A result that was wrong by itself.
std::string text_of_result(const FailureRecord& c) {
  const std::string refused = StrCat(thread_text(c.thread), " was refused key ", c.key);
  switch (c.fault) {
    case FailureRecord::kNoSuchLease:
      return StrCat(thread_text(c.thread), " has lease ", c.lease, " of key ", c.key,
                    ", and there are ", c.x);
    case FailureRecord::kToken:
      return StrCat(thread_text(c.thread), " got token ", c.x, " of key ", c.key, " after token ",
                    c.y);
    case FailureRecord::kTooEarly:
      return StrCat(refused, " after ", c.x, " ns, before its ", c.y, " ns were over");
    case FailureRecord::kRefusedOwner:
      return refused + ", which it holds, of a lock that its owner may take again";
    case FailureRecord::kRefusedAlone:
      return StrCat(refused, ", though fewer than ", c.x, " others were near it during the call");
    case FailureRecord::kThrew:
      return StrCat("an exception escaped from lock() of key ", c.key, " in ",
                    thread_text(c.thread));
    default:
      return refused;
  }
}

std::string text_of_end(const FailureRecord& c) {
  switch (c.fault) {
    case FailureRecord::kKept:
      return StrCat("something is kept for ", c.x, " keys that nobody uses");
    case FailureRecord::kNotFree:
      return StrCat("key ", c.key, " is not free though everybody has gone (", c.x, " of ", c.y,
                    " could be had)");
    case FailureRecord::kNoReturn:
      return "a call on a lock that nobody uses any more does not return";
    case FailureRecord::kUnanswered:
      return StrCat("try_lock() or try_lock_for() of key ", c.key,
                    " does not return while another thread holds it");
    case FailureRecord::kDependent:
      return StrCat("while key ", c.key, " is held, key ", c.other,
                    " cannot be had, though each has a lock of its own");
    case FailureRecord::kDied: {
      const int signal = static_cast<int>(c.x);
      const char* const name = sigabbrev_np(signal);
      return StrCat("the process died of SIG", name == nullptr ? "?" : name,
                    c.thread == kNoThreadNumber ? "" : StrCat(" in thread ", c.thread));
    }
    case FailureRecord::kExited:
      return StrCat("the process ended itself with code ", c.x,
                    "; the standard error says what it met");
    default:
      return "the process as a whole stands still";
  }
}

}  // namespace

Failure failure_in(const SharedState& state, const Abilities& abilities) {
  const FailureRecord& c = state.failure;
  if (c.fault == FailureRecord::kStandstill) {
    std::vector<ThreadPosition> positions;
    for (std::uint32_t i = 0; i < get(state.threads); ++i) {
      positions.push_back(position_from(i, state.stalled[i]));
    }
    StallFacts facts;
    if (get(state.probed) != 0) {
      facts.probe = Probe{.free_keys = get(state.free_keys), .untouched = c.key};
    }
    return explain_stall(positions, abilities, facts);
  }
  if (c.fault <= FailureRecord::kLeaseTwice ||
      (c.fault >= FailureRecord::kOverwritten && c.fault <= FailureRecord::kOutOfOrder)) {
    return {c.oracle, text_of_meeting(c)};
  }
  return {c.oracle, c.fault < FailureRecord::kKept ? text_of_result(c) : text_of_end(c)};
}

std::vector<std::string> trace_text_of(const SharedState& state) {
  std::vector<TimedEvent> events;
  for (std::uint32_t i = 0; i < get(state.threads); ++i) {
    state.slots[i].events.append_to(events, get(state.began_ns));
  }
  return to_text(std::move(events), TimeUnit::kNanoseconds, get(state.began_ns), "thread");
}

}  // namespace lockbench::stress::threads
