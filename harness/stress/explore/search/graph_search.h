// SPDX-License-Identifier: Apache-2.0

// GraphSearch: explores every execution of a program under c11, each once (if threads sleep, a few
// twice): all interleavings, with any number of preemptions. Executions with the same graph
// (execution_graph.h) count as one.
//
// It always runs the first thread that can go on, and lets each access meet the newest store. For
// each other store that an access could meet, it notes another execution to explore; and when a
// store is made, for each read that happened before and could have read it.
//
// A thread that comes back to the same code in the same state after it has only read waits there:
// what it would do next, it could have done at once if it had read other stores. An update that
// stores the value that it read is only a read in this, and so is a sleep that no thread ended:
// without them, all threads read the same values, and fewer events are ordered.
//
// Guarantees   If obstacle() is empty when it is exhausted, every execution was explored that the
//              memory model allows, with at most four spurious failures. What a thread reads,
//              whether the holds of threads are ordered, and whether threads wait for ever is the
//              same in all interleavings of one graph. What depends on which of two unordered
//              events came first is seen in one interleaving of each graph.
// Not offered  Time: timeouts and clocks. Barriers for all threads, volatile accesses, words that
//              are accessed in several sizes. Plain writes to variables with static storage, of
//              which data races are not seen.
// Complexity   One execution for each graph, and for each one that is tried and forbidden. It
//              stores no states; the executions that are still to be explored are those that branch
//              off from one path, some hundred.
//
//   for (GraphSearch search; !search.exhausted(); search.next()) world.run(program, search);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/stress/explore/search/execution_graph.h"
#include "harness/stress/explore/strategy.h"
#include "harness/stress/explore/world/visited_states.h"

namespace lockbench::stress::explore {

class GraphSearch final : public Strategy, public AccessFollower {
 public:
  GraphSearch();

  AccessFollower* follower() override { return this; }
  std::size_t choose(const Point& point) override;

  bool restless() const override { return !concludes_; }
  std::size_t access(const NextAccess& next) override;
  void about_to_read(std::uint32_t thread, const void* code, std::uint64_t state) override;
  void changed(std::uint32_t thread) override { visits_[thread].clear(); }
  void stored_the_same(std::uint32_t thread) override;
  void comes_after(std::uint32_t thread, std::uint32_t other) override;
  void cannot_follow(const char* what) override;

  // An obstacle: a thread repeats something that is no loop in which it waits.
  static constexpr char kDoesNotEnd[] = "an execution does not end";

  // Call it after each execution. Prepares the next one.
  void next();
  bool exhausted() const { return exhausted_ || !obstacle_.empty(); }

  // Why not all executions are explored; empty if they are.
  const std::string& obstacle() const { return obstacle_; }

  // The graph of the last execution.
  const ExecutionGraph& graph() const { return graph_; }

 private:
  using Plan = std::vector<GraphEvent>;  // how an execution begins

  // A longer execution is mostly one that does not end.
  static constexpr std::size_t kMostEvents = 2000;
  static constexpr std::size_t kMostPlannedEvents = 500'000;  // of all plans, some 200 bytes each

  void begin();
  bool is_planned() const { return graph_.events().size() < plan_.size(); }
  std::size_t choose_thread(const Point& point);
  std::size_t choose_spurious(const Point& point);
  bool was_spurious(std::uint32_t thread) const;
  bool only_waits() const;
  std::size_t meet_as_planned(GraphEvent event, const NextAccess& next);
  std::size_t meet_newest(GraphEvent event, const NextAccess& next);
  void add_revisits(GraphEvent added, bool in_queue);
  void note_new_stores();
  void revisit_all(const GraphEvent& with_clock, bool in_queue);
  void add_revisits_in_queue(const GraphEvent& event);
  void add_plan(Plan plan);
  void add_variant(const GraphEvent& event);
  EventName store_of(const StoreChoice& choice) const;
  static void meet(GraphEvent& event, const NextAccess& next, const StoreChoice& choice,
                   EventName store);

  Plan plan_;
  std::vector<Plan> plans_;         // still to be explored
  std::size_t planned_events_ = 0;  // of these
  ExecutionGraph graph_;
  std::vector<std::pair<std::uint64_t, EventName>> made_at_;  // stores by their steps, ascending
  std::array<VisitedStates, kMaxThreads> visits_;  // since the thread last changed something
  // The last event of the thread is an update, and is not known to have stored what it read.
  std::array<bool, kMaxThreads> updated_{};
  // The first event of the loop in which a thread waits; kNotWaiting: it does not.
  static constexpr std::uint32_t kNotWaiting = ~std::uint32_t{0};
  std::array<std::uint32_t, kMaxThreads> waits_since_;
  std::uint32_t next_stamp_ = 0;
  bool has_new_stores_ = false;
  bool concludes_ = false;
  bool is_in_vain_ = false;  // the execution leads to nothing new
  bool exhausted_ = false;
  std::string obstacle_;
};

}  // namespace lockbench::stress::explore
