// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/proc/testimony.h"

#include <cstring>
#include <utility>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

namespace lockbench::stress::proc {
namespace {

using absl::StrCat;

std::string process_text(std::uint32_t seat) {
  return seat == kNoSeat ? std::string("nobody any more") : StrCat("process ", seat);
}

Finding meeting(const Charge& c) {
  const std::string both =
      StrCat(process_text(c.seat), " has key ", c.key, " while ", process_text(c.other));
  switch (c.fault) {
    case Charge::kFromStopped:
      return {Oracle::kExclusion, both + ", which was stopped and lives, holds it"};
    case Charge::kWipedOff:
      return {Oracle::kExclusion, c.other == kNoSeat
                                      ? StrCat("somebody came and went while ",
                                               process_text(c.seat), " held key ", c.key)
                                      : StrCat(process_text(c.other), " came in while ",
                                               process_text(c.seat), " held key ", c.key)};
    default:
      return {Oracle::kExclusion, both + " holds it"};
  }
}

Finding standstill(const Charge& c) {
  const std::string waits = StrCat(process_text(c.seat), " waits for key ", c.key, " for ever");
  if (c.other == kNoSeat) return {Oracle::kProgress, waits + ", which nobody holds"};
  return {Oracle::kProgress, StrCat(waits, "; the last to hold it was ", process_text(c.other),
                                    c.x != 0 ? ", which was killed" : ", which lives")};
}

Finding end_of_process(const Charge& c) {
  const std::string who =
      c.seat == kNoSeat ? "the process that looked at what was left" : StrCat("process ", c.seat);
  if (c.fault == Charge::kExited) {
    return {Oracle::kCrash, StrCat(who, " ended itself with code ", c.x)};
  }
  const char* const name = sigabbrev_np(static_cast<int>(c.x));
  return {Oracle::kCrash, StrCat(who, " died of SIG", name == nullptr ? "?" : name)};
}

Finding leftover(const Charge& c) {
  switch (c.fault) {
    case Charge::kNotFree:
      return {Oracle::kResidue, StrCat("key ", c.key, " is not free though everybody has gone")};
    case Charge::kDependent:
      return {Oracle::kIndependence, StrCat("while others are held, key ", c.other,
                                            " cannot be had, though each has a lock of its own")};
    default:
      return {Oracle::kProgress, "a call on a lock that nobody uses any more does not return"};
  }
}

}  // namespace

Finding finding_from(const Charge& c) {
  switch (c.fault) {
    case Charge::kTorn:
      return {Oracle::kConservation,
              StrCat("process ", c.seat, " finds half of a number where key ", c.key, " counts")};
    case Charge::kUpdatesLost:
      return {Oracle::kConservation,
              StrCat("of the updates of key ", c.key, ", ", c.x, " were lost")};
    case Charge::kUpdatesMore:
      return {Oracle::kConservation,
              StrCat("key ", c.key, " counts ", c.x, " updates more than were begun")};
    case Charge::kTooEarly:
      return {Oracle::kModel, StrCat("process ", c.seat, " was refused key ", c.key, " after ", c.x,
                                     " us, before its time was over")};
    case Charge::kThrew:
      return {Oracle::kModel,
              StrCat("an exception escaped to process ", c.seat, " from a call for key ", c.key)};
    case Charge::kLate:
      return {Oracle::kProgress, absl::StrFormat("half of the keys whose holder was killed could "
                                                 "be had again after %.0f ms only, or later",
                                                 c.x / 1000.0)};
    case Charge::kStandstill:
      return standstill(c);
    case Charge::kDied:
    case Charge::kExited:
      return end_of_process(c);
    case Charge::kNotFree:
    case Charge::kDependent:
    case Charge::kNoReturn:
      return leftover(c);
    default:
      return meeting(c);
  }
}

std::vector<std::string> story_on(const Board& board) {
  std::vector<Said> said;
  for (std::uint32_t seat = 0; seat < kMostSeats; ++seat) {
    for (const EventWords& event : board.seats[seat].last) {
      if (get(event.ns) < get(board.began_ns)) continue;
      const Deed deed = unpack(get(event.deed));
      said.push_back({get(event.ns), StrCat("process ", seat), deed.what,
                      deed.what == Deed::kEnded ? std::string() : StrCat("key ", deed.key)});
    }
  }
  return story_of(std::move(said), get(board.began_ns));
}

}  // namespace lockbench::stress::proc
