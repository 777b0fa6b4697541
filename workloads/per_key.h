// SPDX-License-Identifier: Apache-2.0

// PerKey: read the data of a key, hold, write it back.
//
// `Record` is the data of a key. It defines how a damaged record is detected:
//   Seen look() const;           the current contents
//   bool sound(Seen) const;      the contents can be the result of complete updates
//   void update(Seen);           writes the contents that follow `seen`
//   std::uint64_t updates() const;
//
// Proof. Each thread knows from its ring how often it updated each key; the sum must equal the
// record's count. No other thread may be inside, so the record must not change during the hold.
//
// If the primitive may take a key from a holder that is late, the record is read and written
// through the primitive's fence. The fence refuses the write of a late holder and reports that. The
// update was then not made, its operation does not count, and it is not tried again, because a hold
// that is longer than the limit would be late again. Every update that was accepted must be in the
// record, and the record must not change between a read and a write that both passed the fence. The
// row counts the refused writes and the holds that ended early.
//
// With the scenario `processes`, each thread is a process. The records and their fences are then in
// memory that the processes share, and each process leaves its counts there at its end.
//
// If the primitive hashes keys to fewer locks and the settings request it, timed acquisitions
// record whether the lock was held for their own key or for another one (a false conflict).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "primitives/platform/shared_array.h"
#include "workloads/fenced.h"
#include "workloads/holder_board.h"
#include "workloads/operation.h"
#include "workloads/process_fence.h"

namespace lockbench {

// The counts of the processes of a trial, in memory that they share with the process that proves.
class ProcessCounts {
 public:
  struct Counts {
    std::uint64_t operations = 0;
    std::uint64_t violations = 0;
    std::uint64_t expired_holds = 0;
  };

  ProcessCounts(std::uint32_t processes, std::uint64_t keys)
      : of_(processes), given_up_(keys), refused_(keys) {}

  // Called by the process, once.
  void save(std::uint32_t process, const Counts& counts, std::span<const std::uint32_t> given_up,
            std::span<const std::uint32_t> refused) {
    of_[process] = counts;
    add_each(given_up, given_up_);
    add_each(refused, refused_);
  }

  // The rest is for the parent, after all processes have ended.
  const Counts& of(std::uint32_t process) const { return of_[process]; }
  std::vector<std::uint32_t> given_up() const { return listed(given_up_); }
  std::vector<std::uint32_t> refused() const { return listed(refused_); }

 private:
  using TimesOfKeys = platform::SharedArray<std::atomic<std::uint64_t>>;

  // relaxed: the parent reads them after the process has ended.
  static void add_each(std::span<const std::uint32_t> keys, TimesOfKeys& times) {
    for (const std::uint32_t key : keys) times[key].fetch_add(1, std::memory_order_relaxed);
  }

  static std::vector<std::uint32_t> listed(const TimesOfKeys& times) {
    std::vector<std::uint32_t> keys;
    for (std::size_t key = 0; key < times.size(); ++key) {
      keys.insert(keys.end(), times[key].load(std::memory_order_relaxed),
                  static_cast<std::uint32_t>(key));
    }
    return keys;
  }

  platform::SharedArray<Counts> of_;  // only its process writes it
  TimesOfKeys given_up_;
  TimesOfKeys refused_;
};

// The part of the workload that is the same for every primitive. It is compiled once for each kind
// of key and record; the rest is compiled for dozens of primitives.
template <Key K, class Record>
class PerKeyBooks {
 public:
  // The counts of one thread.
  struct Tally {
    explicit Tally(const KeySequences& sequences, std::uint32_t thread)
        : cursor(sequences.of(thread)) {}

    KeyCursor cursor;
    std::uint64_t violations = 0;
    std::uint64_t true_conflicts = 0;
    std::uint64_t false_conflicts = 0;
    std::uint64_t expired_holds = 0;
    std::vector<std::uint32_t> given_up;  // keys that could not be acquired, so no update was made
    std::vector<std::uint32_t> refused;   // keys whose update came too late, so no update was made
  };

  PerKeyBooks(const WorkloadSettings& with, const SpinPace& pace)
      : settings(with),
        hold(with.hold, pace),
        keys(with.keys, Record::kKeyPrefix, Record::kKeySuffix),
        sequences(KeySequences::draw(with)),
        in_processes(with.scenario == kInProcesses),
        records(with.keys, in_processes),
        hold_lines(with.keys, hold.lines(), in_processes) {
    if (in_processes) saved_.emplace(with.threads, with.keys);
  }

  // Called in the process, at its end.
  void save(std::uint32_t process, const Tally& tally) {
    saved_->save(process,
                 {.operations = tally.cursor.taken(),
                  .violations = tally.violations,
                  .expired_holds = tally.expired_holds},
                 tally.given_up, tally.refused);
  }

  // `tallies` is empty if the workers were processes.
  Proof prove(const Tallies<Tally>& tallies, bool fenced) const {
    if (!in_processes) return proof_of(tallies, fenced);
    const std::vector<Tally> saved = saved_tallies();
    Tallies<Tally> all;
    for (const Tally& tally : saved) all.push_back(&tally);
    return proof_of(all, fenced);
  }

  HoldBound hold_bound() const { return bound_of_sequences(sequences, settings); }

  // The share of the conflicts seen that were false; absent if there were none.
  static std::optional<double> false_conflicts(const Tallies<Tally>& tallies) {
    std::uint64_t all = 0;
    std::uint64_t other = 0;
    for (const Tally* tally : tallies) {
      all += tally->true_conflicts + tally->false_conflicts;
      other += tally->false_conflicts;
    }
    if (all == 0) return std::nullopt;
    return static_cast<double>(other) / static_cast<double>(all);
  }

  const WorkloadSettings settings;
  const Worker hold;
  const KeySpace<K> keys;
  const KeySequences sequences;
  const bool in_processes;
  const GuardedArray<Record> records;
  HoldLines hold_lines;

 private:
  // The tallies as the processes had them. Keys whose updates were not made are all in the first.
  std::vector<Tally> saved_tallies() const {
    std::vector<Tally> tallies;
    for (std::uint32_t process = 0; process < settings.threads; ++process) {
      const ProcessCounts::Counts& counts = saved_->of(process);
      Tally& tally = tallies.emplace_back(sequences, process);
      tally.cursor.skip(counts.operations);
      tally.violations = counts.violations;
      tally.expired_holds = counts.expired_holds;
    }
    tallies.front().given_up = saved_->given_up();
    tallies.front().refused = saved_->refused();
    return tallies;
  }

  Proof proof_of(const Tallies<Tally>& tallies, bool fenced) const {
    Proof proof;
    std::vector<std::uint64_t> expected(settings.keys);
    for (const Tally* tally : tallies) {
      proof.violations += tally->violations;
      tally->cursor.count_into(expected);
      for (const std::uint32_t key : tally->given_up) --expected[key];
      for (const std::uint32_t key : tally->refused) --expected[key];
    }
    if (fenced) add_refusals(tallies, proof);
    compare_records(records.all(), expected, proof);
    return proof;
  }

  static void add_refusals(const Tallies<Tally>& tallies, Proof& proof) {
    proof.expired_holds = 0;
    proof.refused_writes = 0;
    for (const Tally* tally : tallies) {
      *proof.expired_holds += tally->expired_holds;
      *proof.refused_writes += tally->refused.size();
    }
  }

  std::optional<ProcessCounts> saved_;  // absent if the workers are threads
};

template <class P, Key K, class Record>
class PerKey {
 public:
  using KeyKind = K;
  using Tally = typename PerKeyBooks<K, Record>::Tally;

  static constexpr bool kAccepts = kOneHolder<P, K>;
  static constexpr std::string_view kNeeds = "at most one holder of a key";
  static constexpr std::array<std::string_view, 1> kScenarios{kInProcesses};

  PerKey(P& primitive, const WorkloadSettings& settings, const SpinPace& pace)
      : primitive_(primitive),
        books_(settings, pace),
        fences_(kFenced && !books_.in_processes ? new Fence[settings.keys] : nullptr) {
    if (kFenced && books_.in_processes) process_fences_.emplace(settings.keys, true);
    if (kHashesKeys && settings.watch_conflicts) board_.emplace(settings.threads);
  }

  class Actor {
   public:
    Actor(PerKey& shared, std::uint32_t thread)
        : shared_(shared), thread_(thread), tally_(shared.books_.sequences, thread) {}

    template <class Probe>
    bool operate(Probe& probe) {
      const std::uint32_t key = tally_.cursor.next();
      auto handle = shared_.primitive_.handle(shared_.books_.keys[key]);
      if (Probe::kWatches) note_conflicts(key);
      if (!probe.acquire(handle, shared_.books_.settings.timeout)) [[unlikely]] {
        tally_.given_up.push_back(key);
        return false;
      }
      if (kHashesKeys && shared_.board_) shared_.board_->hold(thread_, key);
      const bool updated = update(key, handle);
      if (kHashesKeys && shared_.board_) shared_.board_->leave(thread_);
      probe.release(handle);
      if constexpr (kFenced) tally_.expired_holds += handle.expired() ? 1 : 0;
      return updated;
    }

    std::uint64_t given_up() const { return tally_.given_up.size(); }
    const Tally& tally() const { return tally_; }

   private:
    template <class Handle>
    bool update(std::uint32_t key, [[maybe_unused]] const Handle& handle) {
      Record& record = shared_.books_.records[key];
      if constexpr (kFenced) {
        if (kBetweenProcesses && shared_.process_fences_) {
          return update_through((*shared_.process_fences_)[key], handle.token(), key);
        }
        return update_through(shared_.fences_[key], handle.token(), key);
      } else {
        const auto seen = record.look();
        shared_.books_.hold.perform(shared_.books_.hold_lines.of(key));
        write_back(record, seen);
        return true;
      }
    }

    bool update_through(auto& fence, std::uint64_t token, std::uint32_t key) {
      Record& record = shared_.books_.records[key];
      decltype(record.look()) seen{};
      const bool read = fence.pass(token, [&] { seen = record.look(); });
      shared_.books_.hold.perform(shared_.books_.hold_lines.of(key));
      if (read && fence.pass(token, [&] { write_back(record, seen); })) return true;
      tally_.refused.push_back(key);
      return false;
    }

    template <class Seen>
    void write_back(Record& record, const Seen& seen) {
      if (record.look() != seen || !record.sound(seen)) [[unlikely]]
        ++tally_.violations;
      record.update(seen);
    }

    // Counts the threads that hold the lock that `key` needs, according to the board.
    void note_conflicts(std::uint32_t key) {
      if constexpr (kHashesKeys) {
        if (!shared_.board_) return;
        const std::size_t stripe = shared_.stripe_of(key);
        shared_.board_->for_each_held([&](std::uint64_t held) {
          if (held == key) {
            ++tally_.true_conflicts;
          } else if (shared_.stripe_of(held) == stripe) {
            ++tally_.false_conflicts;
          }
        });
      }
    }

    PerKey& shared_;
    const std::uint32_t thread_;
    Tally tally_;
  };

  Actor actor(std::uint32_t thread) { return Actor(*this, thread); }

  void save(std::uint32_t process, const Tally& tally) { books_.save(process, tally); }
  Proof prove(const Tallies<Tally>& tallies) const { return books_.prove(tallies, kFenced); }

  std::optional<HoldBound> hold_bound() const { return books_.hold_bound(); }

  static std::optional<double> false_conflicts(const Tallies<Tally>& tallies) {
    return PerKeyBooks<K, Record>::false_conflicts(tallies);
  }

 private:
  static constexpr bool kHashesKeys = requires(const P& primitive, K key) {
    primitive.stripe_of(key);
  };

  static constexpr bool kFenced = FencedLock<P, K>;
  static constexpr bool kBetweenProcesses = locks_between_processes(P::kPromises);

  struct NoFence {};
  using Fence = typename decltype([] {
    if constexpr (kFenced) {
      return std::type_identity<typename P::Fence>();
    } else {
      return std::type_identity<NoFence>();
    }
  }())::type;

  std::size_t stripe_of(std::uint64_t key) const requires kHashesKeys {
    return primitive_.stripe_of(books_.keys[key]);
  }

  P& primitive_;
  PerKeyBooks<K, Record> books_;
  const std::unique_ptr<Fence[]> fences_;  // null if the primitive has no fence, and for processes
  std::optional<GuardedArray<ProcessFence>> process_fences_;
  std::optional<HolderBoard> board_;
};

}  // namespace lockbench
