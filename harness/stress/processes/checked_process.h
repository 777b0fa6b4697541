// SPDX-License-Identifier: Apache-2.0

// CheckedProcess: one process in a slot of an epoch. It performs acts that it generates from its
// seed, checks that no other process holds its keys, and makes an update during each hold.
#pragma once

#include <cstdint>
#include <unistd.h>
#include <vector>

#include "harness/stress/interpreter.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/processes/epoch_context.h"

namespace lockbench::stress::processes {

class CheckedProcess {
 public:
  // Makes at most `most_holds` holds, not counting nested ones.
  CheckedProcess(const EpochContext& context, std::uint32_t number, std::uint64_t life,
                 std::uint64_t most_holds);

  // Runs until the epoch stops or all holds are made. Ends the process if a check fails.
  void run();

  // ---- called by the interpreter

  struct HoldData {};

  bool stopping() const { return get(state_.stop) != 0; }
  void requests(const Event& request, const Act& act);
  void acquired(const Event& event, HoldData& hold, LockHandle& handle);
  void refused(const Event& refusal, const Act& act, bool would_deadlock);
  void releases(const Event& event, HoldData& hold);
  void released(const Event& event, HoldData& hold);
  void threw(const Event& request, bool beside = false);
  template <class Unlock>
  void foreign_unlock(const Event&, const Unlock&) {}  // never generated
  void sleep(std::int64_t ns);
  // Acts that are never generated:
  static void await_end(std::uint32_t) {}
  static bool leaves_last() { return false; }
  static void destroy_lock() {}

 private:
  void enter(std::uint32_t key, const LockHandle& handle);
  void leave(std::uint32_t key);
  void inject_fault();
  void fork_as_holder(std::uint32_t key);
  void record(const Event& event);
  void answered(const Event& event);
  // Ends the process if an oracle fails.
  template <class Seen>
  void check(const Seen& seen, KeyStates* states = nullptr) {
    if (!processes::check(state_, number_, seen, states)) _exit(0);
  }

  const EpochContext& context_;
  SharedState& state_;
  ProcessSlot& slot_;
  const std::uint32_t number_;
  const std::uint64_t name_;
  Random random_;
  const bool once_;  // otherwise the acts are repeated until the epoch stops
  const std::vector<Act> acts_;
  std::int64_t asked_ns_ = 0;          // time of the last request
  std::vector<std::uint64_t> counts_;  // for each key: the count that was read when its hold began
};

}  // namespace lockbench::stress::processes
