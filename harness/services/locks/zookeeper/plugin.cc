// SPDX-License-Identifier: Apache-2.0

// The plug-in zookeeper.so: locks at ZooKeeper.
#include <chrono>
#include <cstddef>
#include <lockbench/plugin.h>
#include <memory>

#include "harness/services/locks/address.h"
#include "harness/services/locks/cluster.h"
#include "harness/services/locks/zookeeper/zookeeper_lock.h"

namespace {

using namespace lockbench::services;  // NOLINT: the file has nothing else
using lockbench::Arguments;
using lockbench::Number;
using std::chrono::milliseconds;

constexpr char kService[] = "zookeeper";

const Number kLease{"lease_ms", 10'000, 500, 60'000,
                    "a session of which the server hears nothing ends then"};
const Number kPoll{"poll_ms", 1'000, 1, 60'000, "the longest wait without an event"};

ZooKeeperAddress address_of(const Arguments& with, std::size_t servers) {
  return {.members = addresses_of(kService, servers), .timeout = milliseconds(with["lease_ms"])};
}

std::unique_ptr<ZooKeeperLock> make_lock(const Arguments& with) {
  return std::make_unique<ZooKeeperLock>(address_of(with, with["members"]),
                                         milliseconds(with["poll_ms"]));
}

std::unique_ptr<ZooKeeperLock> make_as_published(const Arguments& with) {
  ZooKeeperAddress address = address_of(with, 1);
  address.finds_lost_nodes = false;
  return std::make_unique<ZooKeeperLock>(address, milliseconds(with["poll_ms"]));
}

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add_line(lockbench::Line<ZooKeeperLock>{
      {.name = "zookeeper",
       .summary = "an ephemeral node, the lowest number, wake-up by a watch of the one before it",
       .origin = "ZooKeeper's recipe",
       .numbers = {kLease, kPoll, members(1)},
       .service = kService},
      make_lock});
  locks.add_line(lockbench::Line<ZooKeeperLock>{
      {.name = "zookeeper_as_published",
       .summary = "the same, but a node is made again if its answer was lost, and not looked for",
       .origin = "tutorials",
       .numbers = {kLease, kPoll},
       .service = kService},
      make_as_published});
  locks.add_stress_line(
      lockbench::Line<ZooKeeperLock>{{.name = "zookeeper:members=3",
                                      .summary = "the same at an ensemble of three",
                                      .origin = "ZooKeeper's recipe",
                                      .numbers = {kLease, kPoll, members(3)},
                                      .service = kService},
                                     make_lock});
}
