// SPDX-License-Identifier: Apache-2.0

// The locks between processes that file is measured beside: what each promises, and the faults that
// the published ones keep.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <type_traits>

#include <gtest/gtest.h>

#include "primitives/as_published/file_as_published.h"
#include "primitives/as_published/file_unsafe_as_published.h"
#include "primitives/peers/file_kernel_lock.h"
#include "primitives/peers/file_robust_mutex.h"
#include "primitives/platform/scratch_folder.h"
#include "tests/file_lock/processes.h"

namespace lockbench {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kPeersKey = 7;

template <class Lock>
bool free_elsewhere(Lock& lock) {
  return in_another_process([&] {
    auto handle = lock.handle(kPeersKey);
    if (!handle.try_lock()) return false;
    handle.unlock();
    return true;
  });
}

template <class Lock>
class FilePeer : public ::testing::Test {
 protected:
  const platform::ScratchFolder folder_;
  Lock lock_{folder_.path()};
};

using All = ::testing::Types<FileFlock, FileOfd, FileRobustMutex, FileAsPublished>;
TYPED_TEST_SUITE(FilePeer, All);

TYPED_TEST(FilePeer, KeepsOtherProcessesOut) {
  auto handle = this->lock_.handle(kPeersKey);
  handle.lock();
  EXPECT_FALSE(free_elsewhere(this->lock_));
  handle.unlock();
  EXPECT_TRUE(free_elsewhere(this->lock_));
}

TYPED_TEST(FilePeer, AKilledOwnersLockIsFreeExceptAsPublished) {
  OtherHolder(this->lock_, kPeersKey).end();
  constexpr bool kPublished = std::is_same_v<TypeParam, FileAsPublished>;
  EXPECT_EQ(free_elsewhere(this->lock_), !kPublished);
}

TEST(FileRobustMutex, TimesOut) {
  const platform::ScratchFolder folder;
  FileRobustMutex lock(folder.path());
  auto handle = lock.handle(kPeersKey);
  handle.lock();
  EXPECT_TRUE(in_another_process([&] {
    auto other = lock.handle(kPeersKey);
    return !other.try_lock_for(milliseconds(5));
  }));
  handle.unlock();
}

TEST(FileAsPublished, TellsItsThreeErrorsApart) {
  using Unlocked = FileAsPublished::Unlocked;
  const platform::ScratchFolder folder;
  FileAsPublished lock(folder.path());
  auto handle = lock.handle(kPeersKey);
  EXPECT_EQ(handle.unlock(), Unlocked::kNoSuchLock);
  OtherHolder(lock, kPeersKey).end();
  EXPECT_EQ(handle.unlock(), Unlocked::kNotOwner);
}

TEST(FileAsPublished, AWaiterLooksAgainWhenItsPollIsUp) {
  const platform::ScratchFolder folder;
  FileAsPublished lock(folder.path(), milliseconds(1));
  auto handle = lock.handle(kPeersKey);
  handle.lock();
  const pid_t waiter = start_process([&] {
    auto other = lock.handle(kPeersKey);
    other.lock();
  });
  handle.unlock();
  EXPECT_EQ(end_of(waiter), 0);
}

TEST(FileAsPublished, ANameLeadsOutOfItsFolder) {
  const platform::ScratchFolder folder;
  std::filesystem::create_directory(folder.path() + "/locks");
  FileAsPublished lock(folder.path() + "/locks");
  auto handle = lock.handle("../outside");
  handle.lock();
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path() + "/outside.mutex"));
}

// Both look before either writes.
TEST(FileUnsafeAsPublished, LetsTwoInThatLookAtOnce) {
  const platform::ScratchFolder folder;
  FileUnsafeAsPublished lock(folder.path(), milliseconds(1));
  SharedWithChildren<std::atomic<int>> inside;
  SharedWithChildren<std::atomic<bool>> crowded;
  const auto work = [&] {
    auto handle = lock.handle(kPeersKey);
    while (!*crowded) {
      handle.lock();
      if (++*inside != 1) *crowded = true;
      sched_yield();
      --*inside;
      handle.unlock();
    }
  };
  const pid_t first = start_process(work);
  const pid_t second = start_process(work);
  end_of(first);
  end_of(second);
  EXPECT_TRUE(*crowded);
}

}  // namespace
}  // namespace lockbench
