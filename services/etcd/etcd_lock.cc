// SPDX-License-Identifier: Apache-2.0

#include "services/etcd/etcd_lock.h"

#include <algorithm>

namespace lockbench::services {

EtcdLock::EtcdLock(const EtcdGateway::Address& members, EtcdLockSettings settings)
    : settings_(settings),
      server_(members),
      sessions_({.members = members, .lease = settings.lease}, server_.counts()),
      watchdog_(std::chrono::nanoseconds(settings.lease) / 3,
                [this](EtcdLease& lease) { renew(lease); }) {}

void EtcdLock::renew(EtcdLease& lease) {
  try {
    if (!services::renew(*server_.connection(), lease, server_.counts())) lease.lost = true;
  } catch (const ServiceError&) {
    // The lease ends by itself, and lost() says so then.
  }
}

EtcdLock::Handle EtcdLock::handle(std::uint64_t key) {
  return {*this, server_.name_of(std::to_string(key))};
}

EtcdLock::Handle EtcdLock::handle(std::string_view key) {
  return {*this, server_.name_of(key)};
}

// Without a value: the lease has ended, and the claim with it.
std::optional<TryReason> EtcdLock::try_once(Handle& handle, bool waits, platform::Time deadline) {
  using Place = EtcdClaim::Place;
  auto claim = std::make_unique<EtcdClaim>(clients(), handle.prefix_);
  Place place = claim->enter(!waits);
  while (place == Place::kWaiting) {
    const platform::Time now = platform::now();
    if (now >= deadline) {
      claim->leave();
      return TryReason::kTimedOut;
    }
    place = claim->await_change(std::min<platform::Time>(deadline, now + settings_.poll));
  }
  if (place == Place::kRefused) return TryReason::kHeld;
  if (place == Place::kGone) return std::nullopt;
  handle.token_ = claim->token();
  handle.claim_ = std::move(claim);
  server_.counts().acquisitions.fetch_add(1, std::memory_order_relaxed);
  return TryReason::kAcquired;
}

TryReason EtcdLock::acquire(Handle& handle, bool waits, platform::Time deadline) {
  handle.ended_early_ = false;
  for (;;) {
    if (const auto reason = try_once(handle, waits, deadline)) return *reason;
    if (waits && platform::now() >= deadline) return TryReason::kTimedOut;
  }
}

TryResult EtcdLock::Handle::try_until(bool waits, platform::Time deadline) {
  try {
    return lock_.acquire(*this, waits, deadline);
  } catch (const ServiceError&) {
    return TryReason::kServiceLost;
  }
}

// If the server cannot be reached, the lease ends by itself.
void EtcdLock::Handle::unlock() {
  ended_early_ = claim_->is_over();
  try {
    if (!claim_->leave()) ended_early_ = true;
  } catch (const ServiceError&) {
    ended_early_ = true;
  }
  claim_.reset();
}

}  // namespace lockbench::services
