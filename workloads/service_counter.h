// SPDX-License-Identifier: Apache-2.0

// ServiceCounter: processes that count in a resource outside of them, under the lock of a service.
//
// A hold of a service can end before its holder knows: the process stood still for longer than the
// lease, or the service forgot the hold. The resource therefore decides whether the lock was good
// enough. It has a number for each key. An operation reads the number, holds, and writes back one
// more. If the lock gives tokens, the resource gets one with each request. It refuses a request
// whose token is less than the greatest that it has seen, as Fence does (primitives/fence.h). With
// the scenario `unchecked`, it ignores tokens. Then, and if the lock gives no tokens, a late write
// undoes what others wrote. With `stopped` and `stopped_unchecked`, each process stands still in
// one of 25 holds for 2.5 s, as if its machine was suspended.
//
// Proof. Each process counts the writes that the resource accepted; their sum must be the sum of
// the numbers (`lost_updates`). A write that was accepted must follow the number that its process
// has read (`violations`). Refused writes were not made and are not lost (`refused_writes`).
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "primitives/platform/layout.h"
#include "primitives/platform/shared_array.h"
#include "primitives/service.h"
#include "workloads/operation.h"
#include "workloads/standstill.h"

namespace lockbench {

// Numbers with the greatest token that each has seen, in memory that processes share.
//
// Guarantees   update() is atomic. A process that is stopped or killed in a call delays no other.
// Requires     children are forked after construction; each uses its own number.
//
// Invariants
//   I1  heads_[i] names the cell whose contents are in force for number i, with a count of changes,
//       so that no two changes have the same head.
//   I2  Only process p writes the cells of p, and never the one that a head names.
//   I3  A copy of a cell is whole if the head did not change while it was made.
class SharedRegisters {
 public:
  struct State {
    std::uint64_t number = 0;
    std::uint64_t greatest_token = 0;

    // The fence: false for a token that is smaller than one that was seen before.
    bool accept(std::uint64_t token) {
      if (token < greatest_token) return false;
      greatest_token = token;
      return true;
    }
  };

  SharedRegisters(std::uint64_t count, std::uint32_t processes)
      : processes_(processes), heads_(count), cells_(count * processes * 2) {}

  std::uint64_t count() const { return heads_.size(); }

  // Calls change(state), which changes its argument or returns false, and then nothing changes.
  // Calls it again if another process was faster. Returns what the last call returned.
  template <class Change>
  bool update(std::uint64_t index, std::uint32_t process, Change change) {
    for (;;) {
      // (1) acquire: synchronizes with (4), so that the cell's contents are seen.
      std::uint64_t head = heads_[index].word.load(std::memory_order_acquire);
      State state = copy_of(index, head);
      // (2) acquire: synchronizes with (3) if the copy has a part of a later state. The next load
      // then reads a later head.
      std::atomic_thread_fence(std::memory_order_acquire);
      if (heads_[index].word.load(std::memory_order_relaxed) != head) continue;
      if (!change(state)) return false;
      const std::uint64_t own = own_cell(process, head);
      // (3) release: processes that read the cell at (2) also see the head that this process has
      // read.
      std::atomic_thread_fence(std::memory_order_release);
      cell(index, own).number.store(state.number, std::memory_order_relaxed);
      cell(index, own).greatest_token.store(state.greatest_token, std::memory_order_relaxed);
      const std::uint64_t next = ((head >> kCellBits) + 1) << kCellBits | (own + 1);
      // (4) release: publishes the cell to (1). relaxed on failure: the loop reads it again.
      if (heads_[index].word.compare_exchange_strong(head, next, std::memory_order_release,
                                                     std::memory_order_relaxed)) {
        return true;
      }
    }
  }

  // While no process changes it.
  State state(std::uint64_t index) const {
    return copy_of(index, heads_[index].word.load(std::memory_order_acquire));
  }

 private:
  struct alignas(platform::kCacheLine) Head {
    std::atomic<std::uint64_t> word{0};  // changes so far | number of the cell + 1; 0: none yet
  };
  struct Cell {
    std::atomic<std::uint64_t> number{0};
    std::atomic<std::uint64_t> greatest_token{0};
  };

  static constexpr std::uint64_t kCellBits = 20;
  static constexpr std::uint64_t kCellMask = (std::uint64_t{1} << kCellBits) - 1;

  // relaxed: (1) orders the loads, and update() drops a copy that is not whole (I3).
  State copy_of(std::uint64_t index, std::uint64_t head) const {
    if ((head & kCellMask) == 0) return {};
    const Cell& cell = cells_[index * processes_ * 2 + (head & kCellMask) - 1];
    return {.number = cell.number.load(std::memory_order_relaxed),
            .greatest_token = cell.greatest_token.load(std::memory_order_relaxed)};
  }

  // One of the two cells of the process, which the head does not name (I2).
  static std::uint64_t own_cell(std::uint32_t process, std::uint64_t head) {
    const std::uint64_t first = std::uint64_t{process} * 2;
    return (head & kCellMask) == first + 1 ? first + 1 : first;
  }

  Cell& cell(std::uint64_t index, std::uint64_t number) {
    return cells_[index * processes_ * 2 + number];
  }

  const std::uint64_t processes_;
  platform::SharedArray<Head> heads_;
  platform::SharedArray<Cell> cells_;
};

// The resource and what the processes did with it. This part does not depend on the primitive.
class CountingResource {
 public:
  CountingResource(const WorkloadSettings& settings)
      : checks_(!std::string_view(settings.scenario).ends_with("unchecked")),
        registers_(settings.keys, settings.threads),
        tallies_(settings.threads) {}

  // The number; false if the token is late.
  bool read(std::uint64_t key, std::uint32_t process, std::uint64_t token, std::uint64_t& number) {
    return registers_.update(key, process, [&](SharedRegisters::State& state) {
      number = state.number;
      return !checks_ || state.accept(token);
    });
  }

  // Writes seen + 1; false if the token is late.
  bool write(std::uint64_t key, std::uint32_t process, std::uint64_t token, std::uint64_t seen) {
    bool follows = true;
    const bool accepted = registers_.update(key, process, [&](SharedRegisters::State& state) {
      follows = state.number == seen;
      state.number = seen + 1;
      return !checks_ || state.accept(token);
    });
    Tally& tally = tallies_[process];
    add_one(accepted ? tally.accepted : tally.refused);
    if (accepted && !follows) add_one(tally.overwrote);
    return accepted;
  }

  void note_refused_read(std::uint32_t process) { add_one(tallies_[process].refused); }
  void note_lost_hold(std::uint32_t process) { add_one(tallies_[process].lost_holds); }

  Proof prove() const {
    Proof proof{.expired_holds = 0, .refused_writes = 0};
    std::uint64_t accepted = 0;
    for (const Tally& tally : tallies_) {
      accepted += tally.accepted.load();
      proof.violations += tally.overwrote.load();
      *proof.refused_writes += tally.refused.load();
      *proof.expired_holds += tally.lost_holds.load();
    }
    std::vector<std::uint64_t> numbers(registers_.count());
    std::uint64_t found = 0;
    for (std::uint64_t key = 0; key < numbers.size(); ++key) {
      numbers[key] = registers_.state(key).number;
      found += numbers[key];
    }
    proof.lost_updates = accepted > found ? accepted - found : found - accepted;
    proof.counts = list_counts(numbers);
    return proof;
  }

 private:
  // Only its process writes it.
  struct alignas(platform::kCacheLine) Tally {
    std::atomic<std::uint64_t> accepted{0};
    std::atomic<std::uint64_t> overwrote{0};
    std::atomic<std::uint64_t> refused{0};
    std::atomic<std::uint64_t> lost_holds{0};
  };

  static void add_one(std::atomic<std::uint64_t>& count) {
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  const bool checks_;
  SharedRegisters registers_;
  platform::SharedArray<Tally> tallies_;
};

template <class P, Key K>
class ServiceCounter {
 public:
  using KeyKind = K;

  static constexpr std::string_view kName = "service_counter";
  static constexpr std::string_view kSummary =
      "processes count in a resource that refuses late tokens, under the lock of a service";
  static constexpr bool kProcesses = true;
  static constexpr bool kAccepts = kOneHolder<P, K> && ServiceLock<P, K>;
  static constexpr std::string_view kNeeds = "a lock of a service (plug-ins have these)";
  static constexpr std::array<std::string_view, 3> kScenarios{"unchecked", "stopped",
                                                              "stopped_unchecked"};
  static constexpr std::uint64_t kUsualKeys = 1;

  static constexpr std::uint64_t kMostCells = std::uint64_t{1} << 22;

  // A lease of etcd lasts for at least two seconds at a server as it is installed.
  static constexpr std::uint64_t kHoldsPerStop = 25;
  static constexpr std::chrono::milliseconds kStandstill{2500};

  static std::string refusal(const WorkloadSettings& settings, std::uint64_t) {
    if (settings.keys * settings.threads <= kMostCells) return "";
    return "has memory for each key and process, at most " + std::to_string(kMostCells) +
           " keys × processes; take fewer";
  }

  ServiceCounter(P& primitive, const WorkloadSettings& settings, const SpinPace& pace)
      : primitive_(primitive),
        settings_(settings),
        stops_(settings.scenario.starts_with("stopped")),
        hold_(settings.hold, pace),
        names_(settings.keys, "counter-", ""),
        sequences_(KeySequences::draw(settings)),
        resource_(settings) {}

  // It runs in a process of its own.
  class Actor {
   public:
    Actor(ServiceCounter& workload, std::uint32_t process)
        : workload_(workload),
          process_(process),
          cursor_(workload.sequences_.of(process)),
          lines_(workload.hold_.lines()) {}

    template <class Probe>
    bool operate(Probe& probe) {
      const std::uint32_t key = cursor_.next();
      auto handle = workload_.primitive_.handle(workload_.names_[key]);
      if (!probe.acquire(handle, workload_.settings_.timeout)) [[unlikely]] {
        ++given_up_;
        return false;
      }
      const bool counted = count(key, token_of(handle));
      if (handle.lost()) workload_.resource_.note_lost_hold(process_);
      probe.release(handle);
      return counted;
    }

    std::uint64_t given_up() const { return given_up_; }
    const Actor& tally() const { return *this; }

   private:
    bool count(std::uint32_t key, std::uint64_t token) {
      CountingResource& resource = workload_.resource_;
      std::uint64_t seen = 0;
      if (!resource.read(key, process_, token, seen)) {
        resource.note_refused_read(process_);
        return false;
      }
      workload_.hold_.perform(lines_.data());
      // At another hold in each process, so that they do not all stand still at first.
      if (workload_.stops_ && holds_++ % kHoldsPerStop == process_ % kHoldsPerStop) {
        stand_still(kStandstill);
      }
      return resource.write(key, process_, token, seen);
    }

    ServiceCounter& workload_;
    const std::uint32_t process_;
    KeyCursor cursor_;
    std::vector<CacheLine> lines_;
    std::uint64_t holds_ = 0;
    std::uint64_t given_up_ = 0;
  };

  using Tally = Actor;

  Actor actor(std::uint32_t process) { return Actor(*this, process); }
  Proof prove(const Tallies<Tally>&) const { return resource_.prove(); }
  std::optional<HoldBound> hold_bound() const {
    if (stops_) return std::nullopt;  // it would know nothing of the time in which processes stop
    return bound_of_sequences(sequences_, settings_);
  }

 private:
  P& primitive_;
  const WorkloadSettings settings_;
  const bool stops_;
  const Worker hold_;
  const KeySpace<K> names_;
  const KeySequences sequences_;
  CountingResource resource_;
};

}  // namespace lockbench
