// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/processes/failure_text.h"

#include <cstring>
#include <utility>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/stress/trace/trace_text.h"

namespace lockbench::stress::processes {
namespace {

using absl::StrCat;

std::string process_text(std::uint32_t slot) {
  return slot == kNoSlot ? std::string("nobody any more") : StrCat("process ", slot);
}

Failure meeting(const FailureRecord& c) {
  const std::string both =
      StrCat(process_text(c.slot), " has key ", c.key, " while ", process_text(c.other));
  switch (c.fault) {
    case FailureRecord::kFromStopped:
      return {Oracle::kExclusion, both + ", which was stopped and lives, holds it"};
    case FailureRecord::kWipedOff:
      return {Oracle::kExclusion, c.other == kNoSlot
                                      ? StrCat("somebody came and went while ",
                                               process_text(c.slot), " held key ", c.key)
                                      : StrCat(process_text(c.other), " came in while ",
                                               process_text(c.slot), " held key ", c.key)};
    default:
      return {Oracle::kExclusion, both + " holds it"};
  }
}

Failure stall(const FailureRecord& c) {
  const std::string waits = StrCat(process_text(c.slot), " waits for key ", c.key, " for ever");
  if (c.other == kNoSlot) return {Oracle::kProgress, waits + ", which nobody holds"};
  return {Oracle::kProgress, StrCat(waits, "; the last to hold it was ", process_text(c.other),
                                    c.x != 0 ? ", which was killed" : ", which lives")};
}

Failure end_of_process(const FailureRecord& c) {
  const std::string who =
      c.slot == kNoSlot ? "the process that looked at what was left" : StrCat("process ", c.slot);
  if (c.fault == FailureRecord::kExited) {
    return {Oracle::kCrash, StrCat(who, " ended itself with code ", c.x)};
  }
  const char* const name = sigabbrev_np(static_cast<int>(c.x));
  return {Oracle::kCrash, StrCat(who, " died of SIG", name == nullptr ? "?" : name)};
}

Failure leftover(const FailureRecord& c) {
  switch (c.fault) {
    case FailureRecord::kNotFree:
      return {Oracle::kResidue, StrCat("key ", c.key, " is not free though everybody has gone")};
    case FailureRecord::kDependent:
      return {Oracle::kIndependence, StrCat("while others are held, key ", c.other,
                                            " cannot be had, though each has a lock of its own")};
    default:
      return {Oracle::kProgress, "a call on a lock that nobody uses any more does not return"};
  }
}

}  // namespace

Failure failure_from(const FailureRecord& c) {
  switch (c.fault) {
    case FailureRecord::kTorn:
      return {Oracle::kConservation,
              StrCat("process ", c.slot, " finds half of a number where key ", c.key, " counts")};
    case FailureRecord::kUpdatesLost:
      return {Oracle::kConservation,
              StrCat("of the updates of key ", c.key, ", ", c.x, " were lost")};
    case FailureRecord::kUpdatesMore:
      return {Oracle::kConservation,
              StrCat("key ", c.key, " counts ", c.x, " updates more than were begun")};
    case FailureRecord::kTooEarly:
      return {Oracle::kModel, StrCat("process ", c.slot, " was refused key ", c.key, " after ", c.x,
                                     " us, before its time was over")};
    case FailureRecord::kThrew:
      return {Oracle::kModel,
              StrCat("an exception escaped to process ", c.slot, " from a call for key ", c.key)};
    case FailureRecord::kLate:
      return {Oracle::kProgress, absl::StrFormat("half of the keys whose holder was killed could "
                                                 "be had again after %.0f ms only, or later",
                                                 c.x / 1000.0)};
    case FailureRecord::kStandstill:
      return stall(c);
    case FailureRecord::kDied:
    case FailureRecord::kExited:
      return end_of_process(c);
    case FailureRecord::kNotFree:
    case FailureRecord::kDependent:
    case FailureRecord::kNoReturn:
      return leftover(c);
    default:
      return meeting(c);
  }
}

std::vector<std::string> trace_text_of(const SharedState& state) {
  std::vector<TimedEvent> events;
  for (const ProcessSlot& slot : state.slots) slot.events.append_to(events, get(state.began_ns));
  return to_text(std::move(events), TimeUnit::kNanoseconds, get(state.began_ns), "process");
}

}  // namespace lockbench::stress::processes
