// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/real/testimony.h"

#include <cstring>
#include <utility>

#include <absl/strings/str_cat.h>

#include "harness/stress/real/waits_for.h"

namespace lockbench::stress::real {
namespace {

using absl::StrCat;

std::string thread_text(std::uint32_t number) {
  return number == kNoThreadNumber ? std::string("another thread") : StrCat("thread ", number);
}

// Two that were inside at once.
std::string text_of_meeting(const Charge& c) {
  const std::string both = StrCat(thread_text(c.thread), " has key ", c.key, " while ",
                                  thread_text(c.other), " holds it");
  switch (c.fault) {
    case Charge::kNestBroken:
      return both + ", a part of a nest having been given back";
    case Charge::kStrangerHeeded:
      return both + ", after somebody who did not hold it had unlocked it";
    case Charge::kLeaseTwice:
      return StrCat(thread_text(c.thread), " and ", thread_text(c.other), " both have lease ",
                    c.lease, " of key ", c.key);
    case Charge::kOverwritten:
      return StrCat(thread_text(c.thread), " finds ", c.y, " updates of key ", c.key,
                    " where it had seen ", c.x, " when its hold began");
    case Charge::kUpdatesLost:
      return StrCat("key ", c.key, " was updated ", c.x, " times and counts ", c.y);
    case Charge::kSameUpdate:
      return StrCat(thread_text(c.thread), " and ", thread_text(c.other), " both made update ",
                    c.x + 1, " of key ", c.key);
    case Charge::kOutOfOrder:
      return StrCat(thread_text(c.thread), " had key ", c.key, " for update ", c.x + 1, " before ",
                    thread_text(c.other), ", who made the one before, began to give it back");
    default:
      return both;
  }
}

// A result that was wrong by itself.
std::string text_of_result(const Charge& c) {
  const std::string refused = StrCat(thread_text(c.thread), " was refused key ", c.key);
  switch (c.fault) {
    case Charge::kNoSuchLease:
      return StrCat(thread_text(c.thread), " has lease ", c.lease, " of key ", c.key,
                    ", and there are ", c.x);
    case Charge::kToken:
      return StrCat(thread_text(c.thread), " got token ", c.x, " of key ", c.key, " after token ",
                    c.y);
    case Charge::kTooEarly:
      return StrCat(refused, " after ", c.x, " ns, before its ", c.y, " ns were over");
    case Charge::kRefusedOwner:
      return refused + ", which it holds, of a lock that its owner may take again";
    case Charge::kRefusedAlone:
      return StrCat(refused, ", though fewer than ", c.x, " others were near it during the call");
    case Charge::kThrew:
      return StrCat("an exception escaped from lock() of key ", c.key, " in ",
                    thread_text(c.thread));
    default:
      return refused;
  }
}

std::string text_of_end(const Charge& c) {
  switch (c.fault) {
    case Charge::kKept:
      return StrCat("something is kept for ", c.x, " keys that nobody uses");
    case Charge::kNotFree:
      return StrCat("key ", c.key, " is not free though everybody has gone (", c.x, " of ", c.y,
                    " could be had)");
    case Charge::kNoReturn:
      return "a call on a lock that nobody uses any more does not return";
    case Charge::kDependent:
      return StrCat("while key ", c.key, " is held, key ", c.other,
                    " cannot be had, though each has a lock of its own");
    case Charge::kDied: {
      const int signal = static_cast<int>(c.x);
      const char* const name = sigabbrev_np(signal);
      return StrCat("the process died of SIG", name == nullptr ? "?" : name,
                    c.thread == kNoThreadNumber ? "" : StrCat(" in thread ", c.thread));
    }
    case Charge::kExited:
      return StrCat("the process ended itself with code ", c.x,
                    "; the standard error says what it met");
    default:
      return "the process as a whole stands still";
  }
}

}  // namespace

Finding finding_on(const Board& board, const Abilities& abilities) {
  const Charge& c = board.charge;
  if (c.fault == Charge::kStandstill) {
    std::vector<Standing> standings;
    for (std::uint32_t i = 0; i < get(board.threads); ++i) {
      standings.push_back(standing_from(i, board.stood[i]));
    }
    std::optional<Probe> probe;
    if (get(board.probed) != 0) {
      probe = Probe{.free_keys = get(board.free_keys), .untouched = c.key};
    }
    return judge_standstill(standings, abilities, probe);
  }
  if (c.fault <= Charge::kLeaseTwice ||
      (c.fault >= Charge::kOverwritten && c.fault <= Charge::kOutOfOrder)) {
    return {c.oracle, text_of_meeting(c)};
  }
  return {c.oracle, c.fault < Charge::kKept ? text_of_result(c) : text_of_end(c)};
}

std::vector<std::string> story_on(const Board& board) {
  std::vector<Said> said;
  for (std::uint32_t i = 0; i < get(board.threads); ++i) {
    for (const EventWords& event : board.lines[i].last) {
      if (get(event.ns) < get(board.began_ns)) continue;
      const Deed deed = unpack(get(event.deed));
      said.push_back({get(event.ns), StrCat("thread ", i), deed.what, name_of_keys(deed)});
    }
  }
  return story_of(std::move(said), get(board.began_ns));
}

}  // namespace lockbench::stress::real
