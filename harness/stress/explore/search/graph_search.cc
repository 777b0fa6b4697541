// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/search/graph_search.h"

#include <algorithm>
#include <utility>

namespace lockbench::stress::explore {
namespace {

std::size_t index_of(const Point& point, const Option& option) {
  const auto found = std::find(point.options.begin(), point.options.end(), option);
  return found == point.options.end() ? Strategy::kLeave
                                      : static_cast<std::size_t>(found - point.options.begin());
}

}  // namespace

GraphSearch::GraphSearch() {
  begin();
}

void GraphSearch::begin() {
  graph_.clear();
  made_at_.clear();
  for (VisitedStates& visits : visits_) visits.clear();
  updated_ = {};
  waits_since_.fill(kNotWaiting);
  concludes_ = false;
  is_in_vain_ = false;
  next_stamp_ = 0;
  for (const GraphEvent& event : plan_) {
    next_stamp_ = std::max({next_stamp_, event.stamp + 1, event.store_stamp + 1});
  }
  // By thread: which store counts as added first must not depend on what happened first.
  for (std::uint32_t thread = 0; thread < kMaxThreads; ++thread) {
    for (GraphEvent& event : plan_) {
      if (event.store_is_new && event.name.thread == thread) event.store_stamp = next_stamp_++;
    }
  }
  has_new_stores_ = next_stamp_ != 0;
}

void GraphSearch::next() {
  if (!is_planned()) note_new_stores();
  if (plans_.empty()) {
    exhausted_ = true;
    return;
  }
  plan_ = std::move(plans_.back());
  planned_events_ -= plan_.size();
  plans_.pop_back();
  begin();
}

void GraphSearch::add_plan(Plan plan) {
  planned_events_ += plan.size();
  if (planned_events_ > kMostPlannedEvents) return cannot_follow("it has too many executions");
  plans_.push_back(std::move(plan));
}

void GraphSearch::cannot_follow(const char* what) {
  obstacle_ = what;
}

void GraphSearch::comes_after(std::uint32_t thread, std::uint32_t other) {
  graph_.comes_after(thread, other);
}

// ---- which thread runs

std::size_t GraphSearch::choose(const Point& point) {
  if (concludes_) return 0;
  constexpr std::size_t kNotNow = 1;  // the second option: the stores arrive in their own time
  if (point.options.front().kind == Option::kArrive) return kNotNow;
  if (point.options.back().kind == Option::kSpurious) return choose_spurious(point);
  return choose_thread(point);
}

std::size_t GraphSearch::choose_thread(const Point& point) {
  // The acts of threads before their next access do not depend on the order of these acts.
  for (std::size_t i = 0; i < point.options.size(); ++i) {
    const Option& option = point.options[i];
    if (option.kind == Option::kRun && (point.awake_only >> option.thread & 1) != 0) return i;
  }
  if (is_planned()) {
    const std::uint32_t thread = plan_[graph_.events().size()].name.thread;
    const std::size_t index = index_of(point, {Option::kRun, static_cast<std::uint8_t>(thread)});
    if (index == kLeave) cannot_follow("it does not do the same thing twice");
    return index;
  }
  note_new_stores();
  if (is_in_vain_) return kLeave;
  std::size_t first = kLeave;
  for (std::size_t i = 0; i < point.options.size(); ++i) {
    const Option& option = point.options[i];
    if (option.kind != Option::kRun || waits_since_[option.thread] != kNotWaiting) continue;
    if (first == kLeave || option.thread < point.options[first].thread) first = i;
  }
  if (first != kLeave) return first;
  if (!only_waits()) return kLeave;
  // The world finds out for itself that no thread can ever go on.
  concludes_ = true;
  return 0;
}

bool GraphSearch::was_spurious(std::uint32_t thread) const {
  for (std::uint32_t i = waits_since_[thread]; i < graph_.count(thread); ++i) {
    if (graph_.find({thread, i})->is_spurious()) return true;
  }
  return false;
}

// True if each thread that reads in a loop has read the newest stores, and so will wait for ever.
// Otherwise it goes on in another execution.
bool GraphSearch::only_waits() const {
  return std::all_of(graph_.events().begin(), graph_.events().end(), [&](const GraphEvent& event) {
    const bool in_loop = event.name.index >= waits_since_[event.name.thread];
    return !in_loop || graph_.reads_newest(event);
  });
}

void GraphSearch::about_to_read(std::uint32_t thread, const void* code, std::uint64_t state) {
  if (std::exchange(updated_[thread], false)) changed(thread);
  if (const auto before = visits_[thread].last_visit(code, state)) waits_since_[thread] = *before;
  // Without the round in which it failed or returned spuriously, all goes on in the same way.
  is_in_vain_ |= waits_since_[thread] != kNotWaiting && was_spurious(thread);
  visits_[thread].add(code, state, graph_.count(thread));
}

// ---- which store an access meets

EventName GraphSearch::store_of(const StoreChoice& choice) const {
  const auto found =
      std::lower_bound(made_at_.begin(), made_at_.end(), choice.step,
                       [](const auto& made, std::uint64_t step) { return made.first < step; });
  return found == made_at_.end() || found->first != choice.step ? EventName{} : found->second;
}

void GraphSearch::meet(GraphEvent& event, const NextAccess& next, const StoreChoice& choice,
                       EventName store) {
  event.stores = next.stores || choice.updates;
  if (event.reads) event.read = store;
  if (event.stores) event.stored_after = store;
}

std::size_t GraphSearch::access(const NextAccess& next) {
  if (graph_.events().size() >= kMostEvents) {
    cannot_follow(kDoesNotEnd);
    return kLeave;
  }
  if (std::exchange(updated_[next.thread], false)) changed(next.thread);
  if (next.stores || (next.queues && !next.reads)) changed(next.thread);
  GraphEvent event{.name = {next.thread, graph_.count(next.thread)},
                   .word = next.word,
                   .reads = next.reads,
                   .queues = next.queues};
  if (next.queues) {
    const std::vector<EventName>& queue = graph_.queue_of(next.word);
    event.queued_after = queue.empty() ? EventName{} : queue.back();
  }
  const std::size_t chosen = is_planned() ? meet_as_planned(event, next) : meet_newest(event, next);
  if (chosen == kLeave) return kLeave;
  if (graph_.last_of(next.thread).stores) {
    made_at_.emplace_back(next.step, graph_.last_of(next.thread).name);
    updated_[next.thread] = next.reads;
  }
  return chosen;
}

void GraphSearch::stored_the_same(std::uint32_t thread) {
  graph_.keep_value(thread);
  updated_[thread] = false;
}

std::size_t GraphSearch::meet_as_planned(GraphEvent event, const NextAccess& next) {
  const std::size_t position = graph_.events().size();
  const GraphEvent& planned = plan_[position];
  const bool alike =
      planned.name == event.name && planned.reads == event.reads && planned.queues == event.queues;
  if (!alike || (event.queues && !planned.is_tried && planned.queued_after != event.queued_after)) {
    cannot_follow("it does not do the same thing twice");
    return kLeave;
  }
  event.stamp = planned.stamp;
  event.store_stamp = planned.store_stamp;
  event.store_is_new = planned.store_is_new;
  if (next.choices.empty()) {
    graph_.add(std::move(event));
    return 0;
  }
  const std::optional<EventName> wanted = planned.reads ? planned.read : planned.stored_after;
  std::size_t chosen = kLeave;
  for (std::size_t i = 0; i < next.choices.size() && !next.choices[i].taken; ++i) {
    const EventName store = store_of(next.choices[i]);
    if (wanted && store != *wanted) continue;
    if (chosen == kLeave) {
      chosen = i;
      continue;
    }
    // It was left open which one this meets: the others are other executions.
    Plan other = plan_;
    meet(other[position], next, next.choices[i], store);
    add_plan(std::move(other));
  }
  if (chosen == kLeave) {
    if (!planned.is_tried) cannot_follow("it does not do the same thing twice");
    return kLeave;
  }
  meet(event, next, next.choices[chosen], store_of(next.choices[chosen]));
  graph_.add(std::move(event));
  return chosen;
}

// The execution so far, then this event.
void GraphSearch::add_variant(const GraphEvent& event) {
  Plan plan = graph_.events();
  plan.push_back(event);
  add_plan(std::move(plan));
}

std::size_t GraphSearch::meet_newest(GraphEvent event, const NextAccess& next) {
  event.stamp = event.store_stamp = next_stamp_++;
  if (event.queues) add_revisits_in_queue(event);
  for (std::size_t i = next.choices.size(); i-- > 0;) {
    const StoreChoice& choice = next.choices[i];
    GraphEvent other = event;
    meet(other, next, choice, store_of(choice));
    if (i != 0 && !choice.taken) add_variant(other);
    if (other.stores && (other.reads || i == 0)) add_revisits(other, false);
    if (i == 0) event = other;
  }
  graph_.add(std::move(event));
  return 0;
}

// Other executions in which an earlier read reads the new store. The event is the next one of its
// thread.
void GraphSearch::add_revisits(GraphEvent added, bool in_queue) {
  added.clock = graph_.clock_of_next(added);
  if (!added.reads) added.stored_after.reset();
  revisit_all(added, in_queue);
}

// Other executions in which earlier reads read what the events store that were told to happen
// again.
void GraphSearch::note_new_stores() {
  if (!std::exchange(has_new_stores_, false)) return;
  std::vector<GraphEvent> all;
  for (const GraphEvent& event : graph_.events()) {
    if (event.store_is_new && (event.stores || event.queues)) all.push_back(event);
  }
  graph_.forget_new();
  for (GraphEvent& event : all) {
    event.store_is_new = false;
    --event.clock.at[event.name.thread];  // it does not depend on itself
    revisit_all(event, event.queues);
  }
}

void GraphSearch::revisit_all(const GraphEvent& with_clock, bool in_queue) {
  for (const GraphEvent& reader : graph_.events()) {
    const bool meets = in_queue ? reader.queues : reader.reads;
    if (reader.name == with_clock.name) continue;
    if (!meets || reader.word != with_clock.word || with_clock.depends_on(reader.name)) continue;
    if (auto plan = graph_.revisit(reader, with_clock, in_queue)) add_plan(*std::move(plan));
  }
}

// Other executions in which it comes earlier in the queue: another sleep or wake-up then comes
// after it.
void GraphSearch::add_revisits_in_queue(const GraphEvent& event) {
  const std::vector<EventName> queue = graph_.queue_of(event.word);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    GraphEvent earlier = event;
    earlier.queued_after = i == 0 ? EventName{} : queue[i - 1];
    earlier.read.reset();
    earlier.stores = false;
    add_revisits(earlier, true);
  }
}

// ---- whether an operation fails or returns spuriously

std::size_t GraphSearch::choose_spurious(const Point& point) {
  const std::size_t position = graph_.events().size() - 1;
  const std::vector<bool>& answers = graph_.last_of(point.running).spurious;
  const std::size_t question = answers.size();
  if (position < plan_.size() && question < plan_[position].spurious.size()) {
    const bool answer = plan_[position].spurious[question];
    graph_.answer(point.running, answer);
    return answer ? 1 : 0;
  }
  Plan other = graph_.events();
  other[position].spurious.push_back(true);
  if (position < plan_.size()) {
    other.insert(other.end(), plan_.begin() + static_cast<std::ptrdiff_t>(position) + 1,
                 plan_.end());
  }
  add_plan(std::move(other));
  graph_.answer(point.running, false);
  return 0;
}

}  // namespace lockbench::stress::explore
