// SPDX-License-Identifier: Apache-2.0

// Processes that are stopped before their system calls; and machines that do not allow it.
#include "harness/stress/processes/call_watch.h"

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <absl/status/status.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/catalog/in_scratch_folder.h"
#include "harness/stress/lock_adapter.h"
#include "harness/stress/processes/engine.h"
#include "harness/stress/supervision/children.h"
#include "primitives/platform/scratch_folder.h"
#include "tests/mutants/link_lock.h"

namespace lockbench::stress::processes {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
namespace fs = std::filesystem;

class CallWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = CallWatch::why_unavailable()) GTEST_SKIP() << *why;
  }

  std::string in_folder(const char* name) const { return folder_.path() + "/" + name; }

  // The acts of a process that makes two folders.
  void make_two() const {
    syscall(SYS_mkdirat, AT_FDCWD, in_folder("first").c_str(), 0700);
    syscall(SYS_mkdirat, AT_FDCWD, in_folder("second").c_str(), 0700);
  }

  const platform::ScratchFolder folder_;
  CallWatch watch_;
};

TEST_F(CallWatchTest, AProcessThatIsKilledBeforeACallHasMadeAllCallsBeforeItAndNoOther) {
  const pid_t child = watch_.start(0, [this] { make_two(); });
  int folders = 0;
  const auto kill_before_second = [&](const WatchedCall& call) -> CallWatch::Answer {
    if (call.number != SYS_mkdirat || ++folders != 2) return {};
    kill_child(child);
    return {.killed = true};
  };
  while (folders != 2) watch_.answer_until(platform::now() + 1ms, kill_before_second);
  collect_child(child);
  EXPECT_TRUE(fs::exists(in_folder("first")));
  EXPECT_FALSE(fs::exists(in_folder("second")));
}

TEST_F(CallWatchTest, AProcessWaitsBeforeACallUntilItIsReleased) {
  const pid_t child = watch_.start(3, [this] { make_two(); });
  int folders = 0;
  const auto hold_second = [&](const WatchedCall& call) -> CallWatch::Answer {
    const bool second = call.number == SYS_mkdirat && ++folders == 2;
    EXPECT_EQ(call.slot, 3U);
    return {.wait = second ? 1h : 0h};
  };
  while (folders != 2) watch_.answer_until(platform::now() + 1ms, hold_second);
  watch_.answer_until(platform::now() + 5ms, hold_second);
  EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0);
  EXPECT_FALSE(fs::exists(in_folder("second")));
  watch_.release_all();
  collect_child(child);
  EXPECT_TRUE(fs::exists(in_folder("second")));
  EXPECT_EQ(watch_.error(), 0);
}

TEST(CallName, IsThatOfTheFunction) {
  EXPECT_EQ(name_of_call(SYS_unlinkat), "unlinkat()");
  EXPECT_EQ(name_of_call(9999), "system call 9999");
}

// As a container does that does not permit seccomp().
void forbid_seccomp() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{static_cast<unsigned short>(std::size(filter)), filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

// Ends the process with 0 if all expectations were met.
[[noreturn]] void test_where_seccomp_is_forbidden() {
  forbid_seccomp();
  using Link = mutants::LinkLock<mutants::LinkFault::kNone>;
  const RegisteredLock entry = lock_under_test<InScratchFolder<Link>>("link", "");
  const auto said = [](const std::string&) {};
  const auto all = test_lock(entry, {.lock = "link", .budget = 600ms}, said);
  EXPECT_TRUE(all.ok()) << all.status();
  EXPECT_THAT(all->remarks,
              Contains(AllOf(HasSubstr("not checked: faults between two system calls"),
                             HasSubstr("Operation not permitted"))));
  EXPECT_GT(all->evaluations[Oracle::kExclusion], 0U);
  const auto one =
      test_lock(entry, {.lock = "link", .budget = 600ms, .mode = "kill_in_call"}, said);
  EXPECT_EQ(one.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(one.status().message()), HasSubstr("Operation not permitted"));
  _exit(testing::Test::HasFailure() ? 1 : 0);
}

TEST(CallWatchDeathTest, WhereItIsForbiddenTheEngineGoesOnWithoutItAndSaysSo) {
  // An emulated kernel has no filters, and says why in other words.
  if (const auto why = CallWatch::why_unavailable()) GTEST_SKIP() << *why;
  EXPECT_EXIT(test_where_seccomp_is_forbidden(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace lockbench::stress::processes
