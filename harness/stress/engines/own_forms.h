// SPDX-License-Identifier: Apache-2.0

// Forms of our own locks that the registries of several engines have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/stress/forms.h"
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
      lock_under_test<StoppedWaits<KeyedMutex<>>>(form_of("keyed", kWaitsStopped), kStopped,
                                                  buckets),
      lock_under_test<ReadersApart<StoppedWaits<KeyedSharedMutex<>>>>(
          form_of(form_of("keyed_shared", kReadersApart), kWaitsStopped),
          "waits of readers and writers end when a stop is requested", buckets),
      with_permits(kPermits,
                   lock_under_test<NumberedPermits<StoppedWaits<KeyedSemaphore<>>>>(
                       form_of("keyed_semaphore", kWaitsStopped), kStopped, kPermits, buckets)),
      lock_under_test<SeveralKeys<KeyedMutex<>>>(form_of("keyed", kSeveralKeys), kTogether,
                                                 buckets),
      lock_under_test<StoppedWaits<SeveralKeys<KeyedMutex<>>>>(
          form_of(form_of("keyed", kSeveralKeys), kWaitsStopped),
          "waits for several keys end when a stop is requested", buckets),
      lock_under_test<SeveralKeys<KeyedSharedMutex<>>>(form_of("keyed_shared", kSeveralKeys),
                                                       kTogether, buckets),
      lock_under_test<SeveralKeys<StripedLock<>>>(form_of("striped", kSeveralKeys), kTogether,
                                                  kStripes),
      lock_under_test<SeveralKeys<StripeWord>>(form_of("stripe_word", kSeveralKeys), kTogether,
                                               kStripes),
  };
}

}  // namespace lockbench::stress
