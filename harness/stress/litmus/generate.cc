// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/litmus/generate.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <utility>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include "harness/stress/litmus/demand.h"
#include "harness/stress/litmus/keys.h"
#include "harness/stress/litmus/timeouts.h"
#include "workloads/random.h"

namespace lockbench::stress {
namespace {

// After a waiter has waited for ten milliseconds, a key is handed to it directly
// (internal/wait_queue.h). These sleeps and timeouts lie below and above that limit.
constexpr std::int64_t kTimes[] = {0, 400'000, 4'000'000, 12'000'000};

constexpr std::size_t kMostThreads = 12;  // of the programs here and in the registries

// The size of a program for a lock with these limits. It names no more keys than may be in use at
// once.
ProgramSize sized_for(const LockLimits& limits, ProgramSize size) {
  size.threads = within(size.threads, limits.threads);
  size.keys = std::min(size.keys, most_named_keys(limits));
  return size;
}

// Draws the acts of one thread at random.
class Draw {
 public:
  Draw(const Abilities& abilities, ProgramSize size, Random& random)
      : abilities_(abilities), size_(size), random_(random) {}

  std::vector<Act> thread() {
    for (std::uint32_t i = 0; i < size_.holds; ++i) hold(0, 0);
    return std::move(acts_);
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  // Appends a hold of a random key that is at least `least`, with the holds that are nested in it.
  void hold(std::uint32_t least, int depth) {
    const auto key = least + static_cast<std::uint32_t>(below(size_.keys - least));
    acts_.push_back(taking(key));
    const bool single = !names_two_keys(acts_.back().kind);
    if (below(4) == 0) acts_.push_back({.kind = Act::kSleep, .ns = kTimes[below(4)]});
    if (depth < 2 && single && !size_.awaits && below(3) == 0) nest(key, depth);
    acts_.push_back({.kind = below(8) == 0 ? Act::kUnlockThrowing : Act::kUnlock});
  }

  Act taking(std::uint32_t key) {
    const std::uint64_t what = below(8);
    if (what == 0) return {.kind = Act::kTryLock, .key = key};
    if (what == 1 && abilities_.timed) {
      return {.kind = Act::kTryLockFor, .key = key, .ns = kTimes[below(4)]};
    }
    const bool pairs = abilities_.pairs && !size_.awaits && abilities_.limits.keys_of_thread != 1;
    if (what < 4 && pairs && size_.keys > 1 && !holds_any()) {
      return {.kind = below(4) == 0 ? Act::kTryBoth : Act::kLockBoth,
              .key = key,
              .other = static_cast<std::uint32_t>(below(size_.keys))};
    }
    return {.kind = Act::kLock, .key = key};
  }

  // An acquisition by the holder. One with a timeout counts like any other.
  Act taking_again(std::uint32_t key) {
    const std::uint64_t what = below(8);
    if (what < 2) return {.kind = Act::kTryLock, .key = key};
    if (what == 2 && abilities_.timed) {
      return {.kind = Act::kTryLockFor, .key = key, .ns = kTimes[below(4)]};
    }
    return {.kind = Act::kLock, .key = key};
  }

  void nest(std::uint32_t key, int depth) {
    if (abilities_.reentrant && (!abilities_.nests_keys || below(2) == 0)) {
      const auto limit = static_cast<int>(abilities_.depth);
      if (limit != 0 && depth + 2 > limit) return;
      acts_.push_back(taking_again(key));
      if (depth == 0 && below(3) == 0) nest(key, depth + 1);
      acts_.push_back({.kind = Act::kUnlock});
    } else if (abilities_.nests_leases) {
      acts_.push_back({.kind = Act::kLock, .key = key});
      acts_.push_back({.kind = Act::kUnlock});
    } else if (abilities_.nests_keys && key + 1 < size_.keys && has_room_for(depth + 2)) {
      hold(key + 1, depth + 1);
    }
  }

  bool has_room_for(int keys_of_thread) const {
    const auto limit = static_cast<int>(abilities_.limits.keys_of_thread);
    return limit == 0 || keys_of_thread <= limit;
  }

  bool holds_any() const {
    int open = 0;
    for (const Act& act : acts_) open += acquires(act.kind) ? 1 : releases(act.kind) ? -1 : 0;
    return open > 0;
  }

  const Abilities& abilities_;
  const ProgramSize size_;
  Random& random_;
  std::vector<Act> acts_;
};

// Makes one random thread wait for the end of another one as its last hold, while it holds a key.
// If a key has one holder, the other thread gets other keys instead of this one.
void let_await(const Abilities& abilities, ProgramSize size, Random& random,
               LitmusProgram& program) {
  const std::size_t count = program.threads.size();
  const std::size_t first = random() % count;
  const std::size_t second = (first + 1 + random() % (count - 1)) % count;
  const auto key = static_cast<std::uint32_t>(random() % size.keys);
  std::vector<Act>& acts = program.threads[first];
  if (random() % 2 == 0) acts.clear();
  acts.insert(acts.end(), {{.kind = Act::kLock, .key = key},
                           {.kind = Act::kAwaitEnd, .key = static_cast<std::uint32_t>(second)},
                           {.kind = Act::kUnlock}});
  if (abilities.capacity > 1) return;
  for (Act& act : program.threads[second]) {
    if (acquires(act.kind) && act.key == key) act.key = (key + 1) % size.keys;
  }
}

// A program with as many holders as a key can have, a thread that acquires the key after them and
// then waits for the end of the last thread, and this last thread. A correct lock serves both, even
// if all leases are released before the first of the two has looked for one.
// `holds`: what the holders do. Where they sleep, the two are certain to wait when they release.
std::string forgotten_waiter(std::uint32_t capacity, const char* holds) {
  std::string text;
  for (std::uint32_t i = 0; i < capacity; ++i) absl::StrAppend(&text, holds, " | ");
  return absl::StrCat(text, "L0 A", capacity + 1, " U | L0 U");
}

// The threads of `text`, one of which holds key 0 first, and other threads that hold the other
// slots of the key all the time.
std::string beside_other_holders(std::string text, std::uint32_t capacity) {
  for (std::uint32_t i = 1; i < capacity; ++i) text += " | L0 R30000000 U";
  return text;
}

// More threads than a lock has slots for waiters, if it has few: while one holds the key, all
// others request it.
std::string crowd() {
  constexpr int kWaiters = 10;
  std::string text = "L0 R4000000 U";
  for (int i = 0; i < kWaiters; ++i) text += " | L0 U";
  return text;
}

// As many holders as a key can have, each of which waits for the end of one more thread, and this
// thread, which is refused twice. A refusal that gives back what it did not get lets the second
// request succeed.
std::string refused_twice(std::uint32_t capacity, const char* request) {
  std::string text;
  for (std::uint32_t i = 0; i < capacity; ++i) absl::StrAppend(&text, "L0 A", capacity, " U | ");
  return absl::StrCat(text, request, " U ", request, " U");
}

// Programs with timeouts that locks compute with wrongly: none, less than none, and those of
// timeouts.h. In the last one, the waiting thread is woken while another holds the key again, long
// before its timeout. Those beside bounds are in one program: it is so long that its order is not
// varied, which shows nothing of a length.
void add_timeouts(std::vector<std::string>& texts) {
  texts.insert(texts.end(), {"L0 A1 U | W0:0 U", "L0 A1 U | W0:-1000000 U"});
  for (const std::chrono::nanoseconds timeout : kTimeoutsOfMoreBits) {
    texts.push_back(absl::StrCat("L0 A1 U | W0:", timeout.count(), " U"));
  }
  for (const std::chrono::nanoseconds timeout : kTimeoutsOfManySeconds) {
    texts.push_back(absl::StrCat("L0 A1 U | W0:", timeout.count(), " U"));
  }
  std::string beside_bounds = "L0 A1 U |";
  for (const std::chrono::nanoseconds timeout : kTimeoutsBesideBounds) {
    absl::StrAppend(&beside_bounds, " W0:", timeout.count(), " U");
  }
  texts.push_back(std::move(beside_bounds));
  texts.push_back("L0 R3000000000 U L0 R3000000000 U | W0:4000000000 U");
}

// A program in which one thread holds all keys of a set that have names of their own.
std::string all_named_keys(std::uint32_t key_set) {
  std::string text = absl::StrCat("K", key_set, " ");
  for (std::uint64_t key = 0; key < kMostNamedKeys; ++key) absl::StrAppend(&text, "L", key, " ");
  for (std::uint64_t key = 0; key < kMostNamedKeys; ++key) absl::StrAppend(&text, "U ");
  return text + "| L0 U";
}

// Programs in which one thread nests 257 holds, or as many as the lock allows. Another thread tries
// to acquire the key after all but one of them are released, or after one is: a count of 8 bits is
// 1 or 0 then.
std::vector<std::string> deep_nests(std::uint32_t limit) {
  constexpr std::uint32_t kDepth = 257;
  const std::uint32_t depth = limit == 0 ? kDepth : std::min(limit, kDepth);
  const auto repeated = [](const char* act, std::uint32_t times) {
    std::string text;
    for (std::uint32_t i = 0; i < times; ++i) text += act;
    return text;
  };
  const std::string nest = repeated("L0 ", depth);
  return {nest + repeated("U ", depth - 1) + "A1 U | T0 U",
          nest + "U A1 " + repeated("U ", depth - 1) + "| T0 U"};
}

// As many readers at once, and a thread that tries to write: if a count of readers overflows, it
// succeeds.
std::string many_readers(int readers) {
  std::string text;
  for (int i = 1; i <= readers; ++i) absl::StrAppend(&text, "L", i, " A", readers, " U | ");
  return text + "T0 U";
}

// Three threads that come one after the other, each when the one before it waits for certain: a
// reader behind a writer, while a reader or a writer is inside; and a writer behind a reader.
void add_readers_in_order(std::vector<std::string>& texts) {
  texts.insert(texts.end(), {"L1 R9000000 U | R1000000 L0 U | R2000000 L2 U",
                             "L0 R9000000 U | R1000000 L0 U | R2000000 L1 U",
                             "L0 R9000000 U | R1000000 L1 U | R2000000 L0 U"});
}

// A thread that waits while another one requests the key once more than the lock lets it pass: by
// `request`, `L0` or `T0`.
std::string passes_above(std::uint32_t limit, const char* request) {
  std::string text = "L0 R4000000 U";
  for (std::uint32_t i = 0; i <= limit; ++i) absl::StrAppend(&text, " ", request, " U");
  return text + " | L0 U";
}

// Threads that only read, and readers that stay inside until another thread has ended. What such a
// reader waits for must come: another reader, though a writer tried, or stopped waiting; or, when
// it has left, a writer, though no other thread leaves after it.
void add_readers(const Abilities& can, std::vector<std::string>& texts) {
  texts.insert(texts.end(), {"L1 A1 U | L2 U", "L1 U | L0 U", "L1 U | L2 U | L0 U",
                             "L1 A2 U | T0 U | L2 U", "L0 U | L1 U | L2 U"});
  // The remains of a change from a writer to a reader, or back, may show in the next hold.
  texts.insert(texts.end(), {"L0 U L0 U | L0 U", "L0 U L1 U | L0 U", "L1 U L0 U | L0 U"});
  for (const int readers : {4, 8}) texts.push_back(many_readers(readers));
  if (can.strong_try) texts.emplace_back("L1 A1 U | T2 U");
  if (can.readers_order != ReadersOrder::kNone) add_readers_in_order(texts);
  if (!can.timed) return;
  texts.insert(texts.end(),
               {"L1 A2 U | W0:400000 U | L2 U", "L1 R4000000 U | W0:400000 U | L2 U | L0 U",
                "L0 R4000000 U | W1:400000 U L1 U", "L1 R4000000 U | W0:400000 U L0 U",
                "L0 R4000000 U | W1:400000 U | L2 U", "L1 U | W0:400000 U | L0 U"});
}

// Threads that neither rest, nor are refused, meet in the lock more often.
void make_hasty(LitmusProgram& program) {
  for (std::vector<Act>& acts : program.threads) {
    std::erase_if(acts, [](const Act& act) { return act.kind == Act::kSleep; });
    for (Act& act : acts) {
      if (act.kind == Act::kTryLock || act.kind == Act::kTryLockFor) act.kind = Act::kLock;
    }
  }
}

}  // namespace

absl::StatusOr<LitmusProgram> program_for(const Abilities& abilities, const std::string& text) {
  absl::StatusOr<LitmusProgram> program = program_from(text, kMostThreads);
  if (!program.ok()) return program;
  const std::string misfit = misfit_of(*program, abilities);
  if (misfit.empty()) return program;
  return absl::InvalidArgumentError(absl::StrCat("program `", text, "`: ", misfit));
}

std::uint32_t most_named_keys(const LockLimits& limits) {
  constexpr std::uint64_t kAny = kHighestKey;
  const std::uint64_t below = limits.keys_below == 0 ? kAny : limits.keys_below - 1;
  return static_cast<std::uint32_t>(std::min(within<std::uint64_t>(kAny, limits.keys), below));
}

bool can_await(const Abilities& abilities) {
  return abilities.lock_per_key || abilities.capacity > 1;
}

LitmusProgram generate_program(const Abilities& abilities, ProgramSize size, std::uint64_t seed) {
  Random random(seed);
  // One key is the writers', and a key of readers has one of them at a time.
  if (abilities.keys_read) size.keys += 2;
  size = sized_for(abilities.limits, size);
  size.awaits = size.awaits && can_await(abilities) && size.threads > 1 &&
                (abilities.capacity > 1 || most_named_keys(abilities.limits) > 1);
  if (size.awaits && abilities.capacity == 1) size.keys = std::max(size.keys, 2U);
  // The order in which handle_both() acquires two keys is the lock's affair. So threads that nest
  // keys in an order of their own may wait for it in a cycle, and no program has both.
  Abilities used = abilities;
  if (used.pairs && used.nests_keys) (random() % 2 == 0 ? used.pairs : used.nests_keys) = false;
  LitmusProgram program;
  for (std::uint32_t i = 0; i < size.threads; ++i) {
    program.threads.push_back(Draw(used, size, random).thread());
  }
  if (size.awaits) let_await(abilities, size, random, program);
  if (abilities.any_key && random() % 3 == 0) {
    program.key_set = kKeySets[random() % std::size(kKeySets)];
    if (!excess_of(program, abilities).empty()) program.key_set = 0;
  }
  return program;
}

LitmusProgram generate_busy_program(const Abilities& abilities, std::uint64_t seed) {
  Random random(seed);
  const ProgramSize size{.threads = random() % 4 == 0 ? 3U : 4U,
                         .keys = random() % 4 == 0 ? 2U : 1U,
                         .holds = 1 + static_cast<std::uint32_t>(random() % 2)};
  LitmusProgram program = generate_program(abilities, size, random());
  if (random() % 4 != 0) make_hasty(program);  // most faults of many rounds need no rests
  program.repeats = 4 + static_cast<std::uint32_t>(random() % 13);
  return program;
}

LitmusProgram generate_long_program(const Abilities& abilities, std::uint64_t seed) {
  constexpr std::uint32_t kRepeats[] = {150, 150, 400, 1200};
  constexpr std::size_t kMostActs = 5000;  // the memory of a simulated lock is not used twice
  constexpr std::uint32_t kSpreads[] = {8, 48, 400};
  Random random(seed);
  const ProgramSize size{.threads = 2 + static_cast<std::uint32_t>(random() % 2),
                         .keys = 1 + static_cast<std::uint32_t>(random() % 3),
                         .holds = 1 + static_cast<std::uint32_t>(random() % 2)};
  LitmusProgram program = generate_program(abilities, size, random());
  std::size_t acts = 0;
  for (const auto& thread : program.threads) acts += thread.size();
  program.repeats = std::min<std::uint32_t>(kRepeats[random() % std::size(kRepeats)],
                                            static_cast<std::uint32_t>(kMostActs / acts));
  if (abilities.any_key && random() % 2 == 0) {
    program.key_set = 0;
    program.spread = kSpreads[random() % std::size(kSpreads)];
    if (!excess_of(program, abilities).empty()) program.spread = 0;
  }
  return program;
}

bool shows_order_of_arrival(const Abilities& can) {
  const std::uint32_t room = can.limits.threads;
  return can.capacity + 2 <= kMostThreads && (room == 0 || room > can.capacity);
}

std::vector<LitmusProgram> programs_for(const Abilities& can,
                                        const std::vector<std::string>& first) {
  std::vector<std::string> texts = first;
  const auto add = [&](bool fits, std::initializer_list<const char*> more) {
    if (fits) texts.insert(texts.end(), more.begin(), more.end());
  };
  add(true, {"L0 U | L0 U", "L0 E | L0 U", "L0 U | T0 U", "L0 U L0 U | L0 U L0 U"});
  if (can.keys_read) add_readers(can, texts);
  add(can.timed, {"L0 R12000000 U | W0:400000 U", "W0:400000 U L0 U | L0 U L0 U"});
  add(can.last_may_destroy, {"X0 | X0", "L0 U X0 | X0", "X0 | X0 | X0"});
  add(can.lock_per_key, {"L0 A1 U | L1 U"});
  add(can.reentrant, {"L0 L0 U U | T0 U", "L0 L0 U U | L0 U", "L0 L0 U L0 U U | L0 T0 U U"});
  // A timed acquisition by the holder counts like any other.
  add(can.reentrant && can.timed && can.capacity == 1,
      {"L0 W0:400000 U A1 U | T0 U", "W0:400000 W0:400000 U A1 U | T0 U"});
  // The last holder is no owner either, at any moment of another thread's acquisition.
  add(can.refuses_non_owners, {"L0 R0 U | F0 T0 U", "L0 U F0 T0 U | L0 R0 U"});
  add(can.nests_leases, {"L0 L0 U U | L0 L0 U U"});
  add(can.nests_keys, {"L0 L1 U U | L0 U L1 U"});
  add(can.pairs, {"B0+0 U | L0 U", "B0+1 U | B1+0 U", "B0+1 U L0 U | L1 U L0 U"});
  // A try of two keys, either of which may be refused, must not keep the other one.
  add(can.pairs && can.capacity == 1, {"L1 A1 U | Q0+1 U", "L0 A1 U | Q0+1 U"});
  // A thread that holds a key waits for the end of one that only tries to acquire it, while a third
  // one may wait for the key.
  add(can.capacity == 1, {"L0 A1 U | T0 U", "L0 A2 U | L0 U | T0 U"});
  add(can.capacity == 1 && can.timed,
      {"L0 A1 U | W0:400000 U", "L0 R2000000000 U | W0:4000000 U", "L0 U W0:400000 U | L0 R0 U",
       "L0 A2 U | L0 U | W0:400000 U"});
  // The remains of a timeout or a stop may show in the next hold of the same thread. A release at
  // the moment of the timeout may wake the one that gives up, and a third thread still waits.
  add(can.capacity == 1 && can.timed,
      {"L0 R4000000 U | W0:400000 U L0 U", "L0 R400000 U | W0:400000 U | L0 U"});
  if (can.capacity == 1 && can.timed) add_timeouts(texts);
  if (can.bypass_limit != 0 && can.bypass_limit <= kMostPassesShown && can.capacity == 1) {
    for (const char* const request : {"L0", "T0"}) {
      texts.push_back(passes_above(can.bypass_limit, request));
    }
  }
  add(true, {"L0 U L1 U | L1 U L0 U", "L0 R12000000 U | L0 U | L0 U"});
  if (can.capacity > 1 && can.capacity + 2 <= kMostThreads) {
    texts.push_back(forgotten_waiter(can.capacity, "L0 U"));
    texts.push_back(forgotten_waiter(can.capacity, "L0 R4000000 U"));
    texts.push_back(refused_twice(can.capacity, "T0"));
  }
  if (can.timed && can.capacity < kMostThreads) {
    texts.push_back(refused_twice(can.capacity, "W0:400000"));
  }
  // A waiter may take the key away from a holder after 0.1, 1 or 10 seconds, a minute or an hour.
  add(can.capacity == 1,
      {"L0 R150000000 U | L0 U", "L0 R1500000000 U | L0 U", "L0 R11000000000 U | L0 U",
       "L0 R100000000000 U | L0 U", "L0 R5000000000000 U | L0 U"});
  for (const std::uint32_t set : kKeySets) {
    if (set == 0 || !can.any_key) continue;
    const std::string keys = absl::StrCat("K", set, " ");
    if (can.lock_per_key) texts.push_back(keys + "L0 A1 U | L1 U");
    if (can.nests_keys) texts.push_back(keys + "L0 L1 U U | L0 U L1 U");
    if (can.pairs) texts.push_back(keys + "B0+1 U | B1+0 U");
  }
  // Any two of these names may be one for a lock that does not compare bytes.
  if (can.nests_keys && can.any_key) {
    texts.push_back(all_named_keys(kNamesOfOneWordSet));
    texts.push_back(all_named_keys(kCollidingKeys));
    texts.push_back(all_named_keys(kSignedKeys));
  }
  // A table may use the highest number as the mark of a free slot.
  if (can.any_key) texts.push_back(absl::StrCat("K", kHighestKeys, " L7 U | L7 U"));
  // A table may keep no more than a few, or some hundred, of its entries.
  add(can.capacity == 1 && can.hold_limit.count() == 0 && can.lock_per_key && can.any_key,
      {"N5 L0 U | L0 U", "N72 L0 U | L0 U", "N1100 L0 U | L0 U"});
  // All keys of a lock with room for few are in use at once.
  constexpr std::uint32_t kManyKeys = 5000;
  const std::uint32_t others = most_other_keys(can);
  if (others != 0 && others < kManyKeys && can.lock_per_key) {
    add((can.any_key || can.limits.keys_below != 0) && can.capacity == 1 &&
            can.hold_limit.count() == 0,
        {absl::StrCat("N", others, " L0 U | L0 U").c_str()});
  }
  // A counter of acquisitions with 7, 8, 15 or 16 bits overflows during these programs.
  add(true, {"C126 L0 U L0 U | L0 U", "C254 L0 U L0 U | L0 U", "C32766 L0 U L0 U | L0 U",
             "C65534 L0 U L0 U | L0 U"});
  // A counter of refusals overflows too. Requires that one thread's hold is enough to refuse
  // another thread.
  add(can.capacity == 1 && can.hold_limit.count() == 0,
      {"D126 L0 U | T0 U T0 U T0 U", "D254 L0 U | T0 U T0 U T0 U"});
  // Refusals may leave memory behind.
  add(can.capacity == 1 && can.hold_limit.count() == 0, {"D8190 L0 U"});
  if (can.reentrant) {
    for (const std::string& text : deep_nests(can.depth)) texts.push_back(text);
    // A count of 10 bits is 0 there, and one of 8 as well.
    constexpr std::uint32_t kDeeper = 1025;
    add(can.hold_limit.count() == 0 && (can.depth == 0 || can.depth >= kDeeper),
        {absl::StrCat("H", kDeeper, " L0 U").c_str()});
  }
  // A thread that requests the key while all others wait is served after them.
  // So is the one that has just released it.
  if (can.fair && shows_order_of_arrival(can)) {
    for (const char* const text :
         {"L0 R9000000 U | R1000000 L0 U | R2000000 L0 U", "L0 R9000000 U L0 U | R1000000 L0 U"}) {
      texts.push_back(beside_other_holders(text, can.capacity));
    }
  }
  add(can.fair && can.capacity == 1 && can.timed,
      {"L0 R9000000 U | R1000000 L0 U | R2000000 W0:20000000 U",
       "L0 R9000000 U | R1000000 W0:20000000 U | R2000000 L0 U"});
  // A thread that polls may give up after some thousands of polls, and take the key.
  add(can.capacity == 1 && can.hold_limit.count() == 0, {"P70000 L0 R12000000 U | L0 U"});
  texts.push_back(crowd());
  std::vector<LitmusProgram> programs;
  for (const std::string& text : texts) programs.push_back(*program_from(text, kMostThreads));
  // Its author's programs stay, which were checked before.
  const auto ours = programs.begin() + static_cast<std::ptrdiff_t>(first.size());
  programs.erase(std::remove_if(ours, programs.end(),
                                [&](const LitmusProgram& program) {
                                  return !excess_of(program, can).empty();
                                }),
                 programs.end());
  return programs;
}

}  // namespace lockbench::stress
