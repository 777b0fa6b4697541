// SPDX-License-Identifier: Apache-2.0

// Transfer: acquire two keys at once, move one unit from the first balance to the second.
//
// Proof. Each thread knows from its ring which units it moved; every balance must match that, so
// their total does not change. During the hold neither balance may change.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "workloads/operation.h"

namespace lockbench {

// The part of the workload that is the same for every primitive.
template <Key K>
class TransferBooks {
 public:
  static constexpr std::uint32_t kKeysPerOperation = 2;

  struct Pair {
    std::uint32_t from;
    std::uint32_t to;
  };

  // The counts of one thread.
  struct Tally {
    explicit Tally(const KeySequences& sequences, std::uint32_t thread)
        : cursor(sequences.of(thread)) {}

    KeyCursor cursor;
    std::uint64_t violations = 0;
    std::vector<Pair> given_up;
  };

  TransferBooks(const WorkloadSettings& with, const SpinPace& pace)
      : settings(with),
        hold(with.hold, pace),
        keys(with.keys, "account-", ""),
        sequences(KeySequences::draw(with, kKeysPerOperation)),
        balances(new Guarded[with.keys]),
        hold_lines(with.keys, hold.lines()) {}

  // Balances start at 0 and wrap below it; only differences are compared.
  Proof prove(const Tallies<Tally>& tallies) const {
    Proof proof;
    std::vector<std::uint64_t> expected(settings.keys);
    for (const Tally* tally : tallies) {
      proof.violations += tally->violations;
      tally->cursor.for_each_pair(
          [&expected](std::uint32_t from, std::uint32_t to, std::uint64_t times) {
            expected[from] -= times;
            expected[to] += times;
          });
      for (const Pair& pair : tally->given_up) {
        ++expected[pair.from];
        --expected[pair.to];
      }
    }
    for (std::uint64_t key = 0; key < settings.keys; ++key) {
      const auto off = static_cast<std::int64_t>(expected[key] - balances[key].read());
      proof.lost_updates += static_cast<std::uint64_t>(off < 0 ? -off : off);
    }
    return proof;
  }

  HoldBound hold_bound() const {
    return bound_of_sequences(sequences, settings, kKeysPerOperation, count_holds);
  }

  const WorkloadSettings settings;
  const Worker hold;
  const KeySpace<K> keys;
  const KeySequences sequences;
  const std::unique_ptr<Guarded[]> balances;
  HoldLines hold_lines;

 private:
  // A transfer from a key to itself holds the key once.
  static void count_holds(const KeyCursor& cursor, std::span<std::uint64_t> tally) {
    cursor.for_each_pair([tally](std::uint32_t from, std::uint32_t to, std::uint64_t times) {
      tally[from] += times;
      if (to != from) tally[to] += times;
    });
  }
};

template <class P, Key K>
class Transfer {
 public:
  using KeyKind = K;
  using Tally = typename TransferBooks<K>::Tally;

  static constexpr std::string_view kName = "transfer";
  static constexpr std::string_view kSummary =
      "takes two keys at once and moves one unit between their balances";
  static constexpr bool kAccepts = kOneHolder<P, K> && PairLock<P, K>;
  static constexpr std::string_view kNeeds = "two keys at once, at most one holder of each";
  static constexpr std::array<std::string_view, 0> kScenarios{};
  static constexpr std::uint32_t kKeysPerOperation = TransferBooks<K>::kKeysPerOperation;

  static std::string refusal(const WorkloadSettings& settings, std::uint64_t) {
    if (settings.keys < 2) return "moves between two keys, and there is 1; take 2 or more";
    if (settings.key_distribution.kind == KeyDistribution::Kind::kAssigned) {
      return "takes two keys an operation; assigned counts are for workloads that take one";
    }
    if (settings.key_distribution.kind == KeyDistribution::Kind::kOwn) {
      return "takes two keys an operation, and a thread has one of its own";
    }
    if (settings.timeout.count() != 0) {
      return "takes two keys at once, which cannot time out; leave the timeout out";
    }
    return {};
  }

  Transfer(P& primitive, const WorkloadSettings& settings, const SpinPace& pace)
      : primitive_(primitive), books_(settings, pace) {}

  class Actor {
   public:
    Actor(Transfer& shared, std::uint32_t thread)
        : shared_(shared), tally_(shared.books_.sequences, thread) {}

    template <class Probe>
    bool operate(Probe& probe) {
      TransferBooks<K>& books = shared_.books_;
      const std::uint32_t from = tally_.cursor.next();
      const std::uint32_t to = tally_.cursor.next();
      auto both = shared_.primitive_.handle_both(books.keys[from], books.keys[to]);
      if (!probe.acquire(both, books.settings.timeout)) [[unlikely]] {
        tally_.given_up.push_back({from, to});
        return false;
      }
      move_one(books.balances[from], books.balances[to], from);
      probe.release(both);
      return true;
    }

    std::uint64_t given_up() const { return tally_.given_up.size(); }
    const Tally& tally() const { return tally_; }

   private:
    void move_one(Guarded& from, Guarded& to, std::uint32_t from_key) {
      const std::uint64_t had_from = from.read();
      const std::uint64_t had_to = to.read();
      shared_.books_.hold.perform(shared_.books_.hold_lines.of(from_key));
      if (from.read() != had_from || to.read() != had_to) [[unlikely]]
        ++tally_.violations;
      if (&from == &to) return;
      from.write(had_from - 1);
      to.write(had_to + 1);
    }

    Transfer& shared_;
    Tally tally_;
  };

  Actor actor(std::uint32_t thread) { return Actor(*this, thread); }

  Proof prove(const Tallies<Tally>& tallies) const { return books_.prove(tallies); }

  std::optional<HoldBound> hold_bound() const { return books_.hold_bound(); }

 private:
  P& primitive_;
  TransferBooks<K> books_;
};

}  // namespace lockbench
