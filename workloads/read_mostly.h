// SPDX-License-Identifier: Apache-2.0

// ReadMostly: look at a user's record, or, in a share of the operations, write all of it back. This
// is what locks with shared holds are made for.
//
// A reader takes a shared hold if the primitive has them, and an exclusive one otherwise. So the
// same cell compares locks for readers and writers with plain ones.
//
// Proof. Each thread knows from its ring how often it wrote each key; the sum must equal the
// record's count. No writer may be inside together with another thread: every holder of the key,
// reader or writer, must find a consistent record that does not change during the hold.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "primitives/key_guard.h"
#include "workloads/accounts.h"
#include "workloads/fenced.h"
#include "workloads/operation.h"
#include "workloads/operation_ring.h"

namespace lockbench {

// The part of the workload that is the same for every primitive.
template <Key K>
class ReadMostlyBooks {
 public:
  // The counts of one thread.
  struct Tally {
    explicit Tally(std::span<const std::uint32_t> ring) : cursor(ring) {}

    KeyCursor cursor;
    std::uint64_t violations = 0;
    std::uint64_t given_up = 0;
    std::vector<std::uint32_t> unwritten;  // keys whose write was given up
  };

  ReadMostlyBooks(const WorkloadSettings& with, const SpinPace& pace)
      : settings(with),
        hold(with.hold, pace),
        keys(with.keys, AccountRecord::kKeyPrefix, AccountRecord::kKeySuffix),
        rings(OperationRings::draw(with)),
        records(new AccountRecord[with.keys]) {}

  Proof prove(const Tallies<Tally>& tallies) const {
    Proof proof;
    std::vector<std::uint64_t> expected(settings.keys);
    for (const Tally* tally : tallies) {
      proof.violations += tally->violations;
      count_writes(tally->cursor, expected);
      for (const std::uint32_t key : tally->unwritten) --expected[key];
    }
    compare_records(std::span<const AccountRecord>(records.get(), settings.keys), expected, proof);
    return proof;
  }

  // Under a perfect lock, only the writes of a key exclude each other.
  HoldBound hold_bound() const {
    std::vector<std::uint64_t> writes(settings.keys);
    for (std::uint32_t thread = 0; thread < settings.threads; ++thread) {
      KeyCursor cursor(rings.of(thread));
      cursor.skip(settings.operations);
      count_writes(cursor, writes);
    }
    return {.busiest_key_holds = *std::max_element(writes.begin(), writes.end()),
            .busiest_thread_holds = settings.operations,
            .holds = settings.operations * settings.threads};
  }

  const WorkloadSettings settings;
  const Worker hold;
  const KeySpace<K> keys;
  const OperationRings rings;
  const std::unique_ptr<AccountRecord[]> records;

 private:
  static void count_writes(const KeyCursor& cursor, std::vector<std::uint64_t>& tally) {
    cursor.for_each([&tally](std::uint32_t entry, std::uint64_t times) {
      const Operation operation = OperationRings::decode(entry);
      if (operation.writes) tally[operation.key] += times;
    });
  }
};

template <class P, Key K>
class ReadMostly {
 public:
  using KeyKind = K;
  using Tally = typename ReadMostlyBooks<K>::Tally;

  static constexpr std::string_view kName = "read_mostly";
  static constexpr std::string_view kSummary =
      "reads a user's record under a shared hold if there are any; a share of the operations "
      "writes it";
  static constexpr bool kAccepts = kOneHolder<P, K> && !FencedLock<P, K>;
  static constexpr std::string_view kNeeds = "at most one holder of a key, which keeps it";
  static constexpr std::array<std::string_view, 0> kScenarios{};
  static constexpr double kUsualWriteShare = 0.01;
  static constexpr std::array<std::string_view, 6> kUsualPrimitives{
      "global:lock=std", "global:lock=std_shared",  "keyed_table",
      "keyed",           "striped:lock=std_shared", "keyed_shared"};

  static std::string refusal(const WorkloadSettings& settings, std::uint64_t) {
    if (settings.hold.kind == Work::Kind::kTouch) {
      return "has readers, which write no cache lines; take a hold that spins or sleeps, as 200ns";
    }
    if (settings.watch_conflicts) return "cannot watch conflicts; leave watch out";
    return {};
  }

  ReadMostly(P& primitive, const WorkloadSettings& settings, const SpinPace& pace)
      : primitive_(primitive), books_(settings, pace) {}

  class Actor {
   public:
    Actor(ReadMostly& shared, std::uint32_t thread)
        : shared_(shared), tally_(shared.books_.rings.of(thread)) {}

    template <class Probe>
    bool operate(Probe& probe) {
      const Operation operation = OperationRings::decode(tally_.cursor.next());
      const auto make = [&] {
        return shared_.primitive_.handle(shared_.books_.keys[operation.key]);
      };
      if (operation.writes) return write(probe, make(), operation.key);
      if constexpr (SharedLockable<HandleOf<P, K>>) {
        return read(probe, SharedHold<HandleOf<P, K>>(make), operation.key);
      } else {
        return read(probe, make(), operation.key);
      }
    }

    std::uint64_t given_up() const { return tally_.given_up; }
    const Tally& tally() const { return tally_; }

   private:
    template <class Probe, class Handle>
    bool write(Probe& probe, Handle&& handle, std::uint32_t key) {
      if (!probe.acquire(handle, shared_.books_.settings.timeout)) [[unlikely]] {
        ++tally_.given_up;
        tally_.unwritten.push_back(key);
        return false;
      }
      AccountRecord& record = shared_.books_.records[key];
      record.update(look_during_hold(record));
      probe.release(handle);
      return true;
    }

    template <class Probe, class Handle>
    bool read(Probe& probe, Handle&& handle, std::uint32_t key) {
      if (!probe.acquire(handle, shared_.books_.settings.timeout)) [[unlikely]] {
        ++tally_.given_up;
        return false;
      }
      look_during_hold(shared_.books_.records[key]);
      probe.release(handle);
      return true;
    }

    AccountRecord::Seen look_during_hold(const AccountRecord& record) {
      const AccountRecord::Seen seen = record.look();
      shared_.books_.hold.perform(nullptr);
      if (record.look() != seen || !AccountRecord::sound(seen)) [[unlikely]]
        ++tally_.violations;
      return seen;
    }

    ReadMostly& shared_;
    Tally tally_;
  };

  Actor actor(std::uint32_t thread) { return Actor(*this, thread); }

  Proof prove(const Tallies<Tally>& tallies) const { return books_.prove(tallies); }

  std::optional<HoldBound> hold_bound() const { return books_.hold_bound(); }

 private:
  P& primitive_;
  ReadMostlyBooks<K> books_;
};

}  // namespace lockbench
