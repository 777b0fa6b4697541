// SPDX-License-Identifier: Apache-2.0

// Trials whose workers throw: the outcome says why. Threads that did not throw are left behind, so
// each such trial runs in a process that is left by _exit(), as the caller of run_trial() must.
// There ThreadSanitizer prints a warning about them behind the reason.
#include <atomic>
#include <string>

#include <gtest/gtest.h>

#include "primitives/no_lock.h"
#include "primitives/service.h"
#include "tests/measure/trials.h"
#include "workloads/counter.h"
#include "workloads/file_counter.h"

namespace lockbench {
namespace {

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

class WorkerFailure : public ::testing::Test {
 protected:
  WorkerFailure() { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(WorkerFailure, AnErrorOfTheServiceIsAnOutcomeWithItsMessage) {
  EXPECT_EXIT(leave_with(run<Failing<ServiceError>, Counter>(fixed_trial(2, 1, 100))),
              ended_as(Outcome::kServiceLost), "^the server at 127.0.0.1:1 has gone");
}

TEST_F(WorkerFailure, AnotherExceptionIsACrashWithItsMessage) {
  EXPECT_EXIT(leave_with(run<Failing<std::runtime_error>, Counter>(fixed_trial(2, 1, 100))),
              ended_as(Outcome::kCrashed),
              "^thread [01] of the trial threw: the server at 127.0.0.1:1 has gone");
}

TEST_F(WorkerFailure, ItIsTheSameInATimedTrial) {
  EXPECT_EXIT(leave_with(run<Failing<ServiceError>, Counter>(timed_trial(2, 1))),
              ended_as(Outcome::kServiceLost), "has gone");
}

TEST_F(WorkerFailure, AProcessReportsTheErrorOfTheService) {
  const Sample sample = run<Failing<ServiceError>, FileCounter>(fixed_trial(2, 1, 100));
  EXPECT_EQ(sample.outcome, Outcome::kServiceLost);
  EXPECT_EQ(sample.reason, "the server at 127.0.0.1:1 has gone");
}

// A lock that cannot be made because its service is not there.
struct Unreachable : NoLock {
  Unreachable() { throw ServiceError("a server at localhost:1: cannot connect"); }
};

TEST_F(WorkerFailure, AServiceThatIsNotThereAtTheStartIsTheSameOutcome) {
  const Sample sample = run<Unreachable, Counter>(fixed_trial(1, 1, 1));
  EXPECT_EQ(sample.outcome, Outcome::kServiceLost);
  EXPECT_EQ(sample.reason, "a server at localhost:1: cannot connect");
}

}  // namespace
}  // namespace lockbench
