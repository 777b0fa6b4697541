// SPDX-License-Identifier: Apache-2.0

#include "harness/services/locks/redis/as_published.h"

#include <algorithm>
#include <thread>

namespace lockbench::services {

TryReason RedisAsPublished::acquire(const std::string& name, bool waits, platform::Time deadline) {
  const RedisPool::Lease connection = server_.connection();
  for (;;) {
    if (connection->request({"SETNX", name, "1"})->integer == 1) {
      connection->request({"PEXPIRE", name, expiry_ms_});
      server_.counts().acquisitions.fetch_add(1, std::memory_order_relaxed);
      return TryReason::kAcquired;
    }
    if (!waits) return TryReason::kHeld;
    const platform::Time now = platform::now();
    if (now >= deadline) return TryReason::kTimedOut;
    std::this_thread::sleep_until(std::min<platform::Time>(deadline, now + settings_.poll));
  }
}

void RedisAsPublished::release(const std::string& name) {
  try {
    server_.connection()->request({"DEL", name});
  } catch (const ServiceError&) {
    // unlock() reports nothing: the key expires.
  }
}

}  // namespace lockbench::services
