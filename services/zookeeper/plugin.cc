// SPDX-License-Identifier: Apache-2.0

// The plug-in zookeeper.so: locks at ZooKeeper.
#include <chrono>
#include <cstdint>
#include <lockbench/plugin.h>
#include <memory>

#include "services/address.h"
#include "services/zookeeper/zookeeper_lock.h"

namespace {

using namespace lockbench::services;  // NOLINT: the file has nothing else
using lockbench::Arguments;
using lockbench::Number;
using std::chrono::milliseconds;

constexpr char kService[] = "zookeeper";

const Number kLease{"lease_ms", 10'000, 500, 60'000,
                    "a session of which the server hears nothing ends then"};
const Number kPoll{"poll_ms", 1'000, 1, 60'000, "the longest wait without an event"};

// For `lockbench run`, which a user tells how many; for `stress`, three have a name of their own.
Number members(std::uint64_t usual) {
  return {.parameter = "members",
          .usual = usual,
          .least = 1,
          .most = 7,
          .meaning = "servers of one ensemble",
          .servers = true};
}

std::unique_ptr<ZooKeeperLock> make_lock(const Arguments& with) {
  return std::make_unique<ZooKeeperLock>(
      ZooKeeperAddress{.members = addresses_of(kService, with["members"]),
                       .timeout = milliseconds(with["lease_ms"])},
      milliseconds(with["poll_ms"]));
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
  locks.add_stress_line(
      lockbench::Line<ZooKeeperLock>{{.name = "zookeeper:members=3",
                                      .summary = "the same at an ensemble of three",
                                      .origin = "ZooKeeper's recipe",
                                      .numbers = {kLease, kPoll, members(3)},
                                      .service = kService},
                                     make_lock});
}
