// SPDX-License-Identifier: Apache-2.0

// TraceChecker: whether what a lock was seen to do is something that its net can do; and which of
// the net's transitions it was never seen to take.
//
// A trace disagrees with the net when
//   - an event of it is none that the net can do then;
//   - it ends with all threads stuck, and the net could have served one who waits;
//   - everybody has gone, and a lock is not free, or something is kept for it, that is free and
//     without an entry in the net (who was killed has gone, too);
//   - it ends with the use of something that the lock had already removed.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/petri/net.h"
#include "harness/petri/replay.h"
#include "harness/stress/conformance/watched_net.h"
#include "harness/stress/trace/trace.h"

namespace lockbench::stress {

// How the keys of a lock belong to locks of a net.
struct KeyMap {
  std::vector<std::uint32_t> lock_of;  // by key; a lock that the net does not have: none
  // The lease says which lock it is: one key with several leases, each of which the net names.
  bool by_lease = false;
};

struct Disagreement {
  std::string what;              // one sentence or two
  std::vector<NetEvent> events;  // the trace, to the refused event if there is one
};

// Transitions of the net that somebody would see and that no trace took.
struct Coverage {
  std::vector<std::uint32_t> never_seen;
  // Others look just like these, and explained all that was seen with fewer unseen steps.
  std::vector<std::uint32_t> never_needed;
};

class TraceChecker {
 public:
  TraceChecker(const WatchedNet& net, KeyMap keys) : net_(net), keys_(std::move(keys)) {}

  // Counts what the trace covers.
  std::optional<Disagreement> look_at(const Trace& trace);

  // Where something could not be seen: all that may have happened, the likeliest first. There is no
  // disagreement when one of them agrees; the first one's is told.
  std::optional<Disagreement> look_at(std::span<const Trace> possible);

  // The trace as events of the net, one a line in a trace.
  std::vector<NetEvent> events_of(const Trace& trace) const;

  std::uint64_t events() const { return events_; }
  // Chronicles that may be firing sequences or not: more ways were open than are followed.
  std::uint64_t undecided() const { return undecided_; }
  Coverage coverage() const;

 private:
  std::vector<std::uint32_t> locks_of(const std::vector<std::uint32_t>& keys,
                                      std::uint32_t lease) const;
  // What is wrong; empty: nothing.
  std::string stall_text(const Trace& trace, const std::vector<NetEvent>& events) const;
  std::optional<Disagreement> compare(const Trace& trace, std::vector<NetEvent> events,
                                      const lockbench::Replay& replayed);
  std::string kept_text(const Trace& trace, const Marking& marking) const;
  std::vector<std::uint32_t> living_after(const Trace& trace) const;
  std::string shortage_text(const Trace& trace, std::vector<NetEvent> events) const;

  std::string could_go_on(std::span<const Event> undecided, const std::vector<NetEvent>& events,
                          std::vector<NetEvent>& next) const;
  std::vector<std::vector<std::uint32_t>> choices_of(const Event& wait) const;
  std::string first_possible(std::vector<NetEvent> events, const std::vector<NetEvent>& next) const;

  const WatchedNet& net_;
  const KeyMap keys_;
  std::set<std::uint32_t> taken_;
  std::uint64_t events_ = 0;
  std::uint64_t undecided_ = 0;
};

}  // namespace lockbench::stress
