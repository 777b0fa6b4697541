// SPDX-License-Identifier: Apache-2.0

// hold_bound(): what bounds fixed work, against counting it key by key.
#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "primitives/lease_pool.h"
#include "primitives/no_lock.h"
#include "workloads/checkout.h"
#include "workloads/counter.h"
#include "workloads/nested.h"
#include "workloads/transfer.h"

namespace lockbench {
namespace {

// Counts the holds of every key of every operation.
HoldBound counted(const WorkloadSettings& settings, std::uint32_t keys_per_operation) {
  const KeySequences sequences = KeySequences::draw(settings, keys_per_operation);
  std::vector<std::uint64_t> holds(settings.keys);
  for (std::uint32_t thread = 0; thread < settings.threads; ++thread) {
    const auto ring = sequences.of(thread);
    for (std::uint64_t i = 0; i < settings.operations; ++i) {
      std::set<std::uint32_t> keys;
      for (std::uint64_t k = 0; k < keys_per_operation; ++k) {
        keys.insert(ring[(i * keys_per_operation + k) % ring.size()]);
      }
      for (const std::uint32_t key : keys) ++holds[key];
    }
  }
  return {.busiest_key_holds = *std::max_element(holds.begin(), holds.end()),
          .busiest_thread_holds = settings.operations,
          .holds = settings.operations * settings.threads};
}

void expect_equal(const HoldBound& actual, const HoldBound& expected) {
  EXPECT_EQ(actual.busiest_key_holds, expected.busiest_key_holds);
  EXPECT_EQ(actual.busiest_thread_holds, expected.busiest_thread_holds);
  EXPECT_EQ(actual.holds, expected.holds);
}

// Fewer operations than a ring holds, as many, and more.
std::vector<WorkloadSettings> some_work() {
  std::vector<WorkloadSettings> all;
  for (const std::uint64_t operations : {1, 7, 40'000}) {
    all.push_back({.threads = 3, .keys = 5, .operations = operations});
  }
  return all;
}

TEST(HoldBound, OfOneKeyAnOperationIsItsBusiestKey) {
  NoLock primitive;
  for (const WorkloadSettings& settings : some_work()) {
    const Counter<NoLock, std::uint64_t> counter(primitive, settings, {});
    expect_equal(counter.hold_bound().value(), counted(settings, 1));
  }
}

TEST(HoldBound, OfAssignedKeysIsTheGreatestCount) {
  NoLock primitive;
  const WorkloadSettings settings{
      .threads = 21,
      .keys = 6,
      .key_distribution = {.kind = KeyDistribution::Kind::kAssigned, .counts = {6, 2, 5, 3, 2, 3}},
      .operations = 1};
  const Counter<NoLock, std::uint64_t> counter(primitive, settings, {});
  expect_equal(counter.hold_bound().value(),
               {.busiest_key_holds = 6, .busiest_thread_holds = 1, .holds = 21});
}

TEST(HoldBound, OfATransferCountsBothKeysAndAKeyToItselfOnce) {
  NoLock primitive;
  for (const WorkloadSettings& settings : some_work()) {
    const Transfer<NoLock, std::uint64_t> transfer(primitive, settings, {});
    expect_equal(transfer.hold_bound().value(), counted(settings, 2));
  }
}

TEST(HoldBound, OfANestedOperationIsFiveHoldsOfTheOneLock) {
  NoLock primitive;
  const Nested<NoLock, std::uint64_t> nested(primitive, {.threads = 3, .operations = 7}, {});
  expect_equal(nested.hold_bound().value(),
               {.busiest_key_holds = 105, .busiest_thread_holds = 35, .holds = 105});
}

TEST(HoldBound, OfASecondLeaseIsTwoHolds) {
  LeasePool primitive(5, 2);
  for (WorkloadSettings settings : some_work()) {
    const HoldBound once = counted(settings, 1);
    const Checkout<LeasePool, std::uint64_t> single(primitive, settings, {});
    expect_equal(single.hold_bound().value(), once);
    settings.scenario = "second_lease";
    const Checkout<LeasePool, std::uint64_t> twice(primitive, settings, {});
    expect_equal(twice.hold_bound().value(), {.busiest_key_holds = 2 * once.busiest_key_holds,
                                              .busiest_thread_holds = 2 * once.busiest_thread_holds,
                                              .holds = 2 * once.holds});
  }
}

}  // namespace
}  // namespace lockbench
