// SPDX-License-Identifier: Apache-2.0

// The plug-in etcd.so: locks at etcd.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <lockbench/plugin.h>
#include <memory>

#include "harness/services/locks/address.h"
#include "harness/services/locks/cluster.h"
#include "harness/services/locks/etcd/etcd_lock.h"

namespace {

using namespace lockbench::services;  // NOLINT: the file has nothing else
using lockbench::Arguments;
using lockbench::Number;
using std::chrono::milliseconds;

constexpr char kService[] = "etcd";

const Number kLease{"lease_ms", 10'000, 1'000, 3'600'000,
                    "a hold that is not renewed ends then; etcd counts in whole seconds"};
const Number kPoll{"poll_ms", 1'000, 1, 60'000, "the longest wait without an event"};

EtcdQueues::Address address_of(const Arguments& with, std::size_t servers = 1) {
  return {.members = addresses_of(kService, servers),
          .lease = std::chrono::ceil<std::chrono::seconds>(milliseconds(with["lease_ms"]))};
}

std::unique_ptr<EtcdLock> make_lock(const Arguments& with) {
  return std::make_unique<EtcdLock>(address_of(with, with["members"]),
                                    milliseconds(with["poll_ms"]));
}

std::unique_ptr<EtcdSemaphore> make_semaphore(const Arguments& with) {
  EtcdQueues::Address address = address_of(with);
  address.capacity = static_cast<std::uint32_t>(with["capacity"]);
  return std::make_unique<EtcdSemaphore>(address, milliseconds(with["poll_ms"]));
}

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add_line(lockbench::Line<EtcdLock>{
      {.name = "etcd",
       .summary = "a name with a lease, the lowest create revision, wake-up by a watch",
       .origin = "etcd's recipe",
       .numbers = {kLease, kPoll, members(1)},
       .service = kService},
      make_lock});
  locks.add_stress_line(lockbench::Line<EtcdLock>{{.name = "etcd:members=3",
                                                   .summary = "the same at a cluster of three",
                                                   .origin = "etcd's recipe",
                                                   .numbers = {kLease, kPoll, members(3)},
                                                   .service = kService},
                                                  make_lock});
  locks.add_stress_line(lockbench::Line<EtcdSemaphore>{
      {.name = "etcd_semaphore",
       .summary = "names with leases, the lowest create revisions, wake-up by a watch of all",
       .origin = "etcd's recipe",
       .numbers = {kLease, kPoll, {"capacity", 2, 2, 10'000, "holders of a key at once"}},
       .service = kService},
      make_semaphore});
}
