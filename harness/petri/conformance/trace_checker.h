// SPDX-License-Identifier: Apache-2.0

// TraceChecker: checks whether the net can produce the traces of a lock, and which of the
// net's transitions no trace has taken.
//
// A trace disagrees with the net if
//   - the net cannot do one of its events at that point;
//   - it ends with all threads stuck, although the net could serve one of the waiters;
//   - all threads have left, and a lock is not free, or the lock keeps something for a key whose
//     lock is free and has no entry in the net (a killed thread has left, too);
//   - it ends with an access to something that the lock had already removed.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/petri/conformance/watched_net.h"
#include "harness/petri/net/net.h"
#include "harness/petri/net/replay.h"
#include "harness/stress/trace/event.h"

namespace lockbench::stress {

// Which key belongs to which lock of a net.
struct KeyMap {
  std::vector<std::uint32_t> lock_of;  // by key; keys whose lock is not in the net have no lock
  // The lease determines the lock: there is one key with several leases, and the net names each of
  // them.
  bool by_lease = false;
};

struct Disagreement {
  std::string what;              // one or two sentences
  std::vector<NetEvent> events;  // the trace; it ends with the refused event if there is one
};

// Transitions of the net that an observer would see and that no trace took.
struct Coverage {
  std::vector<std::uint32_t> never_seen;
  // Other transitions look the same to an observer and explained all traces with fewer silent
  // steps.
  std::vector<std::uint32_t> never_needed;
};

class TraceChecker {
 public:
  TraceChecker(const WatchedNet& net, KeyMap keys) : net_(net), keys_(std::move(keys)) {}

  // Checks a trace and counts the transitions that it covers.
  std::optional<Disagreement> look_at(const Trace& trace);

  // For an execution that was not seen completely: `possible` are all traces that it may have
  // had, the most likely one first. There is no disagreement if one of them agrees. Otherwise the
  // disagreement of the first one is returned.
  std::optional<Disagreement> look_at(std::span<const Trace> possible);

  // The trace as events of the net.
  std::vector<NetEvent> events_of(const Trace& trace) const;

  std::uint64_t events() const { return events_; }
  // Number of traces for which the checker could not decide whether the net can produce them,
  // because more markings were possible than it follows.
  std::uint64_t undecided() const { return undecided_; }
  Coverage coverage() const;

 private:
  std::vector<std::uint32_t> locks_of(const std::vector<std::uint32_t>& keys,
                                      std::uint32_t lease) const;
  // Returns what is wrong; empty if nothing is.
  std::string stall_text(const Trace& trace, const std::vector<NetEvent>& events) const;
  std::optional<Disagreement> compare(const Trace& trace, std::vector<NetEvent> events,
                                      const ReplayResult& replayed);
  std::string kept_text(const Trace& trace, const Marking& marking) const;
  std::vector<std::uint32_t> threads_alive_after(const Trace& trace) const;
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
