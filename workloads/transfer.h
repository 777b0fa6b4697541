// SPDX-License-Identifier: Apache-2.0

// Transfer: take two keys at once, move one unit from the first's balance to the second's.
//
// Proof. Each thread knows from its ring what it moved from where to where; every balance must be
// what follows from that, so their total is conserved. During the hold neither balance may change.
#pragma once

#include <array>
#include <optional>

#include "workloads/operation.h"

namespace lockbench {

template <class P, Key K>
class Transfer {
 public:
  using KeyKind = K;

  static constexpr std::string_view kName = "transfer";
  static constexpr std::string_view kSummary =
      "takes two keys at once and moves one unit between their balances";
  static constexpr bool kAccepts = kOneHolder<P, K> && PairLock<P, K>;
  static constexpr std::string_view kNeeds = "two keys at once, at most one holder of each";
  static constexpr std::array<std::string_view, 0> kScenarios{};

  Transfer(P& primitive, const WorkloadSettings& settings, const SpinPace& pace)
      : primitive_(primitive),
        settings_(settings),
        hold_(settings.hold, pace),
        keys_(settings.keys, "account-", ""),
        sequences_(KeySequences::draw(settings, kKeysPerOperation)),
        balances_(new Guarded[settings.keys]),
        hold_lines_(settings.keys, hold_.lines()) {}

  class Actor {
   public:
    Actor(Transfer& shared, std::uint32_t thread)
        : shared_(shared), cursor_(shared.sequences_.of(thread)) {}

    template <class Probe>
    bool operate(Probe& probe) {
      const std::uint32_t from = cursor_.next();
      const std::uint32_t to = cursor_.next();
      auto both = shared_.primitive_.handle_both(shared_.keys_[from], shared_.keys_[to]);
      if (!probe.acquire(both, shared_.settings_.timeout)) [[unlikely]] {
        given_up_.push_back({from, to});
        return false;
      }
      move_one(shared_.balances_[from], shared_.balances_[to], from);
      probe.release(both);
      return true;
    }

    std::uint64_t given_up() const { return given_up_.size(); }

   private:
    friend class Transfer;

    struct Pair {
      std::uint32_t from;
      std::uint32_t to;
    };

    void move_one(Guarded& from, Guarded& to, std::uint32_t from_key) {
      const std::uint64_t had_from = from.read();
      const std::uint64_t had_to = to.read();
      shared_.hold_.perform(shared_.hold_lines_.of(from_key));
      if (from.read() != had_from || to.read() != had_to) [[unlikely]]
        ++violations_;
      if (&from == &to) return;
      from.write(had_from - 1);
      to.write(had_to + 1);
    }

    Transfer& shared_;
    KeyCursor cursor_;
    std::uint64_t violations_ = 0;
    std::vector<Pair> given_up_;
  };

  Actor actor(std::uint32_t thread) { return Actor(*this, thread); }

  // Balances start at 0 and wrap below it: differences are what is compared.
  Proof prove(std::span<const Actor* const> actors) const {
    Proof proof;
    std::vector<std::uint64_t> expected(settings_.keys);
    for (const Actor* actor : actors) {
      proof.violations += actor->violations_;
      actor->cursor_.for_each_pair(
          [&expected](std::uint32_t from, std::uint32_t to, std::uint64_t times) {
            expected[from] -= times;
            expected[to] += times;
          });
      for (const auto& pair : actor->given_up_) {
        ++expected[pair.from];
        --expected[pair.to];
      }
    }
    for (std::uint64_t key = 0; key < settings_.keys; ++key) {
      const auto off = static_cast<std::int64_t>(expected[key] - balances_[key].read());
      proof.lost_updates += static_cast<std::uint64_t>(off < 0 ? -off : off);
    }
    return proof;
  }

  std::optional<HoldBound> hold_bound() const {
    return bound_of_sequences(sequences_, settings_, kKeysPerOperation, count_holds);
  }

 private:
  static constexpr std::uint32_t kKeysPerOperation = 2;

  // A key that is moved to itself is held once.
  static void count_holds(const KeyCursor& cursor, std::span<std::uint64_t> tally) {
    cursor.for_each_pair([tally](std::uint32_t from, std::uint32_t to, std::uint64_t times) {
      tally[from] += times;
      if (to != from) tally[to] += times;
    });
  }

  P& primitive_;
  const WorkloadSettings settings_;
  const Worker hold_;
  const KeySpace<K> keys_;
  const KeySequences sequences_;
  const std::unique_ptr<Guarded[]> balances_;
  HoldLines hold_lines_;
};

}  // namespace lockbench
