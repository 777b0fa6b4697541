// SPDX-License-Identifier: Apache-2.0

// The plug-in zookeeper.so: locks at ZooKeeper.
#include <chrono>
#include <lockbench/plugin.h>
#include <memory>

#include "services/address.h"
#include "services/zookeeper/zookeeper_lock.h"

namespace {

using namespace lockbench::services;  // NOLINT: the file has nothing else
using lockbench::Arguments;
using std::chrono::milliseconds;

constexpr char kService[] = "zookeeper";

std::unique_ptr<ZooKeeperLock> make_lock(const Arguments& with) {
  return std::make_unique<ZooKeeperLock>(
      ZooKeeperAddress{.members = addresses_of(kService),
                       .timeout = milliseconds(with["lease_ms"])},
      milliseconds(with["poll_ms"]));
}

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add_line(lockbench::Line<ZooKeeperLock>{
      {.name = "zookeeper",
       .summary = "an ephemeral node, the lowest number, wake-up by a watch of the one before it",
       .origin = "ZooKeeper's recipe",
       .numbers = {{"lease_ms", 10'000, 500, 60'000,
                    "a session of which the server hears nothing ends then"},
                   {"poll_ms", 1'000, 1, 60'000, "the longest wait without an event"}},
       .service = kService},
      make_lock});
}
