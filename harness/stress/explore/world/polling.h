// SPDX-License-Identifier: Apache-2.0

// Polling: the polls and the pauses in a row of one thread while nothing changes. They say when the
// thread is made to wait for a change, and when it counts as doing nothing but waiting.
//
// Requires     `changes` is the value of Memory::changes().
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include "harness/stress/explore/world/visited_states.h"

namespace lockbench::stress::explore {

class Polling {
 public:
  // The thread has polled in vain. Returns false if a word has changed since its last poll.
  bool add_poll(std::uint64_t changes) {
    if (polled_at_ != changes) {
      restart(changes);
      return false;
    }
    ++polls_;
    return true;
  }
  // It has done something else than that.
  void end(std::uint64_t changes) {
    restart(changes);
    pauses_ = 0;
  }
  // It makes progress, though it may have changed no word.
  void make_progress() { polls_ = pauses_ = 0; }
  // It has changed other memory than its stack, which is not part of its state.
  void forget_state() { visits_.clear(); }

  // True if it has polled so often that it is made to wait. Then begin_wait().
  bool is_long() const { return polls_ >= kPollsBeforePause; }
  void begin_wait() { polls_ = 0; }
  // True if no word has changed since it polled.
  bool is_current(std::uint64_t changes) const { return polled_at_ == changes; }

  // The thread polls at this address of the code. Returns true if its state is to be compared
  // there. The first poll at an address only notes it, and the second one its state, because most
  // threads poll once or twice and then do something. A loop may have several such addresses and
  // come after other polls, so the address is replaced from time to time.
  bool compares_at(const void* code);
  // Returns true if the thread was in this state when it last polled there.
  bool returns_to(const void* code, std::optional<std::uint64_t> state);

  // It pauses until something changes. The certain pause is that of a thread that repeats itself.
  void pause(std::uint64_t changes);
  void pause_certainly(std::uint64_t changes);
  // A change that it has not seen yet counts as a later change.
  void expect_unseen() { --paused_at_; }
  // True if something has changed since it paused.
  bool may_go_on(std::uint64_t changes) const { return paused_at_ != changes; }
  // True if it has paused so often that it does nothing but wait.
  bool is_settled() const { return pauses_ >= kPausesUntilSettled; }

 private:
  static constexpr std::uint32_t kPollsBeforePause = 100;
  static constexpr std::uint32_t kPausesUntilSettled = 100;

  void restart(std::uint64_t changes) {
    polled_at_ = changes;
    polls_ = 0;
    code_ = nullptr;
  }

  std::uint64_t polled_at_ = 0;  // value of Memory::changes()
  std::uint32_t polls_ = 0;      // in a row, while it did not change
  std::uint64_t paused_at_ = 0;  // value of Memory::changes()
  std::uint32_t pauses_ = 0;     // in a row, while nothing changed
  const void* code_ = nullptr;
  VisitedStates visits_;  // the last one at code_
};

}  // namespace lockbench::stress::explore
