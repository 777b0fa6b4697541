// SPDX-License-Identifier: Apache-2.0

// Two shared objects of one process that share locks, and have each been compiled with the headers
// and -fvisibility=hidden. This program includes no lock itself.
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <ostream>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

#include "tests/primitives/two_copies/locks.h"

namespace {

// The folder of the objects `NAME_1.so` and `NAME_2.so`.
constexpr char kFolder[] = LOCKBENCH_TWO_COPIES;

struct Case {
  const char* compiler;
  int flags;
  const char* name;
};

void PrintTo(const Case& tested, std::ostream* out) {
  *out << tested.name;
}

std::string name_of(const testing::TestParamInfo<Case>& tested) {
  return tested.param.name;
}

std::string object_of(const Case& tested, int number) {
  return std::string(kFolder) + "/" + tested.compiler + "_" + std::to_string(number) + ".so";
}

class TwoCopies : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (access(object_of(GetParam(), 1).c_str(), R_OK) != 0) {
      GTEST_SKIP() << GetParam().compiler << " was not there when the tests were configured";
    }
    first_ = load(1);
    second_ = load(2);
  }

  static Locks load(int number) {
    void* const object = dlopen(object_of(GetParam(), number).c_str(), RTLD_NOW | GetParam().flags);
    if (object == nullptr) {
      ADD_FAILURE() << dlerror();
      std::abort();
    }
    return reinterpret_cast<decltype(&lockbench_test_locks)>(
        dlsym(object, "lockbench_test_locks"))();
  }

  Locks first_;
  Locks second_;
};

// In one process each: what is loaded stays.
class SharedState : public TwoCopies {};
INSTANTIATE_TEST_SUITE_P(Of, SharedState,
                         testing::Values(Case{"own", RTLD_LOCAL, "own_local"},
                                         Case{"own", RTLD_GLOBAL, "own_global"},
                                         Case{"clang", RTLD_GLOBAL, "clang_global"}),
                         name_of);

TEST_P(SharedState, TheOwnerOfAReentrantLockIsKnownToBoth) {
  void* const lock = first_.make_recursive();
  for (int i = 0; i < 100; ++i) {  // biased after some
    ASSERT_TRUE(first_.try_recursive(lock));
    EXPECT_TRUE(second_.try_recursive(lock));
    second_.unlock_recursive(lock);
    first_.unlock_recursive(lock);
  }
}

TEST_P(SharedState, AWaiterOfOneIsWokenByTheOther) {
  constexpr std::uint32_t kParked = 2;
  void* const lock = first_.make_adaptive();
  ASSERT_TRUE(first_.lock_adaptive(lock));
  bool taken = false;
  std::thread waiter([&] {
    taken = second_.lock_adaptive(lock);
    if (taken) second_.unlock_adaptive(lock);
  });
  const auto& state = *static_cast<const std::atomic<std::uint32_t>*>(lock);
  while ((state.load() & kParked) == 0) std::this_thread::yield();
  first_.unlock_adaptive(lock);
  waiter.join();
  EXPECT_TRUE(taken);
}

class SeparateState : public TwoCopies {};
INSTANTIATE_TEST_SUITE_P(Of, SeparateState,
                         testing::Values(Case{"own", RTLD_LOCAL, "own_local"},
                                         Case{"clang", RTLD_LOCAL, "clang_local"},
                                         Case{"clang_debug", RTLD_LOCAL, "clang_debug_local"}),
                         name_of);

TEST_P(SeparateState, TwoUsersOfAFolderDoNotMeet) {
  std::string folder = testing::TempDir() + "two_copies_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  EXPECT_TRUE(first_.use_file_lock(folder.c_str()));
  EXPECT_TRUE(second_.use_file_lock(folder.c_str()));
  EXPECT_TRUE(first_.use_file_lock(folder.c_str()));
  EXPECT_EQ(std::system(("rm -r '" + folder + "'").c_str()), 0);
}

// Even if the copies number threads on their own, no thread has another one's token.
TEST_P(SeparateState, ThreadsThatShareALockStillExcludeEachOther) {
  void* const lock = first_.make_recursive();
  ASSERT_TRUE(first_.try_recursive(lock));
  std::thread([&] { EXPECT_FALSE(second_.try_recursive(lock)); }).join();
  first_.unlock_recursive(lock);
}

// A debug build reports what the headers cannot prevent.
TEST(TwoCopiesOfClangLoadedLocally, AreReportedByADebugBuild) {
  const Case tested{"clang_debug", RTLD_LOCAL, ""};
  if (access(object_of(tested, 1).c_str(), R_OK) != 0) GTEST_SKIP() << "clang was not there";
  EXPECT_EXIT(
      {
        dlopen(object_of(tested, 1).c_str(), RTLD_NOW | RTLD_LOCAL);
        dlopen(object_of(tested, 2).c_str(), RTLD_NOW | RTLD_LOCAL);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "two copies");
  EXPECT_EXIT(
      {
        dlopen(object_of(tested, 1).c_str(), RTLD_NOW | RTLD_GLOBAL);
        dlopen(object_of(tested, 2).c_str(), RTLD_NOW | RTLD_GLOBAL);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "^$");
}

// With LOCKBENCH_PORTABLE and without: the second one's threads would not wake the first one's.
TEST(ObjectsOfTwoPlatforms, EndTheProcess) {
  const Case system{"own", RTLD_LOCAL, ""};
  const Case portable{"portable", RTLD_LOCAL, ""};
  if (access(object_of(system, 1).c_str(), R_OK) != 0) GTEST_SKIP() << "there are no objects";
  for (const auto& [first, second] : {std::pair{system, portable}, std::pair{portable, system}}) {
    EXPECT_EXIT(
        {
          dlopen(object_of(first, 1).c_str(), RTLD_NOW | RTLD_LOCAL);
          std::fputs("one. ", stderr);
          dlopen(object_of(second, 1).c_str(), RTLD_NOW | RTLD_LOCAL);
        },
        testing::KilledBySignal(SIGABRT), "^one. lockbench: .* with LOCKBENCH_PORTABLE");
  }
}

}  // namespace
