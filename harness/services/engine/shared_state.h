// SPDX-License-Identifier: Apache-2.0

// SharedState: what the clients of an epoch record about themselves, in memory that they share and
// that remains after each of them has ended.
//
// Invariants
//   I1  The client with the number of a slot writes the slot's words, except `life`, which the
//       supervising process writes while the slot has no client.
//   I2  After a failure was noted, no client records acts: the trace ends there.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "harness/services/engine/holds.h"
#include "harness/services/engine/plan.h"
#include "harness/stress/oracles/failure.h"
#include "harness/stress/worker_slot.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/shared_array.h"

namespace lockbench::stress::services {

inline constexpr std::uint32_t kMostClients = 16;
inline constexpr std::uint32_t kOwnSlot = kMostClients;  // slot of the supervising process
inline constexpr std::uint32_t kNobody = ~std::uint32_t{0};

// One act of a client.
struct Act {
  enum Kind : std::uint8_t {
    kNone,
    kRequests,     // lock(), try_lock() or try_lock_for()
    kAcquires,     // `number`: the token; 0: none
    kIsRefused,    // the call returned without the key
    kIsToldLost,   // lock() threw ServiceError
    kReads,        // `number`: what the resource has
    kReadRefused,  // the resource refused the token
    kWrites,       // the resource accepted it; `number`: what it has now
    kWriteRefused,
    kOverwrites,  // the resource accepted a write of `number` that undid another one
    kReleases,    // calls unlock()
    kReleased,    // unlock() returned
    kEnds,
  };
  Kind kind = kNone;
  std::uint32_t client = 0;
  std::uint32_t key = 0;
  std::uint64_t number = 0;
  std::uint64_t at_ns = 0;
};

// The last acts of one client, readable after its end.
class ClientTrace {
 public:
  void record(const Act& act) {
    Slot& slot = last_[get(count_) % kKept];
    put(slot.ns, act.at_ns);
    put(slot.number, act.number);
    put(slot.what,
        std::uint64_t{act.kind} | std::uint64_t{act.client} << 8 | std::uint64_t{act.key} << 32);
    add(count_);
  }

  // Appends the acts that are still stored, from `since_ns` on.
  void append_to(std::vector<Act>& acts, std::uint64_t since_ns) const {
    for (const Slot& slot : last_) {
      const std::uint64_t what = get(slot.what);
      if ((what & 0xff) == Act::kNone || get(slot.ns) < since_ns) continue;
      acts.push_back({.kind = static_cast<Act::Kind>(what & 0xff),
                      .client = static_cast<std::uint32_t>(what >> 8 & 0xff),
                      .key = static_cast<std::uint32_t>(what >> 32),
                      .number = get(slot.number),
                      .at_ns = get(slot.ns)});
    }
  }

 private:
  static constexpr std::size_t kKept = 512;
  struct Slot {
    Word ns;
    Word what;
    Word number;
  };
  Word count_;
  std::array<Slot, kKept> last_;
};

struct alignas(platform::kCacheLine) ClientSlot : WorkerSlot {
  ClientTrace trace;
  ClientHolds holds;  // of the epoch
  Word life;
  Word holding;       // the key that it holds, plus one
  Word requested_ns;  // since when it has been waiting; 0: it is not

  // Sums over all clients that had this slot in all epochs.
  Word refused_by_resource;  // by the resource, or refused reads
  Word lost_updates;         // accepted writes that undid others
  Word service_errors;

  // Sums over the clients of this slot in the epoch.
  std::array<Word, kMostKeys> begun;  // writes
  std::array<Word, kMostKeys> done;   // writes that were accepted
};

struct SharedState {
  Word stop;
  Word began_ns;
  Word failed_ns;  // when the failure was noted
  // The greatest token of each key that a client has returned with from lock().
  std::array<std::atomic<std::uint64_t>, kMostKeys> granted;
  std::array<ClientSlot, kMostClients + 1> slots;
  FirstFailure<kMostClients + 1> failure;
};

using SharedStateMemory = platform::SharedObject<SharedState>;

inline std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(stress::now_ns());
}

// Runs the oracles on what was seen of the client with this number. Returns false if one of them
// failed; then the state has a failure.
template <class Seen>
bool check(SharedState& state, std::uint32_t client, const Seen& seen) {
  const auto failure = state.slots[client].check(seen);
  if (failure && state.failure.note(client, *failure)) put(state.failed_ns, now_ns());
  return !failure;
}

}  // namespace lockbench::stress::services
