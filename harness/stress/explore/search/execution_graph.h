// SPDX-License-Identifier: Apache-2.0

// ExecutionGraph: one execution as its events and what they met: which store each load read, after
// which store of its word each store comes, after which sleep or wake-up each of these comes.
// Executions that are alike in this are the same to every thread, in whatever order the events of
// different threads happened.
//
// Pure data: it knows neither threads nor memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "harness/stress/explore/memory/vector_clock.h"

namespace lockbench::stress::explore {

// An event by its thread and its number there, the same in each execution that contains it.
struct EventName {
  std::uint32_t thread = kNone;
  std::uint32_t index = 0;

  // No event: the first value of a word, or the beginning of a queue.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  bool is_first() const { return thread == kNone; }
  bool operator==(const EventName&) const = default;
};

struct GraphEvent {
  EventName name;
  // If the search added one event of an execution before another, it has the smaller stamp. It need
  // not have happened first: it may have been told to read a store that was added later. The store
  // of an update, or the position of a sleep or wake-up in its queue, then has a later stamp.
  std::uint32_t stamp = 0;
  std::uint32_t store_stamp = 0;
  const void* word = nullptr;
  bool reads = false;
  bool stores = false;
  bool queues = false;
  // The events that it met. Absent: not decided yet.
  std::optional<EventName> read;          // the store that it read
  std::optional<EventName> stored_after;  // the store before its own; for an update the one it read
  std::optional<EventName> queued_after;
  // It may fail or return spuriously: the answers so far to the questions whether it does.
  std::vector<bool> spurious;
  bool keeps_value = false;  // an update that stores what it read
  // True for an event that is still to happen: the memory model may forbid what it is to meet.
  bool is_tried = false;
  // If it stores or queues: others may meet that in other executions, which were not noted yet.
  bool store_is_new = false;
  // How many events of each thread it depends on, along program order, reads and queues; itself
  // included.
  VectorClock clock;

  bool is_spurious() const {
    for (const bool answer : spurious) {
      if (answer) return true;
    }
    return false;
  }
  bool depends_on(EventName other) const { return clock.at[other.thread] > other.index; }
};

class ExecutionGraph {
 public:
  void clear();

  // In the order in which they happened.
  const std::vector<GraphEvent>& events() const { return events_; }
  const GraphEvent* find(EventName name) const;
  std::uint32_t count(std::uint32_t thread) const { return counts_[thread]; }

  // Adds the next event of its thread, of which `read`, `stored_after` and `queued_after` are
  // decided as far as it has them.
  void add(GraphEvent event);
  // Notes whether the last event of the thread fails or returns spuriously.
  void answer(std::uint32_t thread, bool spurious);
  const GraphEvent& last_of(std::uint32_t thread) const {
    return events_[positions_[thread].back()];
  }
  // The next event of `thread` depends on all of `other` so far.
  void comes_after(std::uint32_t thread, std::uint32_t other);
  // The stores of its events are not new any more.
  void forget_new();

  // On what an event of the thread would depend that came next and met these.
  VectorClock clock_of_next(const GraphEvent& next) const;

  // The sleeps and wake-ups of the word, in order.
  const std::vector<EventName>& queue_of(const void* word) const;
  // True if it would read the same value if it read again now.
  bool reads_newest(const GraphEvent& event) const;
  void keep_value(std::uint32_t thread);  // the last event of the thread did so

  // If `reader` met the new event `added` instead of what it met: the events that the other
  // execution begins with, in an order in which they can happen. Absent if another execution leads
  // there. `added` has the clock that it would have before it happens. `in_queue`: as a sleep or
  // wake-up.
  //
  // Source  M. Kokologiannakis, I. Marmanis, V. Gladstein, V. Vafeiadis, "Truly Stateless, Optimal
  //         Dynamic Partial Order Reduction", 2022: of all executions that could lead there, the
  //         one does in which what is left out had met the newest each.
  std::optional<std::vector<GraphEvent>> revisit(const GraphEvent& reader, const GraphEvent& added,
                                                 bool in_queue) const;

  // Equal for equal graphs.
  std::uint64_t hash() const;

 private:
  struct WordOrder {
    const void* word;
    bool is_queue;
    std::vector<EventName> order;
  };
  const std::vector<EventName>& order_of(const void* word, bool queue) const;
  std::vector<EventName>& order_of(const void* word, bool queue);
  static void insert(std::vector<EventName>& order, EventName event, EventName after);
  void place_stores(std::vector<GraphEvent>& events) const;
  class Kept;

  std::vector<GraphEvent> events_;
  std::array<std::vector<std::uint32_t>, kMaxThreads> positions_;  // in events_, by thread
  std::array<std::uint32_t, kMaxThreads> counts_{};
  std::array<VectorClock, kMaxThreads> clocks_;
  std::vector<WordOrder> orders_;
};

}  // namespace lockbench::stress::explore
