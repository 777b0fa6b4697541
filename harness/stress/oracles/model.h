// SPDX-License-Identifier: Apache-2.0

// Model: each call must return a result that some sequence of the calls, one after the other,
// allows.
#pragma once

#include <algorithm>

#include "harness/stress/oracles/history.h"
#include "harness/stress/oracles/seen.h"

namespace lockbench::stress::oracles {

struct Model {
  static constexpr std::string_view kName = "model";
  static constexpr std::string_view kDescription =
      "A call does what no sequence of calls allows: a part of nested holds, or a thread that does "
      "not hold, releases the key; a try fails though no thread is near; a timeout ends early, "
      "late or never.";

  enum Fault : std::uint8_t {
    kPartReleased,   // `thread` has `key` while `other` does; one released some nested holds
    kForeignUnlock,  // the same, after a thread that did not hold it called unlock()
    kOutOfOrder,     // `thread` made update `x` before `other` released after update `x` - 1
    kRefusedOwner,   // `thread` was refused `key` although it holds it
    kTooEarly,       // `thread` was refused `key` after `x` ns of its timeout of `y` ns
    kTooLate,        // the call of `thread` returned `x` ns after its timeout
    kRefusedAlone,   // `thread` was refused `key`, of which fewer than `x` others had a hold, and
                     // no call of another thread was under way
    kRefusedReader,  // `thread` was refused `key` to read; no other thread but readers that held
                     // the lock used it
    kOwnerDenied,    // `thread` holds `key`; the lock denies that it (x: any thread) does
    kOwnerClaimed,   // the lock says that `thread` (x: any thread) holds `key`; none does
    kNoAnswer,       // try_lock() or try_lock_for() of a held key does not return
  };

  static bool needed(const EngineTraits& engine, const Abilities&) { return engine.one_process; }

  static CheckResult check(const Holders& seen) {
    const std::optional<OtherHolder>& other = seen.excess ? seen.excess : seen.same_lease;
    if (!other || other->circumstance <= OtherHolder::kStopped) return not_evaluated();
    const bool nest = other->circumstance == OtherHolder::kPartReleased;
    return failed({.fault = nest ? kPartReleased : kForeignUnlock,
                   .thread = seen.thread,
                   .other = other->thread,
                   .key = seen.key,
                   .lease = seen.lease});
  }

  static CheckResult check(const Refusal& refusal) {
    FailureFacts failure{
        .thread = refusal.thread, .key = refusal.key, .second_key = refusal.second_key};
    if (refusal.owner) {
      failure.fault = kRefusedOwner;
      return failed(failure);
    }
    // So that no sum overflows, many locks cut long timeouts. Nobody can tell one of weeks from one
    // of an hour.
    constexpr std::int64_t kLongEnoughNs = 3'600'000'000'000;
    if (refusal.timeout_ns && refusal.waited_ns < std::min(*refusal.timeout_ns, kLongEnoughNs)) {
      failure.fault = kTooEarly;
      failure.x = static_cast<std::uint64_t>(refusal.waited_ns);
      failure.y = static_cast<std::uint64_t>(*refusal.timeout_ns);
      return failed(failure);
    }
    if (refusal.in_the_way && !explains_refusal(*refusal.in_the_way, refusal.capacity)) {
      failure.fault = refusal.reads ? kRefusedReader : kRefusedAlone;
      failure.x = refusal.capacity;
      return failed(failure);
    }
    return passed();
  }

  static CheckResult check(const OwnerAnswer& seen) {
    if (seen.holds == seen.answer) return passed();
    return failed({.fault = seen.holds ? kOwnerDenied : kOwnerClaimed,
                   .thread = seen.thread,
                   .key = seen.key,
                   .x = seen.query == OwnerAnswer::kLocked});
  }

  static CheckResult check(const Overdue& answer) {
    // Within this limit, a lock may read the clock as rarely as it likes.
    constexpr std::int64_t kMostNs = 500'000'000;
    if (answer.overdue_ns < kMostNs) return passed();
    return failed({.fault = kTooLate,
                   .thread = answer.thread,
                   .x = static_cast<std::uint64_t>(answer.overdue_ns)});
  }

  static CheckResult check(const History& history) {
    CheckResult result;
    for (const auto& [before, after] : history.holds()) {
      ++result.evaluations;
      if (before->update + 1 != after->update || after->answered >= before->unlock_began) continue;
      result.failure = {.fault = kOutOfOrder,
                        .thread = after->thread,
                        .other = before->thread,
                        .key = after->key,
                        .x = after->update + 1};
      return result;
    }
    for (const Take& take : history.refusals_to_explain()) {
      ++result.evaluations;
      if (explains_refusal(history.in_the_way_of(take), history.rules().capacity)) continue;
      result.failure = {.fault = kRefusedAlone,
                        .thread = take.thread,
                        .key = take.key,
                        .x = history.rules().capacity};
      return result;
    }
    return result;
  }

  // These show that try_lock() does not always fail, and that it returns while another thread
  // holds.
  static CheckResult check(const FreeKey&) { return passed(); }
  static CheckResult check(const TryOfHeldKey&) { return passed(); }
  static CheckResult check(const Hang& hang) {
    if (hang.where != Hang::kTryOfHeldKey) return not_evaluated();
    return failed({.fault = kNoAnswer});
  }

  static const char* query_of(const FailureFacts& f) {
    return f.x != 0 ? "is_locked()" : "is_held_by_this_thread()";
  }

  static std::string text(const FailureFacts& f, const std::string& actor) {
    const std::string thread = name_of_actor(f.thread, actor);
    const std::string other = name_of_actor(f.other, actor);
    const std::string both =
        absl::StrCat(thread, " has key ", f.key, " while ", other, " holds it");
    const std::string refused = absl::StrCat(thread, " was refused ", name_of_keys(f));
    switch (f.fault) {
      case kPartReleased:
        return absl::StrCat(both, ", and one of them has released only a part of its nested holds");
      case kForeignUnlock:
        return absl::StrCat(both, ", after a ", actor, " that did not hold it called unlock()");
      case kOutOfOrder:
        return absl::StrCat(thread, " had key ", f.key, " for update ", f.x, " before ", other,
                            ", which made the update before, began to release it");
      case kRefusedOwner:
        return absl::StrCat(refused,
                            ", which it holds, and the lock promises that its owner may lock it "
                            "again");
      case kOwnerDenied:
        return absl::StrCat(thread, " holds key ", f.key, ", and ", query_of(f), " denies it");
      case kOwnerClaimed:
        return f.x != 0 ? absl::StrCat("no ", actor, " holds key ", f.key, ", and ", query_of(f),
                                       " says that one does")
                        : absl::StrCat(thread, " does not hold key ", f.key, ", and ", query_of(f),
                                       " says that it does");
      case kTooEarly:
        return absl::StrCat(refused, " after ", f.x, " ns, before its timeout of ", f.y, " ns");
      case kTooLate:
        return absl::StrCat(thread, " got its answer ", f.x / 1'000'000, " ms after its timeout",
                            f.thread == kNoThread ? ", and was woken again and again meanwhile"
                                                  : ", and did nothing but wait meanwhile");
      case kRefusedAlone:
        return f.x == 1
                   ? absl::StrCat(refused, ", though no other ", actor, " used it during the call")
                   : absl::StrCat(refused, ", though fewer than ", f.x, " other ", plural_of(actor),
                                  " held it during the call, and none was inside a call");
      case kRefusedReader:
        return absl::StrCat(refused,
                            " to read, though no writer held the lock during the call, and no "
                            "other ",
                            actor, " was inside a call");
      default:
        return absl::StrCat("try_lock() or try_lock_for() of key ", f.key,
                            " does not return while another ", actor, " holds it");
    }
  }
};

}  // namespace lockbench::stress::oracles
