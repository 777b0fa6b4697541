// SPDX-License-Identifier: Apache-2.0

// The members that a lock of a service adds to the contract of a handle (concepts.h). The service
// is a program that many machines use, for example a database server.
//
//   auto account = locks.handle(user_id);
//   if (const TryResult got = account.try_lock_for(2s); !got) return told(got.reason());
//   …                                    // a write to a resource passes account.token() to it
//   if (account.lost()) undo();          // the hold ended early; the resource refuses the token
//   account.unlock();
//
// Rules for every handle of a lock of a service
//   - lock() returns with the hold, or throws ServiceError and holds nothing. It never treats a
//     lost connection as success;
//   - try_lock(), try_lock_for() and try_lock_until() return a TryResult, which contains the
//     reason if nothing is held. They throw nothing;
//   - lost() returns whether the hold is known to have ended before unlock(). It may be late: the
//     process, the network or the service may have been paused;
//   - token() is greater than the tokens of all earlier holds of the key, if the service can
//     provide that; a resource that compares tokens refuses a late holder (fence.h);
//   - unlock() throws nothing. If the service cannot be reached, the hold ends when it expires.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <stdexcept>

#include "primitives/concepts.h"

namespace lockbench {

// The service cannot be reached, has ended, or gave an answer that makes no sense. what() names the
// service, says what happened, and what would be right.
class ServiceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Why a try to acquire a key ended.
enum class TryReason : std::uint8_t {
  kAcquired,
  kHeld,        // others hold the key; of try_lock()
  kTimedOut,    // others held the key until the time was up
  kServiceLost  // the service could not be asked, or did not answer
};

// True if the key was acquired.
class TryResult {
 public:
  constexpr TryResult(TryReason reason) : reason_(reason) {}  // NOLINT: implicit by intent
  constexpr operator bool() const { return reason_ == TryReason::kAcquired; }  // NOLINT: the same
  constexpr TryReason reason() const { return reason_; }

 private:
  TryReason reason_;
};

// The requests of a primitive to its service since it was made, of all threads and processes.
struct ServiceUse {
  std::uint64_t acquisitions = 0;  // that succeeded
  std::uint64_t round_trips = 0;   // answered requests, including renewals
  std::uint64_t bytes_sent = 0;    // with these requests, in the service's protocol; 0: not known
  std::uint64_t bytes_received = 0;
  std::uint64_t reconnects = 0;  // connections that replaced a lost one
  std::uint64_t renewals = 0;    // extensions of holds
  double server_cpu_s = 0;       // processor time of the servers, as they report it
};

// A primitive whose locks are at a service.
template <class P, class K = std::uint64_t>
concept ServiceLock = KeyedLock<P, K> && P::kPromises.scope ==
                      Scope::kService&& P::kPromises.fallible&& requires(
                          HandleOf<P, K>& handle, P& primitive, std::chrono::nanoseconds timeout) {
  { handle.try_lock() } -> std::same_as<TryResult>;
  { handle.try_lock_for(timeout) } -> std::same_as<TryResult>;
  { handle.lost() } -> std::convertible_to<bool>;
  { primitive.service_use() } -> std::same_as<ServiceUse>;
};

}  // namespace lockbench
