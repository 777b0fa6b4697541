// SPDX-License-Identifier: Apache-2.0

// RecordingRunner: the runner for a lock whose trace is checked against a net. It records requests,
// acquisitions and releases, yields from time to time, and checks nothing. Remains: what is looked
// for when all have ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <sched.h>
#include <thread>

#include "harness/petri/conformance/recorder.h"
#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/trace/event.h"
#include "harness/stress/trace/shared_words.h"
#include "workloads/random.h"

namespace lockbench::stress {

class RecordingRunner {
 public:
  struct HoldData {};

  RecordingRunner(Recorder& recorder, std::uint32_t thread, bool yields, std::uint64_t seed)
      : recorder_(recorder), thread_(thread), yields_(yields), random_(derive_seed(seed, thread)) {}

  static bool stopping() { return false; }

  void requests(const Event& request, const Act&) {
    maybe_yield();
    recorder_.requests(request);
  }
  void acquired(const Event& event, HoldData&, LockHandle&) {
    recorder_.acquired(event);
    ++holds_;
    maybe_yield();
  }
  void refused(const Event&, const Act&, bool) { recorder_.answered(thread_); }
  void releases(const Event& event, HoldData&) {
    maybe_yield();
    --holds_;
    recorder_.releases(event);
  }
  void released(const Event&, HoldData&) {}
  [[noreturn]] static void threw(const Event&, bool = false) { throw; }

  template <class Unlock>
  void foreign_unlock(const Event&, const Unlock& unlock) {
    if (holds_ == 0) unlock();
  }

  // Programs sleep long enough for simulated threads to meet. Here a part of that time is enough
  // for other threads to stop spinning and go to sleep.
  static void sleep(std::int64_t ns) {
    constexpr std::int64_t kPart = 16;
    std::this_thread::sleep_for(std::chrono::nanoseconds(ns / kPart));
  }
  // The programs of a conformance run do not contain these acts:
  static void await_end(std::uint32_t) {}
  static bool leaves_last() { return false; }
  static void destroy_lock() {}

 private:
  void maybe_yield() {
    constexpr std::uint64_t kOneIn = 8;
    if (yields_ && random_.below(kOneIn) == 0) sched_yield();
  }

  Recorder& recorder_;
  const std::uint32_t thread_;
  const bool yields_;
  Random random_;
  std::uint32_t holds_ = 0;
};

// The results that the process that looks at an unused lock writes for its supervising process.
struct Remains {
  Word looked{0};     // number of keys
  Word short_key{0};  // one more than the first key that is not free; 0: all are
  Word short_free{0};

  void look_at(LockUnderTest& lock, std::uint32_t keys, bool strong_try) {
    for (std::uint32_t key = 0; key < keys; ++key, add(looked)) {
      const std::uint32_t free = free_holds(lock, key, tries_of_free_key(strong_try));
      if (free == lock.capacity()) continue;
      put(short_free, free);
      put(short_key, key + 1);
      return;
    }
  }

  // Completes the trace of a run that finished.
  void tell(Trace& trace) const {
    trace.end = Trace::kFinished;
    if (get(short_key) == 0) return;
    trace.shortage = {.key = static_cast<std::uint32_t>(get(short_key) - 1),
                      .free = static_cast<std::uint32_t>(get(short_free))};
  }
};

}  // namespace lockbench::stress
