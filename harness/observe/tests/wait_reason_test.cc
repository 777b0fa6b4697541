// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/wait_reason.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

using Frames = std::vector<std::pair<std::string, std::string>>;  // module, function

WaitReason reason_of(const Frames& frames) {
  std::vector<CodeLocation> callers;
  for (const auto& [module, function] : frames) {
    callers.push_back({.function = function, .file = {}, .module = module});
  }
  return wait_reason(callers);
}

constexpr char kC[] = "/lib/x86_64-linux-gnu/libc.so.6";
constexpr char kCpp[] = "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30";
constexpr char kServer[] = "/usr/bin/server";

TEST(WaitReason, TheOutermostFunctionOfTheCLibrarySaysWhatItIs) {
  const WaitReason mutex =
      reason_of({{kC, ""}, {kC, "pthread_mutex_lock"}, {kServer, "serve()"}, {kServer, "main"}});
  EXPECT_EQ(mutex.kind, WaitKind::kLock);
  EXPECT_EQ(mutex.caller, 2U);
  const WaitReason condition = reason_of({{kC, "__pthread_mutex_lock"},
                                          {kC, "pthread_cond_wait"},
                                          {kCpp, "std::condition_variable::wait(…)"},
                                          {kServer, "idle()"}});
  EXPECT_EQ(condition.kind, WaitKind::kCondition);
  EXPECT_EQ(condition.caller, 3U);
  const WaitReason join =
      reason_of({{kC, ""}, {kC, ""}, {kCpp, "std::thread::join()"}, {kServer, "main"}});
  EXPECT_EQ(join.kind, WaitKind::kEvent);
}

TEST(WaitReason, WhoSignalsAConditionWaitsForNoLock) {
  for (const char* const signal : {"pthread_cond_signal", "__pthread_cond_broadcast"}) {
    const WaitReason reason = reason_of({{kC, ""}, {kC, signal}, {kServer, "call()"}});
    EXPECT_EQ(reason.kind, WaitKind::kEvent) << signal;
    EXPECT_EQ(reason.caller, 2U);
  }
}

TEST(WaitReason, TheCLibrarysOwnLocksAreLocks) {
  EXPECT_EQ(reason_of({{kServer, "__lll_lock_wait_private"}, {kServer, "malloc"}}).kind,
            WaitKind::kLock);
}

TEST(WaitReason, AStaticProgramHasTheCLibraryInItself) {
  const WaitReason reason = reason_of(
      {{kServer, "__lll_lock_wait"}, {kServer, "___pthread_mutex_lock"}, {kServer, "work()"}});
  EXPECT_EQ(reason.kind, WaitKind::kLock);
  EXPECT_EQ(reason.caller, 2U);
}

TEST(WaitReason, OfOtherLocksTheFunctionsAreLeftToFutexUse) {
  const WaitReason reason = reason_of({{kC, "syscall"},
                                       {kServer, "Mutex::lock_contended()"},
                                       {kServer, "serve()"},
                                       {kServer, "main"}});
  EXPECT_EQ(reason.kind, WaitKind::kUnknown);
  EXPECT_EQ(reason.caller, 2U);
  EXPECT_EQ(reason.functions, (std::vector<std::string>{"Mutex::lock_contended", "serve", "main"}));
}

TEST(WaitReason, ALocalFunctionOfALibraryIsTakenForItsCaller) {
  constexpr char kAbseil[] = "/usr/lib/x86_64-linux-gnu/libabsl_synchronization.so.20220623";
  const WaitReason reason = reason_of({{kC, "syscall"},
                                       {kAbseil, ""},
                                       {kAbseil, "absl::Mutex::LockWhen(absl::Condition const&)"},
                                       {kServer, "idle()"}});
  EXPECT_EQ(reason.caller, 3U);
  EXPECT_EQ(reason.functions[0], "absl::Mutex::LockWhen");
  EXPECT_EQ(reason_of({{kC, "syscall"}, {kServer, ""}, {kServer, "lock_row()"}}).caller, 1U);
}

TEST(WaitReason, WithoutACallerOfTheProgramTheInnermostIsThePlace) {
  EXPECT_EQ(reason_of({{kC, ""}, {kC, "pthread_mutex_lock"}}).caller, 0U);
  EXPECT_EQ(reason_of({}).caller, 0U);
}

}  // namespace
}  // namespace lockbench
