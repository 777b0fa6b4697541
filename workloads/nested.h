// SPDX-License-Identifier: Apache-2.0

// Nested: the fifth seed's five scenarios of a reentrant lock, five acquisitions and five releases
// each.
//
// Every acquisition adds one to a counter under the lock, so an operation counts for five.
//
// Proof. The counter must equal the number of acquisitions that succeeded. It must not change
// during a hold, in particular not between the unlock of the inner and of the outer lock.
#pragma once

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>

#include "workloads/operation.h"

namespace lockbench {

// Five acquisitions and five releases each.
enum class Scenario {
  kLockUnlock,             // one after the other
  kReentrantLockUnlock,    // five deep
  kMixedLockUnlock,        // some nested, some not
  kLockUnlockNonblocking,  // one after the other, by try_lock
  kContextManager,         // like mixed, released at the end of a scope
};

// kCounts: whether the holds do any work. Without it, an operation consists only of the locks, and
// prove() has nothing to check.
template <class P, Key K, bool kCounts = true>
class Nested {
 public:
  using KeyKind = K;

  static constexpr std::string_view kName = "nested";
  static constexpr std::string_view kSummary =
      "locks and unlocks five times, nested or not as the scenario says";
  static constexpr bool kAccepts = [] {
    if constexpr (KeyedLock<P, K>) return P::kPromises.reentrant;
    return false;
  }();
  static constexpr std::string_view kNeeds = "a holder that may lock again (reentrant)";
  // In the order of `Scenario`.
  static constexpr std::array<std::string_view, 5> kScenarios{
      "lock_unlock", "reentrant_lock_unlock", "mixed_lock_unlock", "lock_unlock_nonblocking",
      "context_manager"};

  static constexpr std::uint32_t kAcquisitions = 5;
  static constexpr std::array<std::string_view, 2> kUsualPrimitives{"reentrant", "recursive_mutex"};
  static constexpr std::uint64_t kUsualKeys = 1;

  static std::string refusal(const WorkloadSettings& settings, std::uint64_t) {
    if (settings.keys != 1) {
      return "takes one key again and again; take 1 key, or leave keys out";
    }
    if (settings.timeout.count() != 0) return "waits as long as it takes; leave the timeout out";
    return {};
  }

  Nested(P& primitive, const WorkloadSettings& settings, const SpinPace& pace)
      : primitive_(primitive),
        settings_(settings),
        scenario_(scenario_of(settings)),
        hold_(settings.hold, pace),
        keys_(settings.keys, "counter-", ""),
        hold_lines_(1, hold_.lines()) {}

  class Actor {
   public:
    Actor(Nested& shared, std::uint32_t) : shared_(shared) {}

    template <class Probe>
    bool operate(Probe& probe) {
      auto handle = shared_.primitive_.handle(shared_.keys_[0]);
      switch (shared_.scenario_) {
        case Scenario::kLockUnlock:
          return one_after_the_other(probe, handle);
        case Scenario::kReentrantLockUnlock:
          return five_deep(probe, handle);
        case Scenario::kMixedLockUnlock:
          return mixed(probe, handle);
        case Scenario::kLockUnlockNonblocking:
          return nonblocking(handle);
        case Scenario::kContextManager:
          return by_scope(probe, handle);
      }
      return false;
    }

    std::uint64_t given_up() const { return given_up_; }
    const Actor& tally() const { return *this; }

   private:
    friend class Nested;

    // One critical section: adds one to the counter, and checks that no other thread does so at the
    // same time.
    void section() {
      if constexpr (!kCounts) {
        // The compiler must assume that memory was changed here.
        std::atomic_signal_fence(std::memory_order_seq_cst);
        return;
      }
      const std::uint64_t seen = look();
      shared_.hold_.perform(shared_.hold_lines_.of(0));
      expect_untouched(seen);
      shared_.count_.write(seen + 1);
      ++made_;
    }

    // The counter, as a holder reads it.
    std::uint64_t look() const { return kCounts ? shared_.count_.read() : 0; }

    void expect_untouched(std::uint64_t seen) {
      if (look() != seen) [[unlikely]]
        ++violations_;
    }

    template <class Handle>
    void locked_section(Handle& handle) {
      handle.lock();
      section();
      handle.unlock();
    }

    // given_up() counts the attempts that fail; the operation counts as done nevertheless.
    template <class Handle>
    bool nonblocking(Handle& handle) {
      for (std::uint32_t i = 0; i < kAcquisitions; ++i) {
        if (handle.try_lock()) {
          section();
          handle.unlock();
        } else {
          ++given_up_;
        }
      }
      return true;
    }

    template <class Probe, class Handle>
    bool enter(Probe& probe, Handle& handle) {
      if (!probe.acquire(handle, shared_.settings_.timeout)) [[unlikely]] {
        ++given_up_;
        return false;
      }
      section();
      return true;
    }

    template <class Probe, class Handle>
    bool one_after_the_other(Probe& probe, Handle& handle) {
      if (!enter(probe, handle)) return false;
      probe.release(handle);
      for (std::uint32_t i = 1; i < kAcquisitions; ++i) locked_section(handle);
      return true;
    }

    template <class Probe, class Handle>
    bool five_deep(Probe& probe, Handle& handle) {
      if (!enter(probe, handle)) return false;
      for (std::uint32_t i = 1; i < kAcquisitions; ++i) {
        handle.lock();
        section();
      }
      const std::uint64_t last = look();
      for (std::uint32_t i = 1; i < kAcquisitions; ++i) handle.unlock();
      expect_untouched(last);
      probe.release(handle);
      return true;
    }

    // A single hold; then an outer hold with two holds inside it: a plain one, and one with
    // another hold inside.
    template <class Probe, class Handle>
    bool mixed(Probe& probe, Handle& handle) {
      if (!enter(probe, handle)) return false;
      probe.release(handle);
      handle.lock();
      section();
      locked_section(handle);
      handle.lock();
      section();
      locked_section(handle);
      const std::uint64_t last = look();
      handle.unlock();
      expect_untouched(last);
      handle.unlock();
      return true;
    }

    // As mixed(), but each hold ends at the end of a scope.
    template <class Probe, class Handle>
    bool by_scope(Probe& probe, Handle& handle) {
      if (!enter(probe, handle)) return false;
      probe.release(handle);
      std::scoped_lock outer(handle);
      section();
      std::uint64_t last = 0;
      {
        std::scoped_lock inner(handle);
        section();
        last = look();
      }
      expect_untouched(last);
      std::scoped_lock inner(handle);
      section();
      std::scoped_lock innermost(handle);
      section();
      return true;
    }

    Nested& shared_;
    std::uint64_t made_ = 0;
    std::uint64_t given_up_ = 0;
    std::uint64_t violations_ = 0;
  };

  using Tally = Actor;

  Actor actor(std::uint32_t thread) { return Actor(*this, thread); }

  Proof prove(const Tallies<Tally>& actors) const {
    Proof proof;
    std::uint64_t expected = 0;
    for (const Actor* actor : actors) {
      proof.violations += actor->violations_;
      expected += actor->made_;
    }
    const std::uint64_t found = count_.read();
    proof.lost_updates = expected > found ? expected - found : found - expected;
    proof.counts = list_counts(std::span(&found, 1));
    return proof;
  }

  // All operations hold the same lock.
  std::optional<HoldBound> hold_bound() const {
    const std::uint64_t of_thread = settings_.operations * kAcquisitions;
    const std::uint64_t all = of_thread * settings_.threads;
    return HoldBound{.busiest_key_holds = all, .busiest_thread_holds = of_thread, .holds = all};
  }

 private:
  static Scenario scenario_of(const WorkloadSettings& settings) {
    const auto named = std::find(kScenarios.begin(), kScenarios.end(), settings.scenario);
    // `nested` without a scenario means the first one.
    return static_cast<Scenario>(named == kScenarios.end() ? 0 : named - kScenarios.begin());
  }

  P& primitive_;
  const WorkloadSettings settings_;
  const Scenario scenario_;
  const Worker hold_;
  const KeySpace<K> keys_;
  Guarded count_;
  HoldLines hold_lines_;
};

}  // namespace lockbench
