// SPDX-License-Identifier: Apache-2.0

// Trials whose workers throw: the outcome says why, and the process that measures goes on.
#include <atomic>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primitives/no_lock.h"
#include "primitives/service.h"
#include "tests/measure/trials.h"
#include "workloads/counter.h"
#include "workloads/file_counter.h"

namespace lockbench {
namespace {

using ::testing::HasSubstr;

constexpr int kAllowed = 5;  // acquisitions before the lock throws

// A lock that throws `Error` in one of its later acquisitions.
template <class Error>
struct Failing : NoLock {
  struct Handle : NoLock::Handle {
    void lock() {
      static std::atomic<int> left{kAllowed};
      if (left-- <= 0) throw Error("the server at 127.0.0.1:1 has gone");
    }
  };
  Handle handle(std::uint64_t) { return {}; }
};

TEST(WorkerFailure, AnErrorOfTheServiceIsAnOutcomeWithItsMessage) {
  const Sample sample = run<Failing<ServiceError>, Counter>(fixed_trial(2, 1, 100));
  EXPECT_EQ(sample.outcome, Outcome::kServiceLost);
  EXPECT_EQ(sample.reason, "the server at 127.0.0.1:1 has gone");
  EXPECT_FALSE(sample.valid());
}

TEST(WorkerFailure, AnotherExceptionIsACrashWithItsMessage) {
  const Sample sample = run<Failing<std::runtime_error>, Counter>(fixed_trial(2, 1, 100));
  EXPECT_EQ(sample.outcome, Outcome::kCrashed);
  EXPECT_THAT(sample.reason, HasSubstr("of the trial threw: the server at 127.0.0.1:1 has gone"));
}

TEST(WorkerFailure, ItIsTheSameInATimedTrial) {
  const Sample sample = run<Failing<ServiceError>, Counter>(timed_trial(2, 1));
  EXPECT_EQ(sample.outcome, Outcome::kServiceLost);
}

TEST(WorkerFailure, AProcessReportsTheErrorOfTheService) {
  const Sample sample = run<Failing<ServiceError>, FileCounter>(fixed_trial(2, 1, 100));
  EXPECT_EQ(sample.outcome, Outcome::kServiceLost);
  EXPECT_EQ(sample.reason, "the server at 127.0.0.1:1 has gone");
}

// A lock that cannot be made because its service is not there.
struct Unreachable : NoLock {
  Unreachable() { throw ServiceError("redis at localhost:1: cannot connect"); }
};

TEST(WorkerFailure, AServiceThatIsNotThereAtTheStartIsTheSameOutcome) {
  const Sample sample = run<Unreachable, Counter>(fixed_trial(1, 1, 1));
  EXPECT_EQ(sample.outcome, Outcome::kServiceLost);
  EXPECT_EQ(sample.reason, "redis at localhost:1: cannot connect");
}

}  // namespace
}  // namespace lockbench
