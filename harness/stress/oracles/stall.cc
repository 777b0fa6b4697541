// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/oracles/stall.h"

#include <algorithm>
#include <functional>

#include <absl/strings/str_cat.h>

#include "harness/stress/trace/trace_text.h"

namespace lockbench::stress {
namespace {

bool is_free(std::uint16_t key, const Probe& probe) {
  constexpr std::uint16_t kMostKeys = 64;  // others were not tried
  return key < kMostKeys && (probe.free_keys >> key & 1) != 0;
}

bool is_free(const Event& wanted, const Probe& probe) {
  return is_free(wanted.key, probe) && (!wanted.pair || is_free(wanted.other, probe));
}

// Which thread waits for which other thread. A thread that acquires two keys at once may already
// hold one of them, which no observer can see.
class WaitForGraph {
 public:
  WaitForGraph(const std::vector<ThreadPosition>& threads, const Abilities& abilities,
               const StallFacts& facts)
      : threads_(threads), abilities_(abilities), facts_(facts) {}

  using Edge = std::function<bool(std::size_t, std::size_t)>;
  using Cycle = std::vector<std::size_t>;

  // Positions of threads, each of which waits for something that the next one holds, and the last
  // for the first. Empty if there is no cycle. A cycle of two or more threads is preferred to one
  // thread that waits for itself.
  Cycle cycle() const {
    return cycle_along([&](std::size_t a, std::size_t b) { return holds_what_is_wanted(b, a); });
  }

  bool wanted_key_may_be_held(const ThreadPosition& waiter) const {
    const auto number = static_cast<std::size_t>(&waiter - threads_.data());
    for (std::size_t other = 0; other < threads_.size(); ++other) {
      if (holds_what_is_wanted(other, number) || may_have_one_of_two(other, number)) return true;
    }
    return false;
  }

  // The same as cycle(), with the assumption that a thread that acquires two keys may hold one of
  // them.
  Cycle possible_cycle() const {
    Cycle found = cycle_along([&](std::size_t a, std::size_t b) {
      return holds_what_is_wanted(b, a) || may_have_one_of_two(b, a);
    });
    const bool same_key = found.size() == 2 && want_one_key(found[0], found[1]);
    return same_key ? Cycle() : found;
  }

 private:
  bool is_known_free(std::uint16_t key) const {
    return facts_.probe && is_free(key, *facts_.probe);
  }

  // True if a hold of `held` may be in the way of the request `wanted`.
  bool may_block(const Event& held, const Event& wanted) const {
    if (!abilities_.lock_per_key) return true;
    for (std::size_t i = 0; i < wanted.key_count(); ++i) {
      const std::uint16_t key = wanted.key_at(i);
      if (held.names(key) && !is_known_free(key)) return true;
    }
    return false;
  }

  bool holds_what_is_wanted(std::size_t owner, std::size_t waiter) const {
    const std::vector<Event>& holds = threads_[owner].holds;
    return std::any_of(holds.begin(), holds.end(),
                       [&](const Event& hold) { return may_block(hold, threads_[waiter].doing); });
  }

  // True if `owner`, which acquires two keys, may already hold the one that `waiter` requests.
  // False for a thread and itself: a thread without a visible hold does not wait for itself. False
  // where both keys have one lock: it has them together or not at all.
  bool may_have_one_of_two(std::size_t owner, std::size_t waiter) const {
    const Event& doing = threads_[owner].doing;
    return !abilities_.one_lock && owner != waiter && threads_[owner].waits() && doing.pair &&
           may_block(doing, threads_[waiter].doing);
  }

  // True if two threads hold nothing visible and have at most one requested key in common. One of
  // them may hold that key, but not both.
  bool want_one_key(std::size_t a, std::size_t b) const {
    if (!abilities_.lock_per_key) return false;
    if (!threads_[a].holds.empty() || !threads_[b].holds.empty()) return false;
    const Event& one = threads_[a].doing;
    std::size_t same = 0;
    for (std::size_t i = 0; i < one.key_count(); ++i) {
      same += threads_[b].doing.names(one.key_at(i)) && !is_known_free(one.key_at(i));
    }
    return same < 2;
  }

  bool may_wait_for_itself(std::size_t thread) const {
    if (!facts_.contended) return true;
    if (abilities_.nests_leases && !threads_[thread].holds.empty()) return true;
    const auto others_left = std::count_if(threads_.begin(), threads_.end(),
                                           [](const ThreadPosition& t) { return !t.ended(); });
    return !*facts_.contended && others_left == 1;
  }

  Cycle cycle_along(const Edge& edge) const {
    const auto others = [&](std::size_t a, std::size_t b) { return a != b && edge(a, b); };
    const auto selves = [&](std::size_t a, std::size_t b) {
      return a == b && may_wait_for_itself(a) && edge(a, b);
    };
    Cycle found = first_cycle(others);
    return found.empty() ? first_cycle(selves) : found;
  }

  Cycle first_cycle(const Edge& edge) const {
    for (std::size_t first = 0; first < threads_.size(); ++first) {
      Cycle path;
      std::vector<bool> seen(threads_.size(), false);
      if (leads_back(first, first, edge, seen, path)) return path;
    }
    return {};
  }

  bool leads_back(std::size_t from, std::size_t to, const Edge& edge, std::vector<bool>& seen,
                  Cycle& path) const {
    if (!threads_[from].waits() || seen[from]) return false;
    seen[from] = true;
    path.push_back(from);
    for (std::size_t next = 0; next < threads_.size(); ++next) {
      if (!edge(from, next)) continue;
      if (next == to || leads_back(next, to, edge, seen, path)) return true;
    }
    path.pop_back();
    return false;
  }

  const std::vector<ThreadPosition>& threads_;
  const Abilities& abilities_;
  const StallFacts& facts_;
};

std::string text_of_all(const std::vector<ThreadPosition>& threads) {
  std::string text;
  for (const ThreadPosition& thread : threads) {
    if (thread.ended()) continue;
    absl::StrAppend(&text, text.empty() ? "" : "; ", to_text(thread));
  }
  return text;
}

Failure closed(const WaitForGraph::Cycle& cycle, const std::vector<ThreadPosition>& threads) {
  if (cycle.size() == 1) {
    return {Oracle::kCycle, absl::StrCat("a thread waits for itself: ", text_of_all(threads))};
  }
  std::string text = "threads wait for each other in a cycle:";
  for (const std::size_t i : cycle) absl::StrAppend(&text, " ", to_text(threads[i]), ";");
  absl::StrAppend(&text, " and so back to thread ", threads[cycle.front()].thread);
  return {Oracle::kCycle, std::move(text)};
}

// Adds the positions of the other threads if there are any.
Failure no_progress(const std::string& why, const std::vector<ThreadPosition>& threads) {
  const auto left = std::count_if(threads.begin(), threads.end(),
                                  [](const ThreadPosition& thread) { return !thread.ended(); });
  return {Oracle::kProgress, left == 1 ? why : absl::StrCat(why, ": ", text_of_all(threads))};
}

Failure waits_for_free(const ThreadPosition& waiter, const std::vector<ThreadPosition>& threads) {
  const bool spins = waiter.spins.value_or(false);
  return no_progress(
      absl::StrCat(spins ? "" : "lost wake-up: ", "thread ", waiter.thread,
                   spins ? " spins" : " waits", " forever for ", name_of_keys(waiter.doing),
                   waiter.doing.pair ? ", which are free" : ", which is free"),
      threads);
}

// A thread that requests two keys together, of which one is free and no other thread may hold the
// other; null if there is none.
const ThreadPosition* waits_for_free_half(const std::vector<ThreadPosition>& threads,
                                          const WaitForGraph& graph, const Probe& probe) {
  for (const ThreadPosition& thread : threads) {
    const bool half = thread.doing.pair &&
                      (is_free(thread.doing.key, probe) || is_free(thread.doing.other, probe));
    if (thread.waits() && half && !graph.wanted_key_may_be_held(thread)) return &thread;
  }
  return nullptr;
}

Failure waits_for_half(const ThreadPosition& waiter, const std::vector<ThreadPosition>& threads,
                       const Probe& probe) {
  const std::uint16_t free =
      is_free(waiter.doing.key, probe) ? waiter.doing.key : waiter.doing.other;
  return no_progress(absl::StrCat("lost wake-up: thread ", waiter.thread, " waits forever for ",
                                  name_of_keys(waiter.doing), ", of which key ", free, " is free"),
                     threads);
}

// No thread that was seen is in the way of `waiter`.
Failure waits_for_nobody(const ThreadPosition& waiter, const std::vector<ThreadPosition>& threads,
                         bool is_taken) {
  const char* const what = is_taken ? "lost release: " : "lost wake-up or release: ";
  const char* const why =
      is_taken ? ", which no other thread holds, and which cannot be acquired any more"
               : ", which no other thread holds";
  return no_progress(absl::StrCat(what, "thread ", waiter.thread, " waits forever for ",
                                  name_of_keys(waiter.doing), why),
                     threads);
}

// How many holds there are of the lock of this key.
std::uint32_t holds_of_lock_of(std::uint16_t key, const std::vector<ThreadPosition>& threads,
                               const Abilities& abilities) {
  std::uint32_t number = 0;
  for (const ThreadPosition& thread : threads) {
    for (const Event& hold : thread.holds) {
      number += !abilities.lock_per_key || hold.names(key) ? 1 : 0;
    }
  }
  return number;
}

// A thread that waits for a key of several slots, of which one is not held; null if there is none.
const ThreadPosition* waits_for_free_slot(const std::vector<ThreadPosition>& threads,
                                          const Abilities& abilities) {
  if (abilities.capacity < 2) return nullptr;
  for (const ThreadPosition& thread : threads) {
    if (!thread.waits() || thread.doing.pair) continue;
    if (holds_of_lock_of(thread.doing.key, threads, abilities) < abilities.capacity) return &thread;
  }
  return nullptr;
}

Failure waits_for_slot(const ThreadPosition& waiter, const std::vector<ThreadPosition>& threads,
                       const Abilities& abilities) {
  const std::uint32_t held = holds_of_lock_of(waiter.doing.key, threads, abilities);
  return no_progress(
      absl::StrCat("lost wake-up: thread ", waiter.thread, " waits forever for ",
                   name_of_keys(waiter.doing), ", which ", abilities.capacity,
                   " threads may hold at once, and ", held, held == 1 ? " does" : " do"),
      threads);
}

Failure dependent(const std::vector<ThreadPosition>& threads, const std::string& more) {
  return {Oracle::kIndependence,
          absl::StrCat("a key waits for another key: ", text_of_all(threads), more)};
}

// A thread that waits for a key that no thread ever acquired, where each key has its own lock and
// other keys are held; null if there is none.
const ThreadPosition* waits_for_unused_key(const std::vector<ThreadPosition>& threads,
                                           const Abilities& abilities, const StallFacts& facts) {
  if (!abilities.lock_per_key || !facts.granted_keys) return nullptr;
  const auto holds = [](const ThreadPosition& t) { return !t.holds.empty(); };
  if (std::none_of(threads.begin(), threads.end(), holds)) return nullptr;
  constexpr std::uint16_t kMostKeys = 64;  // others are not known
  for (const ThreadPosition& thread : threads) {
    if (!thread.waits() || thread.doing.pair || thread.doing.key >= kMostKeys) continue;
    if ((*facts.granted_keys >> thread.doing.key & 1) == 0) return &thread;
  }
  return nullptr;
}

// Threads that wait inside of the lock, each for a mutex that the next one holds, and the last for
// one of the first; empty if there is no cycle.
std::vector<std::uint32_t> cycle_of_mutexes(const std::vector<ThreadPosition>& threads) {
  const auto owner_for = [&](std::uint32_t number) -> std::optional<std::uint32_t> {
    const auto found =
        std::find_if(threads.begin(), threads.end(),
                     [=](const ThreadPosition& thread) { return thread.thread == number; });
    return found == threads.end() ? std::nullopt : found->awaits_mutex_of;
  };
  for (const ThreadPosition& first : threads) {
    std::vector<std::uint32_t> path = {first.thread};
    for (auto next = owner_for(first.thread); next; next = owner_for(*next)) {
      if (*next == first.thread) return path;
      if (std::find(path.begin(), path.end(), *next) != path.end()) break;
      path.push_back(*next);
    }
  }
  return {};
}

Failure closed_inside(const std::vector<std::uint32_t>& cycle) {
  if (cycle.size() == 1) {
    return {Oracle::kCycle, absl::StrCat("self-deadlock inside of the lock: thread ", cycle.front(),
                                         " waits for a mutex that it holds itself")};
  }
  std::string text =
      "deadlock inside of the lock: threads wait for each other's mutexes in a cycle:";
  for (const std::uint32_t thread : cycle) absl::StrAppend(&text, " thread ", thread, ",");
  absl::StrAppend(&text, " and so back to thread ", cycle.front());
  return {Oracle::kCycle, std::move(text)};
}

bool awaits_end_of(const ThreadPosition& awaited, const std::vector<ThreadPosition>& threads) {
  return std::any_of(threads.begin(), threads.end(), [&](const ThreadPosition& thread) {
    return thread.awaits_end == awaited.thread;
  });
}

// A thread in a call that must return however long others hold. Null if threads also hang in other
// calls, because those calls give a better explanation; unless another thread waits for the end of
// the one that tries, since then nothing but this call is in the way of the others.
const ThreadPosition* only_tries_hang(const std::vector<ThreadPosition>& threads) {
  const ThreadPosition* trying = nullptr;
  bool others_wait = false;
  for (const ThreadPosition& thread : threads) {
    if (thread.doing.kind == Event::kRelease) return nullptr;
    if (!thread.waits()) continue;
    if (!thread.may_be_refused) {
      others_wait = true;
    } else if (trying == nullptr || awaits_end_of(thread, threads)) {
      trying = &thread;
    }
  }
  if (trying == nullptr || (others_wait && !awaits_end_of(*trying, threads))) return nullptr;
  return trying;
}

// True if a thread waits for the end of another one, and no thread requests a key that such a
// thread holds.
bool waits_beside_an_awaiter(const std::vector<ThreadPosition>& threads) {
  const auto awaits = [](const ThreadPosition& t) { return t.awaits_end.has_value(); };
  if (std::none_of(threads.begin(), threads.end(), awaits)) return false;
  return std::none_of(threads.begin(), threads.end(), [&](const ThreadPosition& awaiter) {
    if (!awaits(awaiter)) return false;
    return std::any_of(threads.begin(), threads.end(), [&](const ThreadPosition& waiter) {
      return waiter.waits() &&
             std::any_of(awaiter.holds.begin(), awaiter.holds.end(),
                         [&](const Event& hold) { return hold.key == waiter.doing.key; });
    });
  });
}

// True if a thread of a lock for readers and writers waits to write, or does.
bool any_writes(const std::vector<ThreadPosition>& threads) {
  return std::any_of(threads.begin(), threads.end(), [](const ThreadPosition& thread) {
    return (thread.waits() && thread.doing.names(kWritersKey)) ||
           std::any_of(thread.holds.begin(), thread.holds.end(),
                       [](const Event& hold) { return hold.names(kWritersKey); });
  });
}

}  // namespace

Failure unanswered(const ThreadPosition& trying, const std::vector<ThreadPosition>& threads) {
  return {Oracle::kModel,
          absl::StrCat(trying.timed ? "try_lock_for()" : "try_lock()", " of thread ", trying.thread,
                       " never returns", trying.timed ? ", though its timeout is over: " : ": ",
                       text_of_all(threads))};
}

std::string to_text(const ThreadPosition& position) {
  std::string text = absl::StrCat("thread ", position.thread);
  if (position.waits()) absl::StrAppend(&text, " waits for ", name_of_keys(position.doing));
  if (position.doing.kind == Event::kRelease) {
    absl::StrAppend(&text, " is releasing ", name_of_keys(position.doing));
  }
  if (position.ended()) absl::StrAppend(&text, " has ended");
  if (position.awaits_end) absl::StrAppend(&text, " awaits thread ", *position.awaits_end);
  for (const Event& hold : position.holds) absl::StrAppend(&text, ", holds ", name_of_keys(hold));
  return text;
}

Failure explain_stall(const std::vector<ThreadPosition>& threads, const Abilities& abilities,
                      const StallFacts& facts) {
  if (const auto cycle = cycle_of_mutexes(threads); !cycle.empty()) return closed_inside(cycle);
  const WaitForGraph graph(threads, abilities, facts);
  for (const ThreadPosition& thread : threads) {
    if (facts.probe && thread.waits() && is_free(thread.doing, *facts.probe)) {
      return waits_for_free(thread, threads);
    }
  }
  if (const ThreadPosition* const trying = only_tries_hang(threads))
    return unanswered(*trying, threads);
  // With a lock with several slots that is one for all keys, a waiter beside an awaiter has no key
  // of its own: it waits for a slot.
  if (const ThreadPosition* const waiter = waits_for_free_slot(threads, abilities)) {
    if (waits_beside_an_awaiter(threads) && !abilities.lock_per_key) {
      return waits_for_slot(*waiter, threads, abilities);
    }
  }
  const bool only_reads = abilities.keys_read && !any_writes(threads);
  if (waits_beside_an_awaiter(threads) && (only_reads || !abilities.keys_read)) {
    if (!abilities.keys_read) return dependent(threads, "");
    return no_progress(
        "a thread waits forever to read, though another reader is inside and no "
        "thread writes (key 0 is the writers')",
        threads);
  }
  if (const auto cycle = graph.cycle(); !cycle.empty()) return closed(cycle, threads);
  for (const ThreadPosition& thread : threads) {
    if (thread.doing.kind != Event::kRelease) continue;
    return no_progress(absl::StrCat("unlock() of thread ", thread.thread, " never returns"),
                       threads);
  }
  if (const auto cycle = graph.possible_cycle(); !cycle.empty()) return closed(cycle, threads);
  const auto holds = [](const ThreadPosition& t) { return !t.holds.empty(); };
  const bool untouched_is_taken =
      facts.probe && (facts.probe->free_keys >> facts.probe->untouched & 1) == 0;
  if (abilities.lock_per_key && untouched_is_taken &&
      std::any_of(threads.begin(), threads.end(), holds)) {
    return dependent(threads, absl::StrCat("; and key ", facts.probe->untouched,
                                           ", which no thread ever used, cannot be acquired"));
  }
  if (facts.probe) {
    const ThreadPosition* const half = waits_for_free_half(threads, graph, *facts.probe);
    if (half != nullptr) return waits_for_half(*half, threads, *facts.probe);
  }
  if (const ThreadPosition* const unused = waits_for_unused_key(threads, abilities, facts)) {
    return dependent(threads, absl::StrCat("; and no thread ever held key ", unused->doing.key));
  }
  const auto waiter = std::find_if(threads.begin(), threads.end(), [&](const ThreadPosition& t) {
    return t.waits() && !graph.wanted_key_may_be_held(t);
  });
  if (waiter != threads.end()) {
    return waits_for_nobody(
        *waiter, threads,
        facts.probe && !waiter->doing.pair && !is_free(waiter->doing.key, *facts.probe));
  }
  if (const ThreadPosition* const blocked = waits_for_free_slot(threads, abilities)) {
    return waits_for_slot(*blocked, threads, abilities);
  }
  return no_progress("a thread waits forever, and no other thread is in its way", threads);
}

}  // namespace lockbench::stress
