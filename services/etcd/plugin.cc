// SPDX-License-Identifier: Apache-2.0

// The plug-in etcd.so: locks at etcd.
#include <chrono>
#include <lockbench/plugin.h>
#include <memory>

#include "services/address.h"
#include "services/etcd/etcd_lock.h"

namespace {

using namespace lockbench::services;  // NOLINT: the file has nothing else
using lockbench::Arguments;
using std::chrono::milliseconds;

constexpr char kService[] = "etcd";

std::unique_ptr<EtcdLock> make_lock(const Arguments& with) {
  const auto lease = std::chrono::ceil<std::chrono::seconds>(milliseconds(with["lease_ms"]));
  return std::make_unique<EtcdLock>(
      EtcdQueues::Address{.members = addresses_of(kService), .lease = lease},
      milliseconds(with["poll_ms"]));
}

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add_line(lockbench::Line<EtcdLock>{
      {.name = "etcd",
       .summary = "a name with a lease, the lowest create revision, wake-up by a watch",
       .origin = "etcd's recipe",
       .numbers = {{"lease_ms", 10'000, 1'000, 3'600'000,
                    "a hold that is not renewed ends then; etcd counts in whole seconds"},
                   {"poll_ms", 1'000, 1, 60'000, "the longest wait without an event"}},
       .service = kService},
      make_lock});
}
