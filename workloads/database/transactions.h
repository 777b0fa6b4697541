// SPDX-License-Identifier: Apache-2.0

// Transactions: acquire a lease of a shard, work with the connection of that number, release the
// lease.
//
// An operation reads the connection's record, holds, as a program does that computes something from
// the data, and in one transaction writes the value plus one. The work of every sixteenth operation
// throws before it commits: the transaction is rolled back, and the lease is returned nevertheless.
//
// Proof. A connection in use must not be given to another thread: a thread that finds it in use
// counts a violation and does not use it. Each thread counts its commits for each shard; the
// database must have the same number afterwards. Then it must be possible to acquire every lease,
// and no more.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workloads/database/sharded_database.h"
#include "workloads/leases_at_rest.h"
#include "workloads/operation.h"

namespace lockbench {

template <class P, Key K>
class Transactions {
 public:
  using KeyKind = K;

  static constexpr std::string_view kName = "database";
  static constexpr std::string_view kSummary =
      "a transaction on the connection of one's lease: SQLite files, or with :postgresql the "
      "server at $LOCKBENCH_POSTGRES";
  static constexpr bool kAccepts = LeaseLock<P, K>;
  static constexpr std::string_view kNeeds = "numbered leases (lease and its peers)";
  static constexpr std::array<std::string_view, 1> kScenarios{"postgresql"};
  static constexpr std::array<std::string_view, 4> kUsualPrimitives{"lease", "lease_condvar",
                                                                    "lease_tbb", "lease_semaphore"};
  static constexpr std::uint64_t kUsualKeys = 1;
  static constexpr std::uint64_t kThrowsEvery = 16;
  static constexpr std::uint64_t kMostConnections = 1000;

  static std::string refusal(const WorkloadSettings& settings, std::uint64_t holders) {
    const std::uint64_t shards = settings.keys;
    if (shards > kMostConnections || shards * holders > kMostConnections) {
      return "opens a connection for each lease of each shard, " + std::to_string(holders) +
             " for each of " + std::to_string(shards) + " keys here; take " +
             std::to_string(kMostConnections) + " or fewer in all";
    }
    if (!served_by_others(settings) || !settings.server.empty()) return {};
    return "needs a server; set LOCKBENCH_POSTGRES to its address, as "
           "postgresql://user@host/name, or take 'database', which is SQLite";
  }

  // Processes that do not belong to the trial work for it.
  static bool served_by_others(const WorkloadSettings& settings) {
    return settings.scenario == kScenarios[0];
  }

  // Throws DatabaseError.
  Transactions(P& primitive, const WorkloadSettings& settings, const SpinPace& pace)
      : Transactions(primitive, settings, pace,
                     open_database({.shards = settings.keys, .connections = primitive.capacity()},
                                   served_by_others(settings) ? settings.server : "")) {}

  Transactions(P& primitive, const WorkloadSettings& settings, const SpinPace& pace,
               std::unique_ptr<ShardedDatabase> database)
      : primitive_(primitive),
        settings_(settings),
        hold_(settings.hold, pace),
        keys_(settings.keys, "shard-", ""),
        sequences_(KeySequences::draw(settings)),
        database_(std::move(database)),
        users_(new User[settings.keys * primitive.capacity()]),
        hold_lines_(settings.keys * primitive.capacity(), hold_.lines()) {}

 private:
  // The thread that uses a connection.
  struct alignas(platform::kCacheLine) User {
    std::atomic<std::uint64_t> name{0};
  };

  // The exception that the work throws.
  struct Failure {};

 public:
  class Actor {
   public:
    Actor(Transactions& shared, std::uint32_t thread)
        : shared_(shared),
          cursor_(shared.sequences_.of(thread)),
          name_(thread + 1),
          commits_(shared.settings_.keys) {}

    template <class Probe>
    bool operate(Probe& probe) {
      const std::uint32_t shard = cursor_.next();
      auto handle = shared_.primitive_.handle(shared_.keys_[shard]);
      if (!probe.acquire(handle, shared_.settings_.timeout)) [[unlikely]] {
        ++given_up_;
        return false;
      }
      try {
        const GivenBack<Probe, decltype(handle)> guard{probe, handle};
        use(shard, handle.lease());
      } catch (const Failure&) {
        // The lease has already been returned.
      }
      return true;
    }

    std::uint64_t given_up() const { return given_up_; }
    const Actor& tally() const { return *this; }

   private:
    friend class Transactions;

    template <class Probe, class Handle>
    struct GivenBack {
      Probe& probe;
      Handle& handle;
      ~GivenBack() { probe.release(handle); }
    };

    // Marks a connection as used by this actor, unless it is in use.
    class Turn {
     public:
      Turn(User& user, std::uint64_t name)
          // relaxed: this must not order anything that the lock under test has to order. It is one
          // atomic step, because the database library does not allow two threads to use one
          // connection.
          : user_(user), alone_(user.name.exchange(name, std::memory_order_relaxed) == kNobody) {}
      ~Turn() {
        // relaxed: this must not order anything that the lock under test has to order.
        if (alone_) user_.name.store(kNobody, std::memory_order_relaxed);
      }
      Turn(const Turn&) = delete;
      Turn& operator=(const Turn&) = delete;

      bool alone() const { return alone_; }

     private:
      User& user_;
      const bool alone_;
    };

    void use(std::uint32_t shard, std::uint32_t number) {
      const std::uint32_t capacity = shared_.primitive_.capacity();
      if (number >= capacity) [[unlikely]] {
        ++violations_;
        return;
      }
      const std::uint64_t index = std::uint64_t{shard} * capacity + number;
      const Turn turn(shared_.users_[index], name_);
      if (!turn.alone()) [[unlikely]] {
        ++violations_;
        return;
      }
      Connection& connection = shared_.database_->connection(shard, number);
      const std::uint64_t uses = connection.uses();
      shared_.hold_.perform(shared_.hold_lines_.of(index));
      Transaction transaction(connection);
      connection.set_uses(uses + 1);
      if (++transactions_ % kThrowsEvery == 0) throw Failure();
      transaction.commit();
      ++commits_[shard];
    }

    Transactions& shared_;
    KeyCursor cursor_;
    const std::uint64_t name_;
    std::vector<std::uint64_t> commits_;  // to each shard
    std::uint64_t transactions_ = 0;
    std::uint64_t given_up_ = 0;
    std::uint64_t violations_ = 0;
  };

  using Tally = Actor;

  Actor actor(std::uint32_t thread) { return Actor(*this, thread); }

  Proof prove(const Tallies<Tally>& actors) {
    Proof proof;
    for (const Actor* actor : actors) proof.violations += actor->violations_;
    for (std::uint64_t shard = 0; shard < settings_.keys; ++shard) {
      std::uint64_t expected = 0;
      for (const Actor* actor : actors) expected += actor->commits_[shard];
      const std::uint64_t found = database_->uses(shard);
      proof.lost_updates += expected > found ? expected - found : found - expected;
      proof.violations += wrong_leases(primitive_, keys_[shard]);
    }
    return proof;
  }

  std::optional<HoldBound> hold_bound() const { return bound_of_sequences(sequences_, settings_); }

 private:
  static constexpr std::uint64_t kNobody = 0;

  P& primitive_;
  const WorkloadSettings settings_;
  const Worker hold_;
  const KeySpace<K> keys_;
  const KeySequences sequences_;
  const std::unique_ptr<ShardedDatabase> database_;
  const std::unique_ptr<User[]> users_;
  HoldLines hold_lines_;
};

}  // namespace lockbench
