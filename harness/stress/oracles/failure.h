// SPDX-License-Identifier: Apache-2.0

// Failure: what an oracle found wrong; and how often each oracle was asked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockbench::stress {

enum class Oracle : std::uint8_t {
  kExclusion,     // more holders of a key at once than its capacity
  kOrdering,      // a holder does not see all that the one before it did (memory orders)
  kConservation,  // an update made inside was lost
  kLease,         // a lease with two holders, or a number that does not exist
  kModel,         // a result that the sequential model forbids: owner, depth, try, timeout
  kToken,         // a fencing token that did not grow
  kCycle,         // threads wait for each other in a circle
  kProgress,      // somebody waits for ever though nobody is in the way
  kIndependence,  // a key waited for another key, though each has a lock of its own
  kResidue,       // something is left, or not free, when everybody has gone
  kLifetime,      // a word was used before its life or after it
  kCrash,         // the process died
  kNet,           // its Petri net cannot do what it did
  kFairness,      // a thread was passed over for too long: a failure, never a counterexample
};
inline constexpr std::size_t kOracles = 14;

std::string_view name_of(Oracle oracle);

struct Failure {
  Oracle oracle = Oracle::kExclusion;
  std::string what;  // one sentence: who, which key, what should have been
};

// How often each oracle was evaluated.
struct Evaluations {
  std::array<std::uint64_t, kOracles> times{};

  void count(Oracle oracle) { ++times[static_cast<std::size_t>(oracle)]; }
  std::uint64_t operator[](Oracle oracle) const { return times[static_cast<std::size_t>(oracle)]; }
  void add(const Evaluations& other) {
    for (std::size_t i = 0; i < kOracles; ++i) times[i] += other.times[i];
  }
};

}  // namespace lockbench::stress
