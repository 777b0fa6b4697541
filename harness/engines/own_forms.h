// SPDX-License-Identifier: Apache-2.0

// Forms of our own locks that the registries of several engines have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/stress/lock_adapter.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/several_keys.h"
#include "harness/stress/shared_holds.h"
#include "harness/stress/stopped_waits.h"
#include "primitives/keyed_mutex.h"
#include "primitives/keyed_semaphore.h"
#include "primitives/keyed_shared_mutex.h"
#include "primitives/stripe_word.h"
#include "primitives/striped_lock.h"

namespace lockbench::stress {

// `buckets` of each lock by key. With few stripes, some keys have one and some share one.
inline std::vector<RegisteredLock> forms_of_own_locks(std::size_t buckets) {
  constexpr std::size_t kStripes = 3;
  constexpr std::uint32_t kPermits = 2;
  constexpr char kStopped[] = "waits end when a stop is requested";
  constexpr char kTogether[] = "several keys are acquired together";
  return {
      lock_under_test<StoppedWaits<KeyedMutex<>>>("keyed:waits=stopped", kStopped, buckets),
      lock_under_test<ReadersApart<StoppedWaits<KeyedSharedMutex<>>>>(
          "keyed_shared:readers=apart,waits=stopped",
          "waits of readers and writers end when a stop is requested", buckets),
      with_permits(kPermits, lock_under_test<NumberedPermits<StoppedWaits<KeyedSemaphore<>>>>(
                                 "keyed_semaphore:waits=stopped", kStopped, kPermits, buckets)),
      lock_under_test<SeveralKeys<KeyedMutex<>>>("keyed:keys=several", kTogether, buckets),
      lock_under_test<StoppedWaits<SeveralKeys<KeyedMutex<>>>>(
          "keyed:keys=several,waits=stopped", "waits for several keys end when a stop is requested",
          buckets),
      lock_under_test<SeveralKeys<KeyedSharedMutex<>>>("keyed_shared:keys=several", kTogether,
                                                       buckets),
      lock_under_test<SeveralKeys<StripedLock<>>>("striped:keys=several", kTogether, kStripes),
      lock_under_test<SeveralKeys<StripeWord>>("stripe_word:keys=several", kTogether, kStripes),
  };
}

}  // namespace lockbench::stress
