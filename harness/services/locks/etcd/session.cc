// SPDX-License-Identifier: Apache-2.0

#include "harness/services/locks/etcd/session.h"

#include <utility>

#include "harness/services/locks/etcd/requests.h"

namespace lockbench::services {

bool renew(EtcdGateway& gateway, EtcdLease& lease, RequestCounts& counts) {
  // The lease is counted from before the request, so it never ends later here than at the server.
  const platform::Time asked = platform::now();
  const Json answer = gateway.request(kKeepAlive, {{"ID", lease.id}});
  if (number_of(part_of(part_of(answer, "result"), "TTL")) == 0) return false;
  lease.end = asked + lease.length;
  counts.renewals.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void EtcdSession::grant() {
  const platform::Time asked = platform::now();
  const Json answer = gateway_.request(kGrant, {{"TTL", std::to_string(address_.lease.count())}});
  auto lease = std::make_shared<EtcdLease>();
  lease->id = text_of(part_of(answer, "ID"));
  lease->length = std::chrono::seconds(number_of(part_of(answer, "TTL")));
  if (lease->id.empty() || lease->length.count() == 0) gateway_.refuse("has granted no lease");
  lease->end = asked + lease->length;
  lease_ = std::move(lease);
}

const std::shared_ptr<EtcdLease>& EtcdSession::fresh_lease() {
  if (lease_ != nullptr) {
    const platform::Time late = lease_->end.load() - lease_->length / 3;
    const bool is_fresh = !lease_->lost && platform::now() < late;
    // A renewal that the watchdog has missed is asked for, too: a lease that is gone is replaced.
    if (!is_fresh && (lease_->lost || !renew(gateway_, *lease_, counts_))) lease_.reset();
  }
  if (lease_ == nullptr) grant();
  return lease_;
}

bool EtcdSession::revoke_lease() {
  const std::shared_ptr<EtcdLease> lease = std::exchange(lease_, nullptr);
  return lease != nullptr && gateway_.ask(kRevoke, {{"ID", lease->id}}).error.empty();
}

}  // namespace lockbench::services
