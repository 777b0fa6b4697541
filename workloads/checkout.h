// Checkout: take a lease of a shard, hold, give it back. The fourth seed's work.
//
// With `second_lease` the holder asks for a second lease of the same shard before it works: when
// all leases are out to such holders, they wait for each other for ever.
//
// Proof. Each lease has a note of who holds it and a count of its uses: a taker must find the note
// blank and still have his own name on it when he gives back; the counts must add up. Afterwards
// every lease must be there to take, and not one more.
#pragma once

#include <array>
#include <optional>
#include <type_traits>

#include "workloads/operation.h"

namespace lockbench {

template <class P, Key K>
class Checkout {
 public:
  using KeyKind = K;

  static constexpr std::string_view kName = "checkout";
  static constexpr std::string_view kSummary = "takes a lease of a shard, holds, and gives it back";
  static constexpr bool kAccepts = LeaseLock<P, K>;
  static constexpr std::string_view kNeeds = "numbered leases (lease and its baselines)";
  static constexpr std::array<std::string_view, 1> kScenarios{"second_lease"};

  Checkout(P& primitive, const WorkloadSettings& settings, const SpinPace& pace)
      : primitive_(primitive),
        settings_(settings),
        hold_(settings.hold, pace),
        keys_(settings.keys, "shard-", ""),
        sequences_(KeySequences::draw(settings)),
        leases_(new Lease[settings.keys * primitive.capacity()]),
        hold_lines_(settings.keys * primitive.capacity(), hold_.lines()) {}

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
      if (shared_.settings_.second_lease) {
        auto second = shared_.primitive_.handle(shared_.keys_[shard]);
        second.lock();
        use(shard, handle.lease());
        use(shard, second.lease());
        second.unlock();
      } else {
        use(shard, handle.lease());
      }
      probe.release(handle);
      return true;
    }

    std::uint64_t given_up() const { return given_up_; }

   private:
    friend class Checkout;

    void use(std::uint32_t shard, std::uint32_t number) {
      if (number >= shared_.primitive_.capacity()) [[unlikely]] {
        ++violations_;
        return;
      }
      const std::uint64_t index = std::uint64_t{shard} * shared_.primitive_.capacity() + number;
      Lease& lease = shared_.leases_[index];
      if (lease.holder.read() != kNobody) [[unlikely]]
        ++violations_;
      lease.holder.write(name_);
      const std::uint64_t uses = lease.uses.read();
      shared_.hold_.perform(shared_.hold_lines_.of(index));
      if (lease.holder.read() != name_) [[unlikely]]
        ++violations_;
      lease.uses.write(uses + 1);
      lease.holder.write(kNobody);
      ++uses_;
    }

    Checkout& shared_;
    KeyCursor cursor_;
    const std::uint64_t name_;
    std::uint64_t uses_ = 0;
    std::uint64_t given_up_ = 0;
    std::uint64_t violations_ = 0;
  };

  Actor actor(std::uint32_t thread) { return Actor(*this, thread); }

  Proof prove(std::span<const Actor* const> actors) {
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
      proof.violations += leases_amiss(shard);
    }
    return proof;
  }

  std::optional<HoldBound> hold_bound() const {
    HoldBound bound = bound_of_sequences(sequences_, settings_);
    if (settings_.second_lease) {
      bound.busiest_key_holds *= 2;
      bound.busiest_thread_holds *= 2;
      bound.holds *= 2;
    }
    return bound;
  }

 private:
  static constexpr std::uint64_t kNobody = 0;

  struct Lease {
    Guarded holder;
    Guarded uses;
  };

  // Leases of a shard at rest that are missing, and takings beyond one of each lease. O(leases).
  std::uint64_t leases_amiss(std::uint64_t shard) {
    using Handle = HandleOf<P, K>;
    const std::uint32_t capacity = primitive_.capacity();
    // One more than there should be; a handle neither copies nor moves.
    const auto room = std::make_unique<std::optional<Handle>[]>(capacity + 1);
    std::vector<bool> seen(capacity);
    std::uint32_t found = 0;
    std::uint32_t taken = 0;
    for (; taken <= capacity; ++taken) {
      room[taken].emplace(InPlace{[&] { return primitive_.handle(keys_[shard]); }});
      if (!room[taken]->try_lock()) break;
      const std::uint32_t lease = room[taken]->lease();
      if (lease >= capacity || seen[lease]) continue;
      seen[lease] = true;
      ++found;
    }
    for (std::uint32_t i = 0; i < taken; ++i) room[i]->unlock();
    return (capacity - found) + (taken - found);
  }

  // Lets std::optional hold what a function returns, although it cannot be moved there.
  template <class Make>
  struct InPlace {
    Make make;
    operator std::invoke_result_t<Make>() const { return make(); }
  };

  P& primitive_;
  const WorkloadSettings settings_;
  const Worker hold_;
  const KeySpace<K> keys_;
  const KeySequences sequences_;
  const std::unique_ptr<Lease[]> leases_;
  HoldLines hold_lines_;
};

}  // namespace lockbench
