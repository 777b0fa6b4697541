// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/search/execution_graph.h"

#include <algorithm>

#include "harness/stress/mix.h"

namespace lockbench::stress::explore {

void ExecutionGraph::clear() {
  events_.clear();
  for (auto& positions : positions_) positions.clear();
  counts_ = {};
  clocks_ = {};
  orders_.clear();
}

const GraphEvent* ExecutionGraph::find(EventName name) const {
  if (name.is_first() || name.index >= positions_[name.thread].size()) return nullptr;
  return &events_[positions_[name.thread][name.index]];
}

const std::vector<EventName>& ExecutionGraph::order_of(const void* word, bool queue) const {
  static const std::vector<EventName> kNobody;
  for (const WordOrder& one : orders_) {
    if (one.word == word && one.is_queue == queue) return one.order;
  }
  return kNobody;
}

std::vector<EventName>& ExecutionGraph::order_of(const void* word, bool queue) {
  for (WordOrder& one : orders_) {
    if (one.word == word && one.is_queue == queue) return one.order;
  }
  return orders_.emplace_back(WordOrder{word, queue, {}}).order;
}

const std::vector<EventName>& ExecutionGraph::queue_of(const void* word) const {
  return order_of(word, true);
}

void ExecutionGraph::insert(std::vector<EventName>& order, EventName event, EventName after) {
  const auto before =
      after.is_first() ? order.begin() : std::next(std::find(order.begin(), order.end(), after));
  order.insert(before, event);
}

VectorClock ExecutionGraph::clock_of_next(const GraphEvent& next) const {
  VectorClock clock = clocks_[next.name.thread];
  const auto join = [&](const std::optional<EventName>& met) {
    const GraphEvent* const event = met ? find(*met) : nullptr;
    if (event != nullptr) clock.join(event->clock);
  };
  if (next.reads) join(next.read);
  if (next.queues) join(next.queued_after);
  return clock;
}

void ExecutionGraph::add(GraphEvent event) {
  const std::uint32_t thread = event.name.thread;
  event.clock = clock_of_next(event);
  event.clock.at[thread] = ++counts_[thread];
  clocks_[thread] = event.clock;
  if (event.stores) insert(order_of(event.word, false), event.name, *event.stored_after);
  if (event.queues) insert(order_of(event.word, true), event.name, *event.queued_after);
  positions_[thread].push_back(static_cast<std::uint32_t>(events_.size()));
  events_.push_back(std::move(event));
}

void ExecutionGraph::answer(std::uint32_t thread, bool spurious) {
  GraphEvent& event = events_[positions_[thread].back()];
  event.spurious.push_back(spurious);
  if (!spurious || !event.stores) return;
  event.stores = false;  // a compare-exchange that failed
  std::erase(order_of(event.word, false), event.name);
}

void ExecutionGraph::comes_after(std::uint32_t thread, std::uint32_t other) {
  clocks_[thread].join(clocks_[other]);
}

bool ExecutionGraph::reads_newest(const GraphEvent& event) const {
  if (!event.reads) return true;
  const std::vector<EventName>& order = order_of(event.word, false);
  const auto newer = event.read->is_first()
                         ? order.begin()
                         : std::find(order.begin(), order.end(), *event.read) + 1;
  return std::all_of(newer, order.end(),
                     [this](EventName store) { return find(store)->keeps_value; });
}

void ExecutionGraph::keep_value(std::uint32_t thread) {
  events_[positions_[thread].back()].keeps_value = true;
}

void ExecutionGraph::forget_new() {
  for (GraphEvent& event : events_) event.store_is_new = false;
}

// The part of this graph that would be there if `reader` met `added`: what the search added before
// the reader read, and what `added` depends on. Of what is left out, what was added last before
// ended with it.
class ExecutionGraph::Kept {
 public:
  Kept(const ExecutionGraph& graph, const GraphEvent& reader, const GraphEvent& added,
       bool in_queue)
      : graph_(graph), added_(added), until_(in_queue ? reader.stamp : read_stamp(reader)) {}

  bool has(const GraphEvent& event) const {
    return event.stamp < until_ || added_.depends_on(event.name);
  }
  // True if it has its store, too, or its position in the queue.
  bool has_store(const GraphEvent& event) const {
    return event.store_stamp < until_ || added_.depends_on(event.name);
  }

  // True if the event met the newest of what is kept or was added before it.
  bool met_newest(const GraphEvent& event) const {
    return met_newest_in_queue(event) && read_newest(event) && stored_newest(event);
  }
  bool read_newest(const GraphEvent& event) const {
    if (event.is_spurious()) return false;
    return !event.reads || is_newest(event, read_stamp(event), *event.read, false);
  }
  bool stored_newest(const GraphEvent& event) const {
    return !event.stores || is_newest_store(event, false);
  }
  bool queued_newest(const GraphEvent& event) const {
    return !event.queues || is_newest_store(event, true);
  }

 private:
  // A thread that goes to sleep takes its position in the queue, and then reads the word.
  static std::uint32_t read_stamp(const GraphEvent& event) {
    return event.queues ? event.store_stamp : event.stamp;
  }

  bool met_newest_in_queue(const GraphEvent& event) const {
    if (!event.queues) return true;
    return is_newest(event, event.stamp, *event.queued_after, true) && queued_newest(event);
  }

  // True if the store of `other` is kept or was added before `stamp`.
  bool is_before(EventName other, std::uint32_t stamp) const {
    if (other.is_first() || added_.depends_on(other)) return true;
    return graph_.find(other)->store_stamp <= stamp;
  }

  bool is_newest(const GraphEvent& event, std::uint32_t stamp, EventName met, bool queue) const {
    if (!is_before(met, stamp)) return false;
    const std::vector<EventName>& order = graph_.order_of(event.word, queue);
    auto after = met.is_first() ? order.begin() : std::find(order.begin(), order.end(), met) + 1;
    return std::none_of(after, order.end(), [&](EventName other) {
      return other != event.name && is_before(other, stamp);
    });
  }

  bool is_newest_store(const GraphEvent& event, bool queue) const {
    if (event.store_stamp > added_.store_stamp) return true;  // it is added later
    if (!is_newest(event, event.store_stamp, event.name, queue)) return false;
    return std::none_of(graph_.events().begin(), graph_.events().end(), [&](const GraphEvent& e) {
      const bool met =
          queue ? e.queues && *e.queued_after == event.name : e.reads && *e.read == event.name;
      const std::uint32_t stamp = queue ? e.stamp : read_stamp(e);
      return met && (added_.depends_on(e.name) || stamp <= event.store_stamp);
    });
  }

  const ExecutionGraph& graph_;
  const GraphEvent& added_;
  const std::uint32_t until_;
};

namespace {

// The event as it is to happen again. From then on, what it stores is new.
GraphEvent again(GraphEvent event) {
  event.keeps_value = false;
  event.spurious.clear();
  event.stored_after.reset();
  event.stores = false;
  event.store_is_new = true;
  if (event.queues) event.read.reset();
  return event;
}

// True if both would come directly after the same store or sleep.
bool excludes(const GraphEvent& event, const GraphEvent& added, bool in_queue) {
  if (event.word != added.word) return false;
  if (in_queue) return event.queues && *event.queued_after == *added.queued_after;
  const bool both_update = added.stores && added.reads && event.stores && event.reads;
  return both_update && *event.read == *added.read;
}

}  // namespace

std::optional<std::vector<GraphEvent>> ExecutionGraph::revisit(const GraphEvent& reader,
                                                               const GraphEvent& added,
                                                               bool in_queue) const {
  const Kept kept(*this, reader, added, in_queue);
  const bool newest =
      in_queue ? kept.met_newest(reader) : kept.read_newest(reader) && kept.stored_newest(reader);
  if (!newest) return std::nullopt;
  std::vector<GraphEvent> before, after;  // the reader
  for (const GraphEvent& event : events_) {
    if (event.name == reader.name || event.name == added.name) continue;
    if (!kept.has(event)) {
      if (!kept.met_newest(event)) return std::nullopt;
      continue;
    }
    if (excludes(event, added, in_queue)) return std::nullopt;
    std::vector<GraphEvent>& side = event.depends_on(reader.name) ? after : before;
    if ((!event.stores && !event.queues) || kept.has_store(event)) {
      side.push_back(event);
      continue;
    }
    const bool stored_newest = event.queues ? kept.queued_newest(event) && kept.read_newest(event)
                                            : kept.stored_newest(event) && !event.is_spurious();
    if (!stored_newest) return std::nullopt;
    side.push_back(again(event));
  }
  before.push_back(added);
  before.back().is_tried = true;
  GraphEvent& revisited = before.emplace_back(reader);
  if (in_queue || !reader.queues) revisited = again(reader);
  revisited.spurious.clear();
  revisited.is_tried = true;
  (in_queue ? revisited.queued_after : revisited.read) = added.name;
  before.insert(before.end(), after.begin(), after.end());
  place_stores(before);
  return before;
}

// The store before each store may be left out.
void ExecutionGraph::place_stores(std::vector<GraphEvent>& events) const {
  for (std::size_t i = 0; i < events.size(); ++i) {
    GraphEvent& event = events[i];
    if (!event.stores || event.reads || event.is_tried) continue;
    const std::vector<EventName>& order = order_of(event.word, false);
    const auto happened = [&](EventName name) {
      return std::any_of(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(i),
                         [&](const GraphEvent& one) { return one.name == name; });
    };
    const auto own = std::find(order.begin(), order.end(), event.name);
    const auto last = std::find_if(std::make_reverse_iterator(own), order.rend(), happened);
    event.stored_after = last == order.rend() ? EventName{} : *last;
  }
}

std::uint64_t ExecutionGraph::hash() const {
  const auto of = [](EventName name) { return mix(std::uint64_t{name.thread} << 32 | name.index); };
  std::uint64_t sum = 0;
  for (const GraphEvent& event : events_) {
    std::uint64_t own = of(event.name);
    if (event.reads) own = mix(own ^ of(*event.read));
    for (const bool answer : event.spurious) own = mix(own + (answer ? 2 : 1));
    sum += own;
  }
  for (const WordOrder& one : orders_) {
    for (std::size_t i = 1; i < one.order.size(); ++i) {
      sum += mix(of(one.order[i - 1]) * 3 + of(one.order[i]) + (one.is_queue ? 1 : 0));
    }
  }
  return sum;
}

}  // namespace lockbench::stress::explore
