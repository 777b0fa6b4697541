// SPDX-License-Identifier: Apache-2.0

// Observation: what a program did with its locks, in nanoseconds and by place. Plain values:
// observation_reader.h makes them of a recording.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/bench/measure/latency_summary.h"
#include "harness/observe/observation/coverage.h"
#include "harness/observe/observation/expression.h"
#include "harness/observe/recorder/recording.h"

namespace lockbench {

// How the acquisitions of a place are distributed over its locks.
struct Popularity {
  std::uint64_t locks = 0;
  // The exponent of Zipf's law that makes the counts most likely, and its standard error. 0 if
  // there is one lock.
  double zipf = 0;
  double zipf_error = 0;
  double hottest_share = 0;
};

// `counts`: the acquisitions of each lock.
Popularity popularity_of(std::vector<std::uint64_t> counts);

// How many locks have nine tenths of the contended acquisitions. `contended`: of each lock.
std::uint64_t hot_locks_of(std::vector<std::uint64_t> contended);

// A location in the program's code, as well as it is known.
struct CodeLocation {
  std::string function;
  std::string file;
  int line = 0;
  std::string module;  // a program's or library's path
  std::uint64_t offset = 0;
};

// `serve() at server.c:120`, or the parts of it that are known.
std::string to_text(const CodeLocation& location);

// Sampled holds that ended on cores of one kind.
struct HoldsOnKind {
  std::string kind;  // `fast` (core_kind_name.h)
  std::uint64_t holds = 0;
  double held_s = 0;  // all of them together
};

struct ObservedPlace {
  std::vector<CodeLocation> callers;  // innermost first, at least one
  // The callers before this one only wrap the lock. 0: all callers together are the place, because
  // the user asked for so many.
  std::size_t wrappers = 0;
  observe::LockKind kind = observe::LockKind::kNone;
  std::uint32_t threads = 0;
  std::uint64_t acquisitions = 0;  // all, shared ones and those of ended locks included
  std::uint64_t shared_acquisitions = 0;
  std::uint64_t contended = 0;
  std::uint64_t failed_tries = 0;
  std::uint64_t condition_waits = 0;
  std::uint64_t recursions = 0;
  Popularity popularity;                 // of the locks that have an entry
  std::uint64_t hot_locks = 0;           // that have nine tenths of the contended acquisitions
  std::vector<std::uint64_t> addresses;  // of its locks; empty if they are many
  std::uint64_t unlisted_locks = 0;      // locks that ended and whose entry was used again
  std::uint64_t unlisted_acquisitions = 0;
  double blocked_s = 0;      // in which at least one thread waited
  LatencySummary wait;       // of each wait
  LatencySummary hold;       // sampled
  LatencySummary think;      // sampled
  double greatest_gain = 0;  // a share of the process's time, 0 to 1

  // Posts of a semaphore or a futex by threads that waited for it, and by others.
  std::uint64_t own_posts = 0;
  std::uint64_t other_posts = 0;

  // The fastest kind first; empty if the machine's cores are of one kind, or if no hold was timed.
  std::vector<HoldsOnKind> holds_on_kinds;

  // `serve() server.c:120`; with its callers, `lock() m.h:8 < serve() server.c:120`.
  std::string name() const;
  // Only the waits of these are known.
  bool is_futex() const {
    return kind == observe::LockKind::kFutex || kind == observe::LockKind::kFutexEvent ||
           kind == observe::LockKind::kFutexUnknown;
  }
};

// A part of the time in which the program was observed.
struct BlockedPeriod {
  double until_s = 0;        // since the program's start
  double blocked_share = 0;  // in which at least one thread waited
};

// Locks of two places were taken in both orders, by different threads, and no other lock was held
// around both.
struct Inversion {
  std::size_t first = 0;  // an index of ObservedProcess::places
  std::size_t second = 0;
  std::uint64_t pairs = 0;  // of locks
};

struct ObservedProcess {
  std::size_t record = 0;  // its index in the recording; a program that it executes has another
  std::uint32_t pid = 0;
  std::uint32_t parent = 0;
  bool forked = false;
  bool stopped = false;  // a restriction of its own ended its record
  std::string program;
  double wall_s = 0;
  double processor_s = 0;  // of all its threads; 0: unknown
  double elsewhere_s = 0;  // in which a thread slept in a call that others may end unseen
  std::uint32_t threads = 0;
  std::uint64_t acquisitions = 0;
  double blocked_s = 0;
  double greatest_gain = 0;      // of all its locks together
  bool processor_bound = false;  // the processors allow less than the waits
  std::uint64_t untracked_holds = 0;
  std::vector<ObservedPlace> places;  // the greatest gain first
  // Waits for what other threads post: these are no locks. The longest blocked time first.
  std::vector<ObservedPlace> events;
  std::vector<Inversion> inversions;
  std::vector<BlockedPeriod> timeline;  // empty if the program ended at once
};

struct Observation {
  std::vector<ObservedProcess> processes;  // that acquired a lock; the greatest gain first
  Coverage coverage;
  // The greatest gain of each of the repeated runs. Empty: there was one.
  std::vector<double> gains;
};

// An upper bound: the time in which a thread waited passes without waits, and the acquisitions cost
// nothing and are all one after the other.
double gain_of(double blocked_s, std::uint64_t acquisitions, double cost_ns, double wall_s);

// The cost of an uncontended acquisition and release on this machine, in ns: the median of several
// measurements.
double uncontended_cost_ns();

// Lowers the greatest gains to what the processors allow: the work that a process did outside of
// its locks takes its processor time, however little it waits. Leaves processes alone whose
// processor time is not known. Pure.
void bound_by_processors(Observation& observation, double processors, double cost_ns);

// Leaves only the places whose text the expression finds. False, and all are left, if it finds
// none: that is no program without locks.
bool keep_places(Observation& observation, const Expression& wanted);

}  // namespace lockbench
