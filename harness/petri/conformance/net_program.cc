// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/conformance/net_program.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "harness/petri/net/net.h"
#include "harness/petri/net/replay.h"
#include "harness/stress/interpreter.h"
#include "harness/stress/litmus/generate.h"
#include "harness/stress/trace/event.h"

namespace lockbench::stress {
namespace {

// A random walk may take many steps before it returns to its start.
constexpr int kMostSteps = 10'000;

constexpr std::int64_t kTimes[] = {0, 400'000, 1'500'000, 3'000'000};

// A thread acquires `lock`, or releases the lock that it acquired last.
struct Step {
  bool takes = false;
  std::uint32_t lock = 0;
};

// A random walk of one thread through its part of the net.
class Walk {
 public:
  Walk(const WatchedNet& net, std::uint32_t thread, std::mt19937_64& random)
      : net_(net),
        solo_(net.solo(thread)),
        thread_(thread),
        random_(random),
        marking_(initial_marking(solo_)) {}

  std::vector<Step> steps(std::uint32_t rounds) {
    std::size_t whole = 0;  // number of steps in completed rounds
    for (int i = 0; i < kMostSteps && rounds != 0; ++i) {
      const NetTransition* const next = choice();
      if (next == nullptr) break;
      fire(*next, marking_);
      if (!note(next->event) || !held_.empty()) continue;
      whole = steps_.size();
      --rounds;
    }
    steps_.resize(whole);
    return std::move(steps_);
  }

 private:
  const NetTransition* choice() {
    std::vector<const NetTransition*> open;
    for (const NetTransition& transition : solo_.transitions) {
      if (suits(transition)) open.push_back(&transition);
    }
    return open.empty() ? nullptr : open[random_() % open.size()];
  }

  // True if a program can do this: acquire a lock, release the lock that was acquired last, or fire
  // a silent transition after which another transition is enabled.
  bool suits(const NetTransition& transition) const {
    if (!is_enabled(transition, marking_)) return false;
    if (transition.event) {
      const bool lets_go =
          !held_.empty() && transition.event == net_.releases(thread_, held_.back());
      return lets_go || taken_by(*transition.event) != net_.locks().size();
    }
    Marking after = marking_;
    fire(transition, after);
    return std::any_of(solo_.transitions.begin(), solo_.transitions.end(),
                       [&after](const NetTransition& next) { return is_enabled(next, after); });
  }

  // The lock that the event acquires; locks().size() if it acquires none.
  std::size_t taken_by(const NetEvent& event) const {
    if (event.verb != NetEvent::kAcquires) return net_.locks().size();
    return static_cast<std::size_t>(
        std::find(net_.locks().begin(), net_.locks().end(), event.lock) - net_.locks().begin());
  }

  // Returns false for a silent transition.
  bool note(const std::optional<NetEvent>& event) {
    if (!event) return false;
    const std::size_t lock = taken_by(*event);
    const bool takes = lock != net_.locks().size();
    if (takes) {
      held_.push_back(static_cast<std::uint32_t>(lock));
      steps_.push_back({.takes = true, .lock = held_.back()});
    } else {
      held_.pop_back();
      steps_.push_back({.takes = false});
    }
    return true;
  }

  const WatchedNet& net_;
  const Net& solo_;
  const std::uint32_t thread_;
  std::mt19937_64& random_;
  Marking marking_;
  std::vector<std::uint32_t> held_;
  std::vector<Step> steps_;
};

class Writer {
 public:
  Writer(const KeyMap& keys, const Abilities& abilities, std::mt19937_64& random)
      : keys_(keys), abilities_(abilities), random_(random) {}

  std::vector<Act> acts(const std::vector<Step>& steps) {
    std::vector<Act> acts;
    std::size_t depth = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (depth == 0 && abilities_.pairs && is_pair(steps, i) && at_once()) {
        acts.push_back({.kind = Act::kLockBoth,
                        .key = key_of(steps[i].lock),
                        .other = key_of(steps[i + 1].lock)});
        rest(acts);
        acts.push_back({.kind = Act::kUnlock});
        i += 3;
      } else if (steps[i].takes) {
        acts.push_back(taking(steps[i].lock, depth++ == 0));
        rest(acts);
      } else {
        acts.push_back({.kind = random_() % 8 == 0 ? Act::kUnlockThrowing : Act::kUnlock});
        --depth;
      }
    }
    return acts;
  }

 private:
  // True if the thread acquires two different locks, one inside the other, and does nothing else.
  static bool is_pair(const std::vector<Step>& steps, std::size_t i) {
    return i + 3 < steps.size() && steps[i + 1].takes && !steps[i + 2].takes &&
           !steps[i + 3].takes && steps[i].lock != steps[i + 1].lock;
  }

  // If keys share locks, no order in which to acquire the keys one by one is known to be safe.
  bool at_once() { return !abilities_.lock_per_key || random_() % 2 == 0; }

  std::uint32_t key_of(std::uint32_t lock) {
    if (keys_.by_lease) return 0;
    std::vector<std::uint32_t> keys;
    for (std::uint32_t key = 0; key < keys_.lock_of.size(); ++key) {
      if (keys_.lock_of[key] == lock) keys.push_back(key);
    }
    return keys[random_() % keys.size()];
  }

  // Only an outermost lock is tried: the net does not define what its thread does if an inner one
  // is refused.
  Act taking(std::uint32_t lock, bool outermost) {
    const std::uint32_t key = key_of(lock);
    const std::uint64_t what = outermost ? random_() % 8 : 7;
    if (what == 0) return {.kind = Act::kTryLock, .key = key};
    if (what == 1 && abilities_.timed) {
      return {.kind = Act::kTryLockFor, .key = key, .ns = kTimes[random_() % std::size(kTimes)]};
    }
    return {.kind = Act::kLock, .key = key};
  }

  void rest(std::vector<Act>& acts) {
    if (random_() % 8 != 0) return;
    acts.push_back({.kind = Act::kSleep, .ns = kTimes[random_() % std::size(kTimes)]});
  }

  const KeyMap& keys_;
  const Abilities& abilities_;
  std::mt19937_64& random_;
};

// The trace of the thread if every acquisition succeeds.
Trace alone(const LitmusProgram& program, std::uint32_t thread) {
  Trace seen;
  std::vector<Event> open;
  for (const Act& act : program.threads[thread]) {
    if (acquires(act.kind)) {
      open.push_back(as(Event::kAcquire, request_of(act, thread)));
      seen.events.push_back(open.back());
    } else if (releases(act.kind)) {
      seen.events.push_back(as(Event::kRelease, open.back()));
      open.pop_back();
    }
  }
  return seen;
}

}  // namespace

bool fits(const WatchedNet& net, const KeyMap& keys, const LitmusProgram& program) {
  if (program.threads.size() > net.threads() || program.keys() > keys.lock_of.size()) return false;
  for (std::uint32_t key = 0; key < program.keys(); ++key) {
    if (keys.lock_of[key] >= net.locks().size()) return false;
  }
  const TraceChecker checker(net, keys);
  for (std::uint32_t thread = 0; thread < program.threads.size(); ++thread) {
    const std::vector<NetEvent> events = checker.events_of(alone(program, thread));
    if (!replay(net.solo(thread), events).conforms) return false;
  }
  return true;
}

LitmusProgram generate_program(const WatchedNet& net, const KeyMap& keys,
                               const Abilities& abilities, std::uint32_t threads,
                               std::uint32_t rounds, std::mt19937_64& random) {
  LitmusProgram program;
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    program.threads.push_back(
        Writer(keys, abilities, random).acts(Walk(net, thread, random).steps(rounds)));
  }
  return program;
}

}  // namespace lockbench::stress
