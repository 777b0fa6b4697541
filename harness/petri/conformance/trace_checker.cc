// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/conformance/trace_checker.h"

#include <algorithm>
#include <numeric>

#include "harness/petri/net/replay.h"
#include "harness/petri/net/search_report.h"

namespace lockbench::stress {
namespace {

constexpr char kStalledCode[] = "the code stalls where its model can continue";
const std::string kDifferentStates = "the code and its model end in different states: ";

}  // namespace

std::vector<std::uint32_t> TraceChecker::locks_of(const std::vector<std::uint32_t>& keys,
                                                  std::uint32_t lease) const {
  if (keys_.by_lease) return {lease};
  std::vector<std::uint32_t> locks;
  for (const std::uint32_t key : keys) locks.push_back(keys_.lock_of[key]);
  return locks;
}

std::vector<NetEvent> TraceChecker::events_of(const Trace& trace) const {
  std::vector<NetEvent> events;
  for (const Event& event : trace.events) {
    if (event.kind == Event::kDie) {
      events.push_back(WatchedNet::dies(event.thread));
      continue;
    }
    std::vector<std::uint32_t> locks =
        net_.in_order(event.thread, locks_of(event.keys(), event.lease));
    if (event.kind == Event::kRelease) std::reverse(locks.begin(), locks.end());
    for (const std::uint32_t lock : locks) {
      events.push_back(event.kind == Event::kAcquire   ? net_.acquires(event.thread, lock)
                       : event.kind == Event::kRelease ? net_.releases(event.thread, lock)
                                                       : WatchedNet::expires(event.thread));
    }
  }
  return events;
}

std::optional<Disagreement> TraceChecker::look_at(const Trace& trace) {
  return look_at({&trace, 1});
}

std::optional<Disagreement> TraceChecker::look_at(std::span<const Trace> possible) {
  std::optional<Disagreement> first;
  for (const Trace& trace : possible) {
    std::vector<NetEvent> events = events_of(trace);
    const lockbench::ReplayResult replayed = replay(net_.net(), events);
    if (&trace == possible.data()) {
      events_ += events.size();
      taken_.insert(replayed.steps.begin(), replayed.steps.end());
    }
    std::optional<Disagreement> found = compare(trace, std::move(events), replayed);
    if (!found) return std::nullopt;
    if (!first) first = std::move(found);
  }
  return first;
}

std::optional<Disagreement> TraceChecker::compare(const Trace& trace, std::vector<NetEvent> events,
                                                  const ReplayResult& replayed) {
  if (!replayed.conforms) {
    if (!replayed.certain) {
      ++undecided_;
      return std::nullopt;
    }
    const std::string event = text_of(events[replayed.refused]);
    std::string what;
    for (const std::string& line : refusal_text(net_.net(), replayed, event)) {
      what += (what.empty() ? "" : ". ") + line;
    }
    events.resize(replayed.refused + 1);
    return Disagreement{std::move(what), std::move(events)};
  }
  std::string what;
  if (trace.end == Trace::kStuck) what = stall_text(trace, events);
  if (trace.end == Trace::kUsedDeadWord) {
    what = "the code used something that it had removed, which no model has left to use";
  }
  if (what.empty()) what = kept_text(trace, replayed.before);
  if (what.empty()) what = shortage_text(trace, events);
  if (what.empty()) return std::nullopt;
  return Disagreement{what + ". Marking: " + marking_text(net_.net(), replayed.before),
                      std::move(events)};
}

// A thread that waits for several locks may have acquired the first of them. A thread that cannot
// choose its lease may wait for any. The code may stall if in one of these cases the net must stall
// too.
std::string TraceChecker::stall_text(const Trace& trace,
                                     const std::vector<NetEvent>& events) const {
  std::vector<NetEvent> next;
  const std::string possible = could_go_on(trace.waits, events, next);
  return possible.empty() ? ""
                          : std::string(kStalledCode) + ": there '" + possible + "' is possible";
}

// For one waiter after the other, tries each lock that it may wait for and each part of the request
// that it may have acquired already.
std::string TraceChecker::could_go_on(std::span<const Event> undecided,
                                      const std::vector<NetEvent>& events,
                                      std::vector<NetEvent>& next) const {
  if (undecided.empty()) return first_possible(events, next);
  const std::uint32_t thread = undecided.front().thread;
  std::string possible;
  for (const std::vector<std::uint32_t>& locks : choices_of(undecided.front())) {
    std::vector<NetEvent> so_far = events;
    for (const std::uint32_t lock : locks) {
      next.push_back(net_.acquires(thread, lock));
      if (replay(net_.net(), so_far).conforms) {
        possible = could_go_on(undecided.subspan(1), so_far, next);
        if (possible.empty()) return possible;
      }
      so_far.push_back(next.back());
      next.pop_back();
    }
  }
  return possible;
}

std::vector<std::vector<std::uint32_t>> TraceChecker::choices_of(const Event& wait) const {
  if (!keys_.by_lease) return {net_.in_order(wait.thread, locks_of(wait.keys(), 0))};
  std::vector<std::vector<std::uint32_t>> choices;
  for (std::uint32_t lock = 0; lock < net_.locks().size(); ++lock) choices.push_back({lock});
  return choices;
}

// The first event in `next` that the net can do after `events`; empty if there is none.
std::string TraceChecker::first_possible(std::vector<NetEvent> events,
                                         const std::vector<NetEvent>& next) const {
  for (const NetEvent& event : next) {
    events.push_back(event);
    if (replay(net_.net(), events).conforms) return text_of(event);
    events.pop_back();
  }
  return "";
}

std::string TraceChecker::kept_text(const Trace& trace, const Marking& marking) const {
  const std::vector<std::uint32_t>& absences = net_.absences();
  const auto kept = static_cast<std::uint64_t>(
      std::count_if(absences.begin(), absences.end(),
                    [&marking](std::uint32_t place) { return marking[place] == 0; }));
  if (absences.empty() || !trace.keys_kept || *trace.keys_kept == kept) return "";
  return kDifferentStates + ("it keeps something for " + std::to_string(*trace.keys_kept)) +
         " of its keys, the model for " + std::to_string(kept);
}

std::vector<std::uint32_t> TraceChecker::threads_alive_after(const Trace& trace) const {
  std::vector<std::uint32_t> living(net_.threads());
  std::iota(living.begin(), living.end(), 0);
  for (const Event& event : trace.events) {
    if (event.kind == Event::kDie) std::erase(living, event.thread);
  }
  return living;
}

std::string TraceChecker::shortage_text(const Trace& trace, std::vector<NetEvent> events) const {
  if (!trace.shortage || keys_.by_lease) return "";
  const auto [key, free] = *trace.shortage;
  const std::uint32_t lock = keys_.lock_of[key];
  if (lock >= net_.locks().size() || free >= net_.capacity(lock)) return "";
  std::vector<std::uint32_t> living = threads_alive_after(trace);
  if (living.size() <= free) return "";
  living.resize(free + 1);
  for (const std::uint32_t thread : living) events.push_back(net_.acquires(thread, lock));
  if (!replay(net_.net(), events).conforms) return "";
  return kDifferentStates + (std::to_string(free) + " threads can acquire ") + net_.locks()[lock] +
         " at once, in the model " + std::to_string(net_.capacity(lock));
}

Coverage TraceChecker::coverage() const {
  std::set<std::optional<NetEvent>> seen;
  for (const std::uint32_t t : taken_) seen.insert(net_.net().transitions[t].event);
  Coverage coverage;
  for (std::uint32_t t = 0; t < net_.net().transitions.size(); ++t) {
    const std::optional<NetEvent>& event = net_.net().transitions[t].event;
    if (!event || taken_.contains(t)) continue;
    (seen.contains(event) ? coverage.never_needed : coverage.never_seen).push_back(t);
  }
  for (const std::uint32_t t : net_.cleanup_transitions()) {
    if (!taken_.contains(t)) coverage.never_seen.push_back(t);
  }
  return coverage;
}

}  // namespace lockbench::stress
