// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/wait_for_graph.h"

#include <algorithm>
#include <functional>

#include <absl/strings/str_cat.h>

namespace lockbench::stress::threads {
namespace {

bool is_pair(const Deed& deed) {
  return deed.kind == Act::kLockBoth && deed.key != deed.other;
}

bool names(const Deed& deed, std::uint16_t key) {
  return deed.key == key || (is_pair(deed) && deed.other == key);
}

class Graph {
 public:
  Graph(const std::vector<ThreadPosition>& threads, const Abilities& abilities)
      : threads_(threads), abilities_(abilities) {}

  using Edge = std::function<bool(std::size_t, std::size_t)>;
  using Circle = std::vector<std::size_t>;

  // Positions of threads of which each waits for what the next has, and the last for the first;
  // empty if there are none. Two threads come before one that waits for itself.
  Circle circle() const {
    return circle_along([&](std::size_t a, std::size_t b) { return has_what_is_wanted(b, a); });
  }

  // The same, where whoever takes two keys at once may have got one of them.
  Circle possible_circle() const {
    return circle_along([&](std::size_t a, std::size_t b) {
      return has_what_is_wanted(b, a) || may_have_one_of_two(b, a);
    });
  }

  bool meet(const Deed& a, const Deed& b) const {
    return !abilities_.lock_per_key || names(a, b.key) || (is_pair(b) && names(a, b.other));
  }

 private:
  bool has_what_is_wanted(std::size_t owner, std::size_t asker) const {
    const std::vector<Deed>& holds = threads_[owner].holds;
    return std::any_of(holds.begin(), holds.end(),
                       [&](const Deed& hold) { return meet(hold, threads_[asker].doing); });
  }

  // Whoever takes two keys at once may have got one of them.
  bool may_have_one_of_two(std::size_t owner, std::size_t asker) const {
    const Deed& doing = threads_[owner].doing;
    return threads_[owner].waits() && is_pair(doing) && meet(doing, threads_[asker].doing);
  }

  Circle circle_along(const Edge& edge) const {
    const auto others = [&](std::size_t a, std::size_t b) { return a != b && edge(a, b); };
    Circle found = first_circle(others);
    return found.empty() ? first_circle(edge) : found;
  }

  Circle first_circle(const Edge& edge) const {
    for (std::size_t first = 0; first < threads_.size(); ++first) {
      Circle path;
      std::vector<bool> seen(threads_.size(), false);
      if (leads_back(first, first, edge, seen, path)) return path;
    }
    return {};
  }

  bool leads_back(std::size_t from, std::size_t to, const Edge& edge, std::vector<bool>& seen,
                  std::vector<std::size_t>& path) const {
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
};

bool is_free(const Deed& wanted, const Probe& probe) {
  const auto free = [&](std::uint16_t key) { return (probe.free_keys >> key & 1) != 0; };
  return free(wanted.key) && (!is_pair(wanted) || free(wanted.other));
}

std::string text_of_all(const std::vector<ThreadPosition>& threads) {
  std::string text;
  for (const ThreadPosition& thread : threads) {
    if (thread.doing.what == Deed::kEnded) continue;
    absl::StrAppend(&text, text.empty() ? "" : "; ", text_of(thread));
  }
  return text;
}

Failure closed(const Graph::Circle& circle, const std::vector<ThreadPosition>& threads) {
  std::string text = "threads wait in a circle:";
  for (const std::size_t i : circle) absl::StrAppend(&text, " ", text_of(threads[i]), ";");
  absl::StrAppend(&text, " and so back to thread ", threads[circle.front()].thread);
  return {Oracle::kCycle, std::move(text)};
}

Failure lost(const std::string& why, const std::vector<ThreadPosition>& threads) {
  return {Oracle::kProgress, absl::StrCat(why, ": ", text_of_all(threads))};
}

}  // namespace

std::string name_of_keys(const Deed& deed) {
  if (is_pair(deed)) return absl::StrCat("keys ", deed.key, " and ", deed.other);
  std::string text = absl::StrCat("key ", deed.key);
  if (deed.what == Deed::kHas && deed.lease != 0)
    absl::StrAppend(&text, " (lease ", deed.lease, ")");
  return text;
}

std::string text_of(const ThreadPosition& standing) {
  std::string text = absl::StrCat("thread ", standing.thread);
  if (standing.waits()) absl::StrAppend(&text, " waits for ", name_of_keys(standing.doing));
  if (standing.doing.what == Deed::kGives) {
    absl::StrAppend(&text, " is giving back ", name_of_keys(standing.doing));
  }
  if (standing.doing.what == Deed::kEnded) absl::StrAppend(&text, " has ended");
  for (const Deed& hold : standing.holds) absl::StrAppend(&text, ", holds ", name_of_keys(hold));
  return text;
}

ThreadPosition position_from(std::uint32_t thread, const PositionWords& words) {
  ThreadPosition standing{.thread = thread, .doing = unpack(get(words.doing))};
  const std::uint64_t holds = std::min<std::uint64_t>(get(words.holds), kHoldsTold);
  for (std::size_t i = 0; i < holds; ++i) standing.holds.push_back(unpack(get(words.held[i])));
  return standing;
}

Failure explain_stall(const std::vector<ThreadPosition>& threads, const Abilities& abilities,
                      std::optional<Probe> probe) {
  const Graph graph(threads, abilities);
  for (const ThreadPosition& thread : threads) {
    if (probe && thread.waits() && is_free(thread.doing, *probe)) {
      return lost(absl::StrCat("thread ", thread.thread, " waits for ever for ",
                               name_of_keys(thread.doing), ", which is free"),
                  threads);
    }
  }
  if (const Graph::Circle circle = graph.circle(); !circle.empty()) {
    return closed(circle, threads);
  }
  for (const ThreadPosition& thread : threads) {
    if (thread.doing.what == Deed::kGives) {
      return lost(absl::StrCat("thread ", thread.thread, " gives back for ever"), threads);
    }
  }
  if (const Graph::Circle circle = graph.possible_circle(); !circle.empty()) {
    return closed(circle, threads);
  }
  const bool waits_for_another_key =
      abilities.lock_per_key && probe && (probe->free_keys >> probe->untouched & 1) == 0 &&
      std::any_of(threads.begin(), threads.end(), [](const auto& t) { return !t.holds.empty(); });
  if (waits_for_another_key) {
    return {Oracle::kIndependence,
            absl::StrCat("a key waits for another key: ", text_of_all(threads), "; and key ",
                         probe->untouched, ", which nobody ever took, cannot be had either")};
  }
  return lost("somebody waits for ever, with nobody in the way", threads);
}

}  // namespace lockbench::stress::threads
