// SPDX-License-Identifier: Apache-2.0

// Seccomp filters that refuse sched_getaffinity or sched_setaffinity, as systemd's
// SystemCallFilter=~@resources does.
//
// Each test runs in a child of its own: a filter cannot be removed.
#include <cerrno>
#include <functional>
#include <string>
#include <sys/wait.h>

#include <gtest/gtest.h>

#include "harness/bench/measure/pinning.h"
#include "harness/bench/measure/process_workers.h"
#include "harness/bench/measure/thread_workers.h"
#include "harness/bench/record/machine.h"
#include "harness/kernel/probe.h"
#include "harness/kernel/processors.h"
#include "harness/kernel/topology.h"
#include "tests/primitives/forbid.h"

namespace lockbench {
namespace {

class RefusedAffinity : public testing::TestWithParam<int> {
 protected:
  // The answer of `question` where the kernel refuses the call with the parameter. A child that
  // hangs has no answer.
  static std::string answer(long call, const std::function<std::string()>& question) {
    constexpr std::chrono::seconds kHangs{60};
    return answer_within(kHangs,
                         [&] {
                           const bool set = forbid({call}, GetParam(), FilterFor::kAllThreads);
                           return set ? question() : std::string("no filter can be installed");
                         })
        .value_or("hangs, or has crashed");
  }
};

std::string start(WorkerGroup& workers, int processor) {
  const std::string error = workers.start(processor, [] {});
  workers.join();
  return error;
}

TEST_P(RefusedAffinity, WhereAThreadStartsIsNoRequirement) {
  EXPECT_EQ(answer(SYS_sched_setaffinity,
                   [] {
                     ThreadWorkers workers;
                     return start(workers, kAnyProcessor);
                   }),
            "");
  EXPECT_EQ(answer(SYS_sched_setaffinity,
                   [] {
                     ProcessWorkers workers(1);
                     return start(workers, kAnyProcessor);
                   }),
            "");
}

TEST_P(RefusedAffinity, ABoundThreadThatCannotBeBoundSaysWhatRefusesIt) {
  const std::string error = answer(SYS_sched_setaffinity, [] {
    ThreadWorkers workers;
    return start(workers, allowed_processor_numbers().front());
  });
  EXPECT_NE(error.find("refuses to bind it"), std::string::npos) << error;
  EXPECT_NE(error.find("pinning none"), std::string::npos) << error;
}

TEST_P(RefusedAffinity, TheProcessorsAreKnownFromProcAndTheTopologyIsNot) {
  const std::string expected = processor_list(allowed_processor_numbers());
  EXPECT_EQ(
      answer(SYS_sched_getaffinity, [] { return processor_list(allowed_processor_numbers()); }),
      expected);
  EXPECT_EQ(answer(SYS_sched_getaffinity,
                   [] {
                     const Machine machine = read_machine();
                     return std::to_string(machine.usable_threads.value_or(0)) + " " +
                            std::to_string(machine.cores.value_or(0));
                   }),
            std::to_string(usable_processors()) + " 0");
  const std::string error = answer(SYS_sched_getaffinity, [] {
    return std::string(processors_for("compact", 1).status().message());
  });
  EXPECT_NE(error.find("refuses sched_getaffinity"), std::string::npos) << error;
}

TEST_P(RefusedAffinity, TheRefusedCallIsNamed) {
  EXPECT_EQ(refused_affinity_call(), "");
  EXPECT_EQ(answer(SYS_sched_setaffinity, refused_affinity_call).substr(0, 17),
            "sched_setaffinity");
  EXPECT_EQ(answer(SYS_sched_getaffinity, refused_affinity_call).substr(0, 17),
            "sched_getaffinity");
}

INSTANTIATE_TEST_SUITE_P(Errors, RefusedAffinity, testing::Values(EPERM, EACCES, ENOSYS));

}  // namespace
}  // namespace lockbench
