// SPDX-License-Identifier: Apache-2.0

// Interpreter: performs the acts of one thread of a litmus program. The thread may be a simulated
// thread, a native thread or a process.
//
// The runner decides what happens around the calls of the lock: what is recorded and checked, where
// faults are injected, how time passes. A runner has these members:
//
//   using HoldData = …;                    what the runner keeps for each hold
//   bool stopping();                       true: acquire nothing more, release what is held
//   void requests(const Event&, const Act&);      before lock(), try_lock() or try_lock_for()
//   void acquired(const Event&, HoldData&, LockHandle&);           after it, if the thread holds
//   void refused(const Event&, const Act&, bool would_deadlock);   after it, if it does not hold
//   void releases(const Event&, HoldData&);       before unlock()
//   void released(const Event&, HoldData&);       after unlock()
//   void threw(const Event&, bool beside = false);
//                                          an exception left the lock's call; may rethrow it.
//                                          beside: it is ReaderBesideWriter
//   void foreign_unlock(const Event&, std::invocable auto unlock);  calls `unlock` at most once
//   void makes_handle();                   optional: before the handle of an acquisition is made
//   std::int64_t timeout_of(const Act&);   optional: another timeout, in ns, for this call
//   void sleep(std::int64_t ns);
//   void await_end(std::uint32_t thread);
//   bool leaves_last();                    while it holds: whether all other threads have left
//   void destroy_lock();
//   void make_again();      optional: returns when all threads have called it, and the lock is new
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/stress/litmus/key_set_lock.h"
#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/trace/event.h"

namespace lockbench::stress {

// The event that describes the request of an acquisition.
inline Event request_of(const Act& act, std::uint32_t thread) {
  return {.kind = Event::kRequest,
          .thread = static_cast<std::uint8_t>(thread),
          .key = static_cast<std::uint16_t>(act.key),
          .other = static_cast<std::uint16_t>(act.other),
          .pair = names_two_keys(act.kind) && act.key != act.other};
}

template <class Runner>
class Interpreter {
 public:
  Interpreter(Runner& runner, LockUnderTest& lock, const std::vector<Act>& acts,
              std::uint32_t thread, KeysOfPass keys = {})
      : runner_(runner), lock_(lock), acts_(acts), thread_(thread), keys_(keys) {}

  // Performs each act once and releases everything that it acquired. `pass` is the number of
  // earlier calls, for programs whose repetitions name different keys.
  void run(std::uint32_t pass = 0) {
    pass_ = pass;
    for (std::size_t i = 0; i < acts_.size();) i = perform(i);
    used_.handle.reset();
  }

 private:
  enum class Answer { kHeld, kRefused, kWouldDeadlock };

  struct Hold {
    std::unique_ptr<LockHandle> handle;
    Event event;
    typename Runner::HoldData data;
    bool two_keys = false;
  };

  // A handle that holds nothing, and its key.
  struct UsedHandle {
    std::unique_ptr<LockHandle> handle;
    std::uint32_t key = 0;
  };

  // Returns the position of the next act.
  std::size_t perform(std::size_t position) {
    Act act = keys_.act(acts_[position], thread_, pass_);
    if constexpr (requires { runner_.timeout_of(act); }) {
      if (act.kind == Act::kTryLockFor) act.ns = runner_.timeout_of(act);
    }
    switch (act.kind) {
      case Act::kUnlock:
        release();
        break;
      case Act::kUnlockThrowing:
        release_while_throwing();
        break;
      case Act::kUnlockByNonOwner:
        runner_.foreign_unlock(as(Event::kForeignUnlock, request_of(act, thread_)),
                               [&] { lock_.handle(act.key)->unlock(); });
        break;
      case Act::kSleep:
        runner_.sleep(act.ns);
        break;
      case Act::kAwaitEnd:
        runner_.await_end(act.key);
        break;
      case Act::kLeaveForGood:
        leave_for_good(act);
        break;
      case Act::kMakeAgain:
        used_.handle.reset();
        if constexpr (requires { runner_.make_again(); }) runner_.make_again();
        break;
      default:
        if (!acquire(act)) return end_of_hold(acts_, position) + 1;
    }
    return position + 1;
  }

  bool acquire(const Act& act) {
    if (runner_.stopping()) return false;
    Event event = request_of(act, thread_);
    std::unique_ptr<LockHandle> handle = handle_for(act);
    runner_.requests(event, act);
    const Answer answer = call(event, act, *handle);
    if (answer != Answer::kHeld) {
      finish(std::move(handle), act.key, names_two_keys(act.kind));
      runner_.refused(as(Event::kRefuse, event), act, answer == Answer::kWouldDeadlock);
      return false;
    }
    event.kind = Event::kAcquire;
    event.lease = static_cast<std::uint16_t>(handle->lease());
    holds_.push_back({std::move(handle), event, {}, names_two_keys(act.kind)});
    runner_.acquired(event, holds_.back().data, *holds_.back().handle);
    return true;
  }

  // Every second thread keeps a handle for its next request of the same key: the node in it then
  // has what the last request left there. The others make a handle for each request.
  std::unique_ptr<LockHandle> handle_for(const Act& act) {
    const bool two = names_two_keys(act.kind);
    if (!two && used_.handle != nullptr && used_.key == act.key) return std::move(used_.handle);
    if constexpr (requires { runner_.makes_handle(); }) runner_.makes_handle();
    return two ? lock_.handle_both(act.key, act.other) : lock_.handle(act.key);
  }

  void finish(std::unique_ptr<LockHandle> handle, std::uint32_t key, bool two_keys) {
    const bool leaves = acts_.back().kind == Act::kLeaveForGood;
    if (thread_ % 2 == 0 || two_keys || leaves) return handle.reset();
    used_ = {.handle = std::move(handle), .key = key};
  }

  void leave_for_good(Act act) {
    act.kind = Act::kLock;
    if (!acquire(act)) return;
    const bool last = runner_.leaves_last();
    release();
    if (last) runner_.destroy_lock();
  }

  Answer call(const Event& event, const Act& act, LockHandle& handle) {
    const auto answer = [](bool held) { return held ? Answer::kHeld : Answer::kRefused; };
    try {
      if (act.kind == Act::kTryLock || act.kind == Act::kTryBoth) return answer(handle.try_lock());
      if (act.kind == Act::kTryLockFor) {
        return answer(handle.try_lock_for(std::chrono::nanoseconds(act.ns)));
      }
      handle.lock();
      return Answer::kHeld;
    } catch (const std::system_error& error) {
      // A lock may throw this if the thread already holds a part of what it requests, so that it
      // would wait for itself.
      if (error.code() == std::errc::resource_deadlock_would_occur) return Answer::kWouldDeadlock;
      runner_.threw(event);
    } catch (const ReaderBesideWriter&) {
      runner_.threw(event, true);
    } catch (...) {
      runner_.threw(event);
    }
    return Answer::kRefused;
  }

  void release() {
    Hold hold = std::move(holds_.back());
    holds_.pop_back();
    runner_.releases(as(Event::kRelease, hold.event), hold.data);
    hold.handle->unlock();
    finish(std::move(hold.handle), hold.event.key, hold.two_keys);
    runner_.released(as(Event::kReleased, hold.event), hold.data);
  }

  // Releases in the destructor of a guard while an exception leaves the critical section.
  void release_while_throwing() {
    struct WorkFailed {};
    struct Guard {
      ~Guard() { interpreter.release(); }
      Interpreter& interpreter;
    };
    try {
      const Guard guard{*this};
      throw WorkFailed();
    } catch (const WorkFailed&) {
    }
  }

  Runner& runner_;
  LockUnderTest& lock_;
  const std::vector<Act>& acts_;
  const std::uint32_t thread_;
  const KeysOfPass keys_;
  std::uint32_t pass_ = 0;
  std::vector<Hold> holds_;
  UsedHandle used_;
};

}  // namespace lockbench::stress
