// PerKey: read what belongs to a key, hold, write it back.
//
// `Record` says what belongs to a key and how a damaged one shows:
//   Seen look() const;           what is there now
//   bool sound(Seen) const;      it is a state that one update after another can lead to
//   void update(Seen);           writes what follows on `seen`
//   std::uint64_t updates() const;
//
// Proof. Each thread knows from its ring how often it updated each key; the sum must be what the
// record says. And since nobody else may be inside, the record must not change during the hold.
//
// Where the primitive may take a key from a holder who is late, the record is read and written
// through the primitive's fence. A late holder's write is refused there, and he is told: that
// update was not made, its operation does not count, and it is not tried again, since a hold that
// is longer than the limit would be late again. Every update that was accepted must be there, and
// the record must not change between a read and a write that were both let through. Refused writes
// and holds that ended early are told in the row.
//
// Where the primitive hashes keys to fewer locks and the settings ask for it, watched acquisitions
// tell whether the lock was held for their own key or for another (a false conflict).
#pragma once

#include <array>
#include <optional>
#include <type_traits>

#include "workloads/fenced.h"
#include "workloads/holder_board.h"
#include "workloads/operation.h"

namespace lockbench {

template <class P, Key K, class Record>
class PerKey {
 public:
  using KeyKind = K;

  static constexpr bool kAccepts = kOneHolder<P, K>;
  static constexpr std::string_view kNeeds = "at most one holder of a key";
  static constexpr std::array<std::string_view, 0> kScenarios{};

  PerKey(P& primitive, const WorkloadSettings& settings, const SpinPace& pace)
      : primitive_(primitive),
        settings_(settings),
        hold_(settings.hold, pace),
        keys_(settings.keys, Record::kKeyPrefix, Record::kKeySuffix),
        sequences_(KeySequences::draw(settings)),
        records_(new Record[settings.keys]),
        fences_(kFenced ? new Fence[settings.keys] : nullptr),
        hold_lines_(settings.keys, hold_.lines()) {
    if (kHashesKeys && settings.watch_conflicts) board_.emplace(settings.threads);
  }

  class Actor {
   public:
    Actor(PerKey& shared, std::uint32_t thread)
        : shared_(shared), thread_(thread), cursor_(shared.sequences_.of(thread)) {}

    template <class Probe>
    bool operate(Probe& probe) {
      const std::uint32_t key = cursor_.next();
      auto handle = shared_.primitive_.handle(shared_.keys_[key]);
      if (Probe::kWatches) note_conflicts(key);
      if (!probe.acquire(handle, shared_.settings_.timeout)) [[unlikely]] {
        given_up_.push_back(key);
        return false;
      }
      if (kHashesKeys && shared_.board_) shared_.board_->hold(thread_, key);
      const bool updated = update(key, handle);
      if (kHashesKeys && shared_.board_) shared_.board_->leave(thread_);
      probe.release(handle);
      if constexpr (kFenced) expired_holds_ += handle.expired() ? 1 : 0;
      return updated;
    }

    std::uint64_t given_up() const { return given_up_.size(); }

   private:
    friend class PerKey;

    template <class Handle>
    bool update(std::uint32_t key, [[maybe_unused]] const Handle& handle) {
      Record& record = shared_.records_[key];
      if constexpr (kFenced) {
        return update_through(shared_.fences_[key], handle.token(), key);
      } else {
        const auto seen = record.look();
        shared_.hold_.perform(shared_.hold_lines_.of(key));
        write_back(record, seen);
        return true;
      }
    }

    bool update_through(auto& fence, std::uint64_t token, std::uint32_t key) {
      Record& record = shared_.records_[key];
      decltype(record.look()) seen{};
      const bool read = fence.pass(token, [&] { seen = record.look(); });
      shared_.hold_.perform(shared_.hold_lines_.of(key));
      if (read && fence.pass(token, [&] { write_back(record, seen); })) return true;
      refused_.push_back(key);
      return false;
    }

    template <class Seen>
    void write_back(Record& record, const Seen& seen) {
      if (record.look() != seen || !record.sound(seen)) [[unlikely]]
        ++violations_;
      record.update(seen);
    }

    // Who has the lock that `key` needs, as far as the board shows?
    void note_conflicts(std::uint32_t key) {
      if constexpr (kHashesKeys) {
        if (!shared_.board_) return;
        const std::size_t stripe = shared_.stripe_of(key);
        shared_.board_->for_each_held([&](std::uint64_t held) {
          if (held == key) {
            ++true_conflicts_;
          } else if (shared_.stripe_of(held) == stripe) {
            ++false_conflicts_;
          }
        });
      }
    }

    PerKey& shared_;
    const std::uint32_t thread_;
    KeyCursor cursor_;
    std::uint64_t violations_ = 0;
    std::uint64_t true_conflicts_ = 0;
    std::uint64_t false_conflicts_ = 0;
    std::uint64_t expired_holds_ = 0;
    std::vector<std::uint32_t> given_up_;  // keys that were not to be had, so their update not made
    std::vector<std::uint32_t> refused_;   // keys whose update came too late and was not made
  };

  Actor actor(std::uint32_t thread) { return Actor(*this, thread); }

  Proof prove(std::span<const Actor* const> actors) const {
    Proof proof;
    std::vector<std::uint64_t> expected(settings_.keys);
    for (const Actor* actor : actors) {
      proof.violations += actor->violations_;
      actor->cursor_.count_into(expected);
      for (const std::uint32_t key : actor->given_up_) --expected[key];
      for (const std::uint32_t key : actor->refused_) --expected[key];
    }
    if (kFenced) add_refusals(actors, proof);
    std::vector<std::uint64_t> found(settings_.keys);
    for (std::uint64_t key = 0; key < settings_.keys; ++key) {
      found[key] = records_[key].updates();
      // Without a lock a stale write can also bring an update back; either way they differ.
      proof.lost_updates +=
          expected[key] > found[key] ? expected[key] - found[key] : found[key] - expected[key];
      if (!records_[key].sound(records_[key].look())) ++proof.violations;
    }
    proof.counts = list_counts(found);
    return proof;
  }

  std::optional<HoldBound> hold_bound() const { return bound_of_sequences(sequences_, settings_); }

  // Of the conflicts that were watched, the share that was false; absent when there was none.
  std::optional<double> false_conflicts(std::span<const Actor* const> actors) const {
    std::uint64_t all = 0;
    std::uint64_t other = 0;
    for (const Actor* actor : actors) {
      all += actor->true_conflicts_ + actor->false_conflicts_;
      other += actor->false_conflicts_;
    }
    if (all == 0) return std::nullopt;
    return static_cast<double>(other) / static_cast<double>(all);
  }

 private:
  static constexpr bool kHashesKeys = requires(const P& primitive, K key) {
    primitive.stripe_of(key);
  };

  static constexpr bool kFenced = FencedLock<P, K>;

  struct NoFence {};
  using Fence = typename decltype([] {
    if constexpr (kFenced) {
      return std::type_identity<typename P::Fence>();
    } else {
      return std::type_identity<NoFence>();
    }
  }())::type;

  static void add_refusals(std::span<const Actor* const> actors, Proof& proof) {
    proof.expired_holds = 0;
    proof.refused_writes = 0;
    for (const Actor* actor : actors) {
      *proof.expired_holds += actor->expired_holds_;
      *proof.refused_writes += actor->refused_.size();
    }
  }

  std::size_t stripe_of(std::uint64_t key) const requires kHashesKeys {
    return primitive_.stripe_of(keys_[key]);
  }

  P& primitive_;
  const WorkloadSettings settings_;
  const Worker hold_;
  const KeySpace<K> keys_;
  const KeySequences sequences_;
  const std::unique_ptr<Record[]> records_;
  const std::unique_ptr<Fence[]> fences_;  // null where nothing is fenced
  HoldLines hold_lines_;
  std::optional<HolderBoard> board_;
};

}  // namespace lockbench
