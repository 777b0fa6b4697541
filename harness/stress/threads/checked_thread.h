// SPDX-License-Identifier: Apache-2.0

// CheckedThread: one thread of an epoch. It repeats its acts, injects faults before and after its
// calls, checks each result that it can check alone, and keeps records for the checks that also
// need the records of other threads.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/stress/interpreter.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/oracles/history.h"
#include "harness/stress/threads/epoch_context.h"
#include "harness/stress/threads/shared_state.h"
#include "workloads/random.h"

namespace lockbench::stress::threads {

class CheckedThread {
 public:
  CheckedThread(EpochContext& context, std::uint32_t number);

  // Performs the acts once. If the epoch stops meanwhile, it skips the rest and releases
  // everything.
  void run_acts() { Interpreter(*this, context_.lock, acts_, number_, keys_).run(pass_++); }

  // After the thread has ended: its records, and its number of updates of each key and lease.
  const std::vector<Take>& takes() const { return takes_; }
  std::int64_t complete_until() const { return complete_until_; }
  std::uint64_t updates(std::uint32_t key, std::uint32_t lease) const {
    return updates_[std::size_t{key} * context_.capacity + lease];
  }

  // ---- called by the interpreter

  static constexpr std::size_t kNotKept = ~std::size_t{0};

  // One key of a hold.
  struct Part {
    std::uint64_t seen = 0;  // the key's count when the hold began
    bool nested = false;     // the thread already held the key
    std::uint64_t token = 0;
    std::size_t record = kNotKept;
  };
  struct HoldData {
    Part parts[2];
  };

  bool stopping() const { return context_.stopping(); }
  void requests(const Event& request, const Act& act);
  void acquired(const Event& event, HoldData& hold, LockHandle& handle);
  void refused(const Event& refusal, const Act& act, bool would_deadlock);
  void releases(const Event& event, HoldData& hold);
  void released(const Event& event, HoldData& hold);
  void threw(const Event& request, bool beside = false);
  template <class Unlock>
  void foreign_unlock(const Event& event, const Unlock& unlock) {
    if (holds_ != 0) return;
    context_.note_non_owner_unlock();
    record(event, now_ns());
    unlock();
    record({.kind = Event::kNone, .thread = event.thread}, now_ns());
  }
  void sleep(std::int64_t ns);
  std::int64_t timeout_of(const Act& act);
  // Orders with these acts are refused, and the acts are never generated:
  static void await_end(std::uint32_t) {}
  static bool leaves_last() { return false; }
  static void destroy_lock() {}
  void make_again() { context_.await_all_threads(true); }

 private:
  void ask_owner(const Event& acquired, const LockHandle& handle);
  void ask_former_owner(const Event& released);
  void enter(const Event& acquired, std::uint32_t key, Part& part, LockHandle& handle);
  void leave(const Event& release, std::uint32_t key, const Part& part);
  // `owner` is the value of the canary; `nested`: the thread already held the key.
  void check_holders(std::uint64_t owner, const Event& event, std::uint32_t key, bool nested);

  // True if others may get the key during the hold. If so, only the times of the hold are checked.
  bool may_be_taken_away() const { return context_.entry.abilities.hold_limit.count() != 0; }

  void inject_fault();
  void record(const Event& event, std::int64_t ns);
  std::size_t keep(const Take& take);
  template <class Seen>
  void check(const Seen& seen, KeyStates* states = nullptr) {
    threads::check(context_.state, number_, seen, states);
  }
  void waited(std::int64_t ns, std::uint32_t key);
  std::uint64_t grants_of(std::uint32_t key) const;
  std::uint64_t delay_since_look();
  bool key_is_held_by_another(std::uint32_t key) const;
  bool nested_in(std::uint32_t key) const;

  EpochContext& context_;
  const std::uint32_t number_;
  const std::uint64_t name_;
  const std::vector<Act>& acts_;
  const KeysOfPass keys_;
  std::uint32_t pass_ = 0;
  ThreadSlot& slot_;
  Random random_;
  const std::size_t most_records_;

  bool answers_owner_queries_ = false;
  std::uint32_t holds_ = 0;
  std::int64_t requested_ns_ = 0;     // time of the last request
  std::int64_t releasing_ns_ = 0;     // time of the last release
  std::vector<std::uint32_t> depth_;  // for each key: number of nested holds
  std::vector<bool> part_released_;   // for each key: whether some of these were released
  std::vector<std::uint64_t> updates_;
  std::vector<Take> takes_;
  std::int64_t complete_until_;
  std::uint64_t grants_before_ = 0;  // grants of the requested key before the request
  std::uint64_t delay_ns_ = 0;       // scheduling delay of this thread at the last poll
  std::uint32_t acquisitions_since_check_ = 0;
};

}  // namespace lockbench::stress::threads
