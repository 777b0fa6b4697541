// SPDX-License-Identifier: Apache-2.0

// Checkout: acquire a lease of a shard, hold, release it. This is the work of the fourth seed.
//
// With `second_lease`, the holder works, requests a second lease of the same shard while it has the
// first, and works on that one, too. If all leases are held by threads that do this, they wait for
// each other forever. A primitive that detects this refuses the second lease. The holder then
// returns the first one, and its operation is given up.
//
// Proof. Each lease has the name of its holder and a count of its uses. A thread that acquires a
// lease must find no name on it, and must find its own name when it returns the lease. The counts
// must add up. Afterwards it must be possible to acquire every lease and no more. If a thread can
// hold only one lease, because a second request shares the one that it has, the primitive's own
// counts are checked instead.
#pragma once

#include <array>
#include <optional>
#include <system_error>

#include "workloads/leases_at_rest.h"
#include "workloads/operation.h"

namespace lockbench {

template <class P, Key K>
class Checkout {
 public:
  using KeyKind = K;

  static constexpr std::string_view kName = "checkout";
  static constexpr std::string_view kSummary = "takes a lease of a shard, holds, and gives it back";
  static constexpr bool kAccepts = LeaseLock<P, K>;
  static constexpr std::string_view kNeeds = "numbered leases (lease and its peers)";
  static constexpr std::array<std::string_view, 1> kScenarios{"second_lease"};
  static constexpr std::array<std::string_view, 4> kUsualPrimitives{"lease", "lease_condvar",
                                                                    "lease_tbb", "lease_semaphore"};
  static constexpr std::uint64_t kUsualKeys = 1;

  Checkout(P& primitive, const WorkloadSettings& settings, const SpinPace& pace)
      : primitive_(primitive),
        settings_(settings),
        second_lease_(settings.scenario == kScenarios[0]),
        hold_(settings.hold, pace),
        keys_(settings.keys, "shard-", ""),
        sequences_(KeySequences::draw(settings)),
        leases_(new Lease[settings.keys * primitive.capacity()]),
        hold_lines_(settings.keys * primitive.capacity(), hold_.lines()) {}

 private:
  struct Lease {
    Guarded holder;
    Guarded uses;
  };

 public:
  class Actor {
   public:
    Actor(Checkout& shared, std::uint32_t thread)
        : shared_(shared), cursor_(shared.sequences_.of(thread)), name_(thread + 1) {}

    template <class Probe>
    bool operate(Probe& probe) {
      const std::uint32_t shard = cursor_.next();
      auto handle = shared_.primitive_.handle(shared_.keys_[shard]);
      if (!probe.acquire(handle, shared_.settings_.timeout)) [[unlikely]] {
        ++given_up_;
        return false;
      }
      bool served = true;
      if (shared_.second_lease_) {
        served = use_both(shard, handle.lease());
      } else {
        use(shard, handle.lease());
      }
      probe.release(handle);
      return served;
    }

    std::uint64_t given_up() const { return given_up_; }
    const Actor& tally() const { return *this; }

   private:
    friend class Checkout;

    void use(std::uint32_t shard, std::uint32_t number) {
      Note note(*this, shard, number);
      note.work();
    }

    // Returns false if the second lease was refused.
    bool use_both(std::uint32_t shard, std::uint32_t number) {
      Note first(*this, shard, number);
      first.work();
      auto second = shared_.primitive_.handle(shared_.keys_[shard]);
      try {
        second.lock();
      } catch (const std::system_error& refused) {
        if (refused.code() != std::errc::resource_deadlock_would_occur) throw;
        ++given_up_;
        return false;
      }
      use(shard, second.lease());
      second.unlock();
      return true;
    }

    // Writes the holder's name on a lease in the constructor and removes it in the destructor.
    class Note {
     public:
      Note(Actor& actor, std::uint32_t shard, std::uint32_t number)
          : actor_(actor), index_(std::uint64_t{shard} * actor.capacity() + number) {
        if (number >= actor.capacity()) [[unlikely]] {
          ++actor_.violations_;
          return;
        }
        lease_ = &actor_.shared_.leases_[index_];
        before_ = lease_->holder.read();
        const bool own = kSharesLeases<P> && before_ == actor_.name_;
        if (before_ != kNobody && !own) [[unlikely]]
          ++actor_.violations_;
        lease_->holder.write(actor_.name_);
      }
      Note(const Note&) = delete;
      Note& operator=(const Note&) = delete;

      ~Note() {
        if (lease_ == nullptr) [[unlikely]]
          return;
        if (lease_->holder.read() != actor_.name_) [[unlikely]]
          ++actor_.violations_;
        lease_->holder.write(kSharesLeases<P> ? before_ : kNobody);
      }

      void work() {
        if (lease_ == nullptr) [[unlikely]]
          return;
        const std::uint64_t uses = lease_->uses.read();
        actor_.shared_.hold_.perform(actor_.shared_.hold_lines_.of(index_));
        lease_->uses.write(uses + 1);
        ++actor_.uses_;
      }

     private:
      Actor& actor_;
      const std::uint64_t index_;
      Lease* lease_ = nullptr;  // null: there is no such lease
      std::uint64_t before_ = kNobody;
    };

    std::uint32_t capacity() const { return shared_.primitive_.capacity(); }

    Checkout& shared_;
    KeyCursor cursor_;
    const std::uint64_t name_;
    std::uint64_t uses_ = 0;
    std::uint64_t given_up_ = 0;
    std::uint64_t violations_ = 0;
  };

  using Tally = Actor;

  Actor actor(std::uint32_t thread) { return Actor(*this, thread); }

  Proof prove(const Tallies<Tally>& actors) {
    Proof proof;
    std::uint64_t expected = 0;
    for (const Actor* actor : actors) {
      proof.violations += actor->violations_;
      expected += actor->uses_;
    }
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i < settings_.keys * primitive_.capacity(); ++i) {
      found += leases_[i].uses.read();
    }
    proof.lost_updates = expected > found ? expected - found : found - expected;
    for (std::uint64_t shard = 0; shard < settings_.keys; ++shard) {
      proof.violations += wrong_leases(primitive_, keys_[shard]);
    }
    return proof;
  }

  std::optional<HoldBound> hold_bound() const {
    HoldBound bound = bound_of_sequences(sequences_, settings_);
    if (second_lease_) {
      bound.busiest_key_holds *= 2;
      bound.busiest_thread_holds *= 2;
      bound.holds *= 2;
    }
    return bound;
  }

 private:
  static constexpr std::uint64_t kNobody = 0;

  P& primitive_;
  const WorkloadSettings settings_;
  const bool second_lease_;
  const Worker hold_;
  const KeySpace<K> keys_;
  const KeySequences sequences_;
  const std::unique_ptr<Lease[]> leases_;
  HoldLines hold_lines_;
};

}  // namespace lockbench
