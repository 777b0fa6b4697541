// SPDX-License-Identifier: Apache-2.0

// ProcessFence and the counts of PerKey in processes.
#include "workloads/process_fence.h"

#include <vector>

#include <gtest/gtest.h>

#include "primitives/concepts.h"
#include "primitives/platform/shared_array.h"
#include "tests/file_lock/processes.h"
#include "tests/workloads/during_hold.h"
#include "workloads/counter.h"

namespace lockbench {
namespace {

TEST(ProcessFence, ATokenOfAnotherProcessCounts) {
  platform::SharedObject<ProcessFence> fence;
  bool called = false;
  EXPECT_TRUE(fence->pass(3, [&] { called = true; }));
  EXPECT_TRUE(called);
  EXPECT_TRUE(in_another_process([&] { return fence->pass(5, [] {}); }));
  EXPECT_FALSE(fence->pass(4, [] { ADD_FAILURE() << "a late holder's work was done"; }));
  EXPECT_TRUE(fence->pass(5, [] {}));
}

TEST(ProcessFence, WorkIsDoneByOneProcessAtATime) {
  struct Count {
    std::uint64_t value = 0;
  };
  constexpr int kProcesses = 4;
  constexpr int kTimes = 20'000;
  platform::SharedObject<ProcessFence> fence;
  platform::SharedObject<Count> count;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(start_process([&] {
      for (int time = 0; time < kTimes; ++time) fence->pass(1, [&] { ++count->value; });
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(end_of(child), 0);
  EXPECT_EQ(count->value, std::uint64_t{kProcesses} * kTimes);
}

// A lock of a service that keeps nobody out. The test says which token a holder gets.
struct OpenService {
  static constexpr Promises kPromises{.lock_per_key = true, .scope = Scope::kService};

  class Handle {
   public:
    explicit Handle(const OpenService& service) : service_(service) {}
    void lock() {}
    bool try_lock() { return true; }
    void unlock() {}
    std::uint64_t token() const { return service_.next_token; }
    bool expired() const { return service_.next_token == 1; }

   private:
    const OpenService& service_;
  };
  using Fence = ProcessFence;

  Handle handle(std::uint64_t) { return Handle(*this); }
  std::size_t capacity() const { return 1; }
  std::size_t lock_bytes() const { return 0; }

  std::uint64_t next_token = 0;
};

using InProcesses = Counter<OpenService, std::uint64_t>;

struct AcquireOnly {
  static constexpr bool kWatches = false;
  bool acquire(auto& handle, Nanoseconds) {
    handle.lock();
    return true;
  }
  void release(auto& handle) { handle.unlock(); }
};

// Does `operations` as process number `process`, each with the token.
void operate(OpenService& service, InProcesses& workload, std::uint32_t process, int operations,
             std::uint64_t token) {
  const pid_t child = start_process([&] {
    service.next_token = token;
    AcquireOnly probe;
    auto actor = workload.actor(process);
    for (int i = 0; i < operations; ++i) actor.operate(probe);
    workload.save(process, actor.tally());
  });
  EXPECT_EQ(end_of(child), 0);
}

TEST(CounterInProcesses, TheirUpdatesAndCountsReachTheProof) {
  OpenService service;
  InProcesses workload(service, {.threads = 2, .keys = 1, .scenario = "processes"}, SpinPace());
  operate(service, workload, 0, 7, 5);
  operate(service, workload, 1, 4, 5);
  const Proof proof = workload.prove({});
  EXPECT_EQ(proof.lost_updates, 0u);
  EXPECT_EQ(proof.violations, 0u);
  EXPECT_EQ(proof.refused_writes, 0u);
  EXPECT_EQ(proof.counts, "11");
}

TEST(CounterInProcesses, ALateHolderOfAnotherProcessIsRefused) {
  OpenService service;
  InProcesses workload(service, {.threads = 2, .keys = 1, .scenario = "processes"}, SpinPace());
  operate(service, workload, 0, 3, 2);
  operate(service, workload, 1, 2, 1);
  const Proof proof = workload.prove({});
  EXPECT_EQ(proof.refused_writes, 2u);
  EXPECT_EQ(proof.expired_holds, 2u);
  EXPECT_EQ(proof.lost_updates, 0u);
  EXPECT_EQ(proof.counts, "3");
}

TEST(CounterInProcesses, CountsThatAreNotSavedAreMissedByTheProof) {
  OpenService service;
  InProcesses workload(service, {.threads = 1, .keys = 1, .scenario = "processes"}, SpinPace());
  EXPECT_TRUE(in_another_process([&] {
    AcquireOnly probe;
    return workload.actor(0).operate(probe);
  }));
  EXPECT_EQ(workload.prove({}).lost_updates, 1u);
}

}  // namespace
}  // namespace lockbench
