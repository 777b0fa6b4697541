// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/oracles/stall.h"

#include <algorithm>
#include <functional>

#include <absl/strings/str_cat.h>

#include "harness/stress/trace/trace_text.h"

namespace lockbench::stress {
namespace {

// Which thread waits for which other one. A thread that acquires two keys at once may already have
// one of them: nobody can see that.
class WaitForGraph {
 public:
  WaitForGraph(const std::vector<ThreadPosition>& threads, const Abilities& abilities,
               const StallFacts& facts)
      : threads_(threads), abilities_(abilities), facts_(facts) {}

  using Edge = std::function<bool(std::size_t, std::size_t)>;
  using Cycle = std::vector<std::size_t>;

  // Positions of threads of which each waits for what the next one holds, and the last for the
  // first; empty if there are none. A cycle of two threads or more comes before one thread that
  // waits for itself.
  Cycle cycle() const {
    return cycle_along([&](std::size_t a, std::size_t b) { return holds_what_is_wanted(b, a); });
  }

  // The same, where a thread that acquires two keys may have one of them.
  Cycle possible_cycle() const {
    return cycle_along([&](std::size_t a, std::size_t b) {
      return holds_what_is_wanted(b, a) || may_have_one_of_two(b, a);
    });
  }

 private:
  bool meet(const Event& a, const Event& b) const {
    return !abilities_.lock_per_key || a.names(b.key) || (b.pair && a.names(b.other));
  }

  bool holds_what_is_wanted(std::size_t owner, std::size_t waiter) const {
    const std::vector<Event>& holds = threads_[owner].holds;
    return std::any_of(holds.begin(), holds.end(),
                       [&](const Event& hold) { return meet(hold, threads_[waiter].doing); });
  }

  bool may_have_one_of_two(std::size_t owner, std::size_t waiter) const {
    const Event& doing = threads_[owner].doing;
    return threads_[owner].waits() && doing.pair && meet(doing, threads_[waiter].doing);
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

bool is_free(const Event& wanted, const Probe& probe) {
  const auto free = [&](std::uint16_t key) { return (probe.free_keys >> key & 1) != 0; };
  return free(wanted.key) && (!wanted.pair || free(wanted.other));
}

std::string text_of_all(const std::vector<ThreadPosition>& threads) {
  std::string text;
  for (const ThreadPosition& thread : threads) {
    if (thread.ended()) continue;
    absl::StrAppend(&text, text.empty() ? "" : "; ", to_text(thread));
  }
  return text;
}

Failure closed(const WaitForGraph::Cycle& cycle, const std::vector<ThreadPosition>& threads) {
  std::string text = "threads wait for each other in a cycle:";
  for (const std::size_t i : cycle) absl::StrAppend(&text, " ", to_text(threads[i]), ";");
  absl::StrAppend(&text, " and so back to thread ", threads[cycle.front()].thread);
  return {Oracle::kCycle, std::move(text)};
}

Failure lost(const std::string& why, const std::vector<ThreadPosition>& threads) {
  return {Oracle::kProgress, absl::StrCat(why, ": ", text_of_all(threads))};
}

Failure dependent(const std::vector<ThreadPosition>& threads, const std::string& more) {
  return {Oracle::kIndependence,
          absl::StrCat("a key waits for another key: ", text_of_all(threads), more)};
}

// A thread in a call that must return, however long others hold; null if threads hang in other
// calls, too: then those say more.
const ThreadPosition* only_tries_hang(const std::vector<ThreadPosition>& threads) {
  const ThreadPosition* trying = nullptr;
  for (const ThreadPosition& thread : threads) {
    if (thread.doing.kind == Event::kRelease) return nullptr;
    if (!thread.waits()) continue;
    if (!thread.may_be_refused) return nullptr;
    trying = &thread;
  }
  return trying;
}

Failure unanswered(const ThreadPosition& trying, const std::vector<ThreadPosition>& threads) {
  return {Oracle::kModel,
          absl::StrCat(trying.timed ? "try_lock_for()" : "try_lock()", " of thread ", trying.thread,
                       " never returns", trying.timed ? ", though its timeout is over: " : ": ",
                       text_of_all(threads))};
}

// A thread awaits the end of another one, which waits for a key that the first does not hold.
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

}  // namespace

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
  const WaitForGraph graph(threads, abilities, facts);
  for (const ThreadPosition& thread : threads) {
    if (facts.probe && thread.waits() && is_free(thread.doing, *facts.probe)) {
      return lost(absl::StrCat("thread ", thread.thread, " waits forever for ",
                               name_of_keys(thread.doing), ", which is free"),
                  threads);
    }
  }
  if (const ThreadPosition* const trying = only_tries_hang(threads))
    return unanswered(*trying, threads);
  if (waits_beside_an_awaiter(threads)) return dependent(threads, "");
  if (const auto cycle = graph.cycle(); !cycle.empty()) return closed(cycle, threads);
  for (const ThreadPosition& thread : threads) {
    if (thread.doing.kind != Event::kRelease) continue;
    return lost(absl::StrCat("unlock() of thread ", thread.thread, " never returns"), threads);
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
  return lost("a thread waits forever, and no other thread is in its way", threads);
}

}  // namespace lockbench::stress
