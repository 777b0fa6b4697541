// SPDX-License-Identifier: Apache-2.0

// QueueLock: a lock per key at a service that keeps names in the order in which they were made.
//
// A client that wants a key makes a name in the queue for the key, which ends with the client. Who
// is first holds the key. Each other client waits until the name before its own has gone, so a
// release wakes one client.
//
// Guarantees   those of the service's queues, and FIFO order of those that wait by lock() or with a
//              timeout.
// Requires     `Queues` with
//                Queues(address)           throws ServiceError if the service cannot be used
//                queue_of(key)             the queue for a key: a text
//                counts(), use()           as in connection_pool.h and service.h
//                Claim(queues, queue)      a name, which is in no queue yet; a claim that is
//                                          destroyed without leave() gives its name up
//                  enter(only_if_free)     enters the queue, with `only_if_free` only if it is
//                  empty await_change(deadline)  its position when the name before it has gone; at
//                                          the latest after the deadline; may return early
//                  leave()                 leaves the queue; false: the name had gone before
//                  is_over()               the name has gone, as far as this process knows
//                  token()                 of a claim that holds: greater than those before it
//              All of them but is_over() and token() throw ServiceError.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "harness/services/locks/service_lock.h"
#include "primitives/fence.h"
#include "primitives/platform/clock.h"
#include "primitives/service.h"

namespace lockbench::services {

// The position of a claim in its queue.
enum class QueuePosition : std::uint8_t {
  kFirst,    // it holds the key
  kWaiting,  // others are before it
  kRefused,  // others are there, and it has not entered
  kGone      // its name has ended with its lease or session
};

template <class Queues>
class QueueLock {
 public:
  static constexpr Promises kPromises = kServicePromises;
  using Fence = lockbench::Fence;

  class Handle;

  // `poll`: the longest wait without an event. Throws ServiceError.
  QueueLock(const typename Queues::Address& address, std::chrono::milliseconds poll)
      : poll_(poll), queues_(address) {}

  Handle handle(std::uint64_t key) { return {*this, queues_.queue_of(std::to_string(key))}; }
  Handle handle(std::string_view key) { return {*this, queues_.queue_of(key)}; }

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }  // of this process
  ServiceUse service_use() { return queues_.use(); }

 private:
  using Claim = typename Queues::Claim;

  std::optional<TryReason> try_once(Handle& handle, bool waits, platform::Time deadline);
  TryReason acquire(Handle& handle, bool waits, platform::Time deadline);

  const std::chrono::milliseconds poll_;
  Queues queues_;
};

template <class Queues>
class QueueLock<Queues>::Handle : public ServiceMembers<Handle> {
 public:
  Handle(QueueLock& lock, std::string queue) : lock_(lock), queue_(std::move(queue)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void unlock();

  // The hold has ended, or its lease is over by this process's clock. After unlock(): it had.
  bool lost() const { return ended_early_ || (claim_ != nullptr && claim_->is_over()); }
  bool expired() const { return lost(); }
  std::uint64_t token() const { return token_; }

 private:
  friend QueueLock;
  friend ServiceMembers<Handle>;
  TryReason acquire(bool waits, platform::Time deadline) {
    return lock_.acquire(*this, waits, deadline);
  }

  QueueLock& lock_;
  const std::string queue_;
  std::unique_ptr<Claim> claim_;
  std::uint64_t token_ = 0;
  bool ended_early_ = false;
};

// Without a value: the claim has gone.
template <class Queues>
std::optional<TryReason> QueueLock<Queues>::try_once(Handle& handle, bool waits,
                                                     platform::Time deadline) {
  auto claim = std::make_unique<Claim>(queues_, handle.queue_);
  QueuePosition position = claim->enter(!waits);
  while (position == QueuePosition::kWaiting) {
    const platform::Time now = platform::now();
    if (now >= deadline) {
      claim->leave();
      return TryReason::kTimedOut;
    }
    position = claim->await_change(std::min<platform::Time>(deadline, now + poll_));
  }
  if (position == QueuePosition::kRefused) return TryReason::kHeld;
  if (position == QueuePosition::kGone) return std::nullopt;
  handle.token_ = claim->token();
  handle.claim_ = std::move(claim);
  queues_.counts().acquisitions.fetch_add(1, std::memory_order_relaxed);
  return TryReason::kAcquired;
}

template <class Queues>
TryReason QueueLock<Queues>::acquire(Handle& handle, bool waits, platform::Time deadline) {
  handle.ended_early_ = false;
  for (;;) {
    if (const auto reason = try_once(handle, waits, deadline)) return *reason;
    if (waits && platform::now() >= deadline) return TryReason::kTimedOut;
  }
}

// If the service cannot be reached, the name ends by itself.
template <class Queues>
void QueueLock<Queues>::Handle::unlock() {
  ended_early_ = claim_->is_over();
  try {
    if (!claim_->leave()) ended_early_ = true;
  } catch (const ServiceError&) {
    ended_early_ = true;
  }
  claim_.reset();
}

}  // namespace lockbench::services
