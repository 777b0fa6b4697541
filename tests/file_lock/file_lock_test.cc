// SPDX-License-Identifier: Apache-2.0

// FileLock: between processes, and what becomes of a lock when its owner is killed, stopped or not
// its owner.
#include "primitives/file_lock.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primitives/platform/scratch_folder.h"
#include "tests/file_lock/processes.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr std::uint64_t kKey = 7;
constexpr char kNeedsLocalFiles[] = "needs a local file system: TMPDIR=/dev/shm";

template <class Form>
class FileLockTest : public ::testing::Test {
 protected:
  using Lock = FileLock<Form>;

  bool free_now(std::uint64_t key = kKey) {
    auto handle = lock_.handle(key);
    return handle.try_lock() && handle.unlock() == Unlocked::kYes;
  }

  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }

  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      found.insert(entry.path().filename());
    }
    return found;
  }

  // Leaves the lock of a process that had the key and is gone; `change` makes it another's.
  template <class Change>
  void leave_lock_of(const Change& change) {
    internal::FileOwner owner{
        .process = 1, .claim = 1ULL << 40, .world = internal::ProcessWorld::here()};
    const auto self = static_cast<std::uint64_t>(platform::this_process());
    owner.process = self;
    owner.started = platform::process_facts(platform::this_process())->started;
    change(owner);
    const platform::FileDescriptor in = platform::open_folder(folder_.path().c_str());
    const std::string text = to_text(owner);
    const std::string claim = internal::claim_name(text);
    ASSERT_EQ(Form::prepare(in, claim.c_str(), text.c_str()), 0);
    ASSERT_EQ(Form::take(in, claim.c_str(), "7.lock"), 0);
  }

  void leave_lock_of_container(const std::optional<internal::LifeProof>& life) {
    leave_lock_of([&](internal::FileOwner& owner) {
      ++owner.world.pid_namespace;
      owner.life = life;
    });
  }

  const platform::ScratchFolder folder_;
  Lock lock_{folder_.path()};
};

using Forms = ::testing::Types<SymlinkForm, DirectoryForm>;
TYPED_TEST_SUITE(FileLockTest, Forms);

TYPED_TEST(FileLockTest, AChildDoesNotUnlockWhatItsParentHolds) {
  auto handle = this->lock_.handle(kKey);
  handle.lock();
  const SharedWithChildren<std::atomic<int>> became;
  const pid_t child = start_process([&] { *became = static_cast<int>(handle.unlock()); });
  EXPECT_EQ(end_of(child), 0);
  EXPECT_EQ(became->load(), static_cast<int>(Unlocked::kNotOwner));
  EXPECT_FALSE(this->free_now());
  EXPECT_EQ(handle.unlock(), Unlocked::kYes);
  // Everything that it takes locks with is still there.
  handle.lock();
  EXPECT_EQ(handle.unlock(), Unlocked::kYes);
}

// Run by the next test, in the program that its child becomes.
constexpr char kFolderAfterExec[] = "LOCKBENCH_TEST_FOLDER";
TYPED_TEST(FileLockTest, DISABLED_AfterExec) {
  FileLock<TypeParam> lock(getenv(kFolderAfterExec));
  auto held_before = lock.handle(kKey);
  EXPECT_FALSE(held_before.try_lock());
  EXPECT_EQ(held_before.unlock(), Unlocked::kNotOwner);
  // Several at once, each of which needs a claim whose name no claim from before has.
  std::vector<std::unique_ptr<typename FileLock<TypeParam>::Handle>> others;
  for (std::uint64_t key = 0; key < 64; ++key) {
    others.emplace_back(new typename FileLock<TypeParam>::Handle(lock.handle(kKey + 1 + key)))
        ->lock();
  }
  for (const auto& other : others) EXPECT_EQ(other->unlock(), Unlocked::kYes);
}

TYPED_TEST(FileLockTest, AProgramStartedByExecLocksAndLeavesAloneWhatItHeldBefore) {
  setenv(kFolderAfterExec, this->folder_.path().c_str(), 1);
  const std::string filter =
      std::string("--gtest_filter=") +
      testing::UnitTest::GetInstance()->current_test_info()->test_suite_name() +
      ".DISABLED_AfterExec";
  const pid_t child = start_process([&] {
    auto handle = this->lock_.handle(kKey);
    auto other = this->lock_.handle(kKey + 1);
    handle.lock();
    other.lock();
    other.unlock();
    execl("/proc/self/exe", "after_exec", "--gtest_also_run_disabled_tests", filter.c_str(),
          static_cast<char*>(nullptr));
    _exit(127);
  });
  EXPECT_EQ(end_of(child), 0);
}

TYPED_TEST(FileLockTest, AHandleThatHoldsItsKeyIsNotLockedAgain) {
  if (internal::kChecksUse) GTEST_SKIP() << "a debug build ends the process: misuse_test.cc";
  auto handle = this->lock_.handle(kKey);
  handle.lock();
  EXPECT_THROW(handle.lock(), std::system_error);
  EXPECT_FALSE(handle.try_lock());
  EXPECT_EQ(handle.unlock(), Unlocked::kYes);
}

TYPED_TEST(FileLockTest, KeepsOtherProcessesOut) {
  OtherHolder holder(this->lock_, kKey);
  EXPECT_FALSE(this->free_now());
  EXPECT_TRUE(this->free_now(kKey + 1));
}

TYPED_TEST(FileLockTest, ALockGivenBackIsFreeForOthers) {
  EXPECT_TRUE(this->free_now());
  EXPECT_TRUE(in_another_process([&] { return this->free_now(); }));
}

TYPED_TEST(FileLockTest, TimesOutWhileAnotherHolds) {
  OtherHolder holder(this->lock_, kKey);
  auto handle = this->lock_.handle(kKey);
  const platform::Time start = platform::now();
  EXPECT_FALSE(handle.try_lock_for(milliseconds(20)));
  EXPECT_GE(platform::now() - start, milliseconds(20));
}

TYPED_TEST(FileLockTest, AKilledOwnerIsDeadBeforeItsParentHasCollectedIt) {
  OtherHolder holder(this->lock_, kKey);
  holder.end_uncollected();
  EXPECT_TRUE(this->free_now());
}

TYPED_TEST(FileLockTest, WhoeverWaitsIsLetInWhenTheOwnerIsKilled) {
  OtherHolder holder(this->lock_, kKey);
  auto handle = this->lock_.handle(kKey);
  EXPECT_FALSE(handle.try_lock_for(milliseconds(30)));
  holder.send(SIGKILL);
  handle.lock();
  EXPECT_EQ(handle.unlock(), Unlocked::kYes);
}

TYPED_TEST(FileLockTest, AStoppedOwnerKeepsItsLock) {
  OtherHolder holder(this->lock_, kKey);
  holder.send(SIGSTOP);
  auto handle = this->lock_.handle(kKey);
  EXPECT_FALSE(handle.try_lock_for(milliseconds(150)));
  EXPECT_FALSE(handle.try_lock());
}

TYPED_TEST(FileLockTest, ARecycledProcessNumberIsNotTakenForTheOwner) {
  // This process lives and has the number; the owner had it before, and started earlier.
  this->leave_lock_of([](internal::FileOwner& owner) { --owner.started; });
  EXPECT_TRUE(this->free_now());
}

TYPED_TEST(FileLockTest, AnOwnerThatCannotBeKnownKeepsItsLock) {
  this->leave_lock_of([](internal::FileOwner& owner) {
    --owner.started;
    ++owner.world.pid_namespace;
  });
  EXPECT_FALSE(this->free_now());
}

// The owner is of another container on this machine, whose processes are not visible.
TYPED_TEST(FileLockTest, AnOwnerThatIsNotVisibleKeepsItsLockAsLongAsItProvesItsLife) {
  const internal::LockFolder folder(this->folder_.path());
  auto life = folder.life_lock();
  if (!life.proof()) GTEST_SKIP() << kNeedsLocalFiles;
  this->leave_lock_of_container(life.proof());
  EXPECT_FALSE(this->free_now());
  life = {};
  EXPECT_TRUE(this->free_now());
}

// The lock of the old file says nothing of the new one.
TYPED_TEST(FileLockTest, AnOwnerWhoseProofWasRemovedKeepsItsLock) {
  const internal::LockFolder folder(this->folder_.path());
  const auto life = folder.life_lock();
  if (!life.proof()) GTEST_SKIP() << kNeedsLocalFiles;
  this->leave_lock_of_container(life.proof());
  fs::remove(this->path(".lives"));
  EXPECT_FALSE(this->free_now());  // without the file
  const auto another = folder.life_lock();
  EXPECT_FALSE(this->free_now());
}

TYPED_TEST(FileLockTest, AnOwnerInAContainerKeepsItsLockUntilItIsKilled) {
  const internal::LockFolder folder(this->folder_.path());
  if (!folder.life_lock().proof()) GTEST_SKIP() << kNeedsLocalFiles;
  enum State { kStarting, kInside, kRefused };
  const SharedWithChildren<std::atomic<State>> state;
  const pid_t owner = start_in_container([&](bool contained) {
    if (!contained) {
      *state = kRefused;
      return;
    }
    FileLock<TypeParam> lock(this->folder_.path());
    auto handle = lock.handle(kKey);
    handle.lock();
    *state = kInside;
    pause();
  });
  if (owner < 0) GTEST_SKIP() << "the kernel makes no PID namespace for this user";
  await([&] { return state->load() != kStarting; });
  if (state->load() == kInside) {
    EXPECT_FALSE(this->free_now());
    kill_process(owner);
    EXPECT_TRUE(this->free_now());
  } else {
    end_of(owner);
    GTEST_SKIP() << "no /proc can be mounted in a PID namespace";
  }
}

// A process of a new PID namespace with the /proc of the old one: its numbers there are those of
// other processes.
TYPED_TEST(FileLockTest, WithTheProcOfAnotherNamespaceItIsRefused) {
  const SharedWithChildren<std::atomic<bool>> refused;
  const pid_t child = start_in_container(
      [&](bool) {
        try {
          FileLock<TypeParam> lock(this->folder_.path());
          lock.handle(kKey).lock();
        } catch (const FileLockError& error) {
          *refused = std::string(error.what()).find("another PID namespace") != std::string::npos;
        }
      },
      OwnProc::kNo);
  if (child < 0) GTEST_SKIP() << "the kernel makes no PID namespace for this user";
  end_of(child);
  EXPECT_TRUE(refused->load());
}

TYPED_TEST(FileLockTest, AScriptsLockIsRespected) {
  if constexpr (std::is_same_v<TypeParam, SymlinkForm>) {
    fs::create_symlink("999999999", this->path("7.lock"));
  } else {
    fs::create_directory(this->path("7.lock"));
  }
  EXPECT_FALSE(this->free_now());
  auto handle = this->lock_.handle(kKey);
  EXPECT_FALSE(handle.try_lock_for(milliseconds(20)));
  fs::remove(this->path("7.lock"));
  EXPECT_TRUE(this->free_now());
}

TYPED_TEST(FileLockTest, WaitersAreWokenByWhoeverRemovesTheLock) {
  this->leave_lock_of([](internal::FileOwner&) {});
  const pid_t waiter = start_process([&] {
    auto handle = this->lock_.handle(kKey);
    handle.lock();
    handle.unlock();
  });
  fs::remove_all(this->path("7.lock"));
  EXPECT_EQ(end_of(waiter), 0);
}

TYPED_TEST(FileLockTest, UnlockTellsThatThereIsNoLock) {
  auto handle = this->lock_.handle(kKey);
  EXPECT_EQ(handle.unlock(), Unlocked::kNoSuchLock);
  handle.lock();
  fs::remove_all(this->path("7.lock"));
  EXPECT_EQ(handle.unlock(), Unlocked::kNoSuchLock);
}

TYPED_TEST(FileLockTest, UnlockTellsThatTheLockIsAnothers) {
  auto mine = this->lock_.handle(kKey);
  mine.lock();
  auto other = this->lock_.handle(kKey);
  EXPECT_EQ(other.unlock(), Unlocked::kNotOwner);
  // And by one that had it, which was then taken away and given to another process.
  fs::remove_all(this->path("7.lock"));
  OtherHolder holder(this->lock_, kKey);
  EXPECT_EQ(mine.unlock(), Unlocked::kNotOwner);
  EXPECT_FALSE(this->free_now());
}

TYPED_TEST(FileLockTest, UnlockTellsThatTheLockCannotBeRemoved) {
  constexpr uid_t kNobody = 65534;
  if (geteuid() != 0) GTEST_SKIP() << "only the superuser can become a user without rights";
  ASSERT_EQ(chown(this->folder_.path().c_str(), kNobody, kNobody), 0);
  // The folder around it is its maker's alone.
  const std::string around = fs::path(this->folder_.path()).parent_path().string();
  ASSERT_EQ(chmod(around.c_str(), 0711), 0);
  EXPECT_TRUE(in_another_process([&] {
    if (setuid(kNobody) != 0) return false;
    FileLock<TypeParam> lock(this->folder_.path(), {.wake_words = false});
    auto handle = lock.handle(kKey);
    handle.lock();
    chmod(this->folder_.path().c_str(), 0500);
    const bool refused = handle.unlock() == Unlocked::kCannotRemove;
    chmod(this->folder_.path().c_str(), 0700);
    return refused && handle.unlock() == Unlocked::kYes;
  }));
}

TYPED_TEST(FileLockTest, LeavesNothingButTheFilesOfTheFolder) {
  {
    FileLock<TypeParam> lock(this->folder_.path());
    auto handle = lock.handle(kKey);
    std::scoped_lock guard(handle);
  }
  std::set<std::string> names = this->names();
  names.erase(".lives");  // on a local file system
  EXPECT_EQ(names, std::set<std::string>{".wake"});
}

// As programs do that clean old files away.
TYPED_TEST(FileLockTest, FilesOfFreeKeysMayBeRemovedAtAnyTime) {
  EXPECT_TRUE(this->free_now());  // leaves a claim for the next one
  const auto remove_all = [this] {
    for (const std::string& name : this->names()) fs::remove_all(this->path(name));
  };
  remove_all();
  auto handle = this->lock_.handle(kKey);
  handle.lock();
  EXPECT_FALSE(this->free_now());
  EXPECT_TRUE(in_another_process(
      [&] { return !FileLock<TypeParam>(this->folder_.path()).handle(kKey).try_lock(); }));
  EXPECT_EQ(handle.unlock(), Unlocked::kYes);
  remove_all();
  EXPECT_TRUE(this->free_now());
}

TYPED_TEST(FileLockTest, AWaiterWhoseClaimWasRemovedGetsTheKey) {
  OtherHolder holder(this->lock_, kKey);
  std::atomic<bool> got{false};
  std::thread waiter([&] {
    auto handle = this->lock_.handle(kKey);
    handle.lock();
    got = handle.unlock() == Unlocked::kYes;
  });
  const std::string mine = std::string(internal::kClaimPrefix) + std::to_string(getpid()) + ":";
  const auto remove_claim = [&] {
    for (const std::string& name : this->names()) {
      const std::string path = this->path(name);
      const bool complete = fs::is_symlink(path) || fs::is_symlink(path + "/owner");
      if (name.starts_with(mine) && complete) return fs::remove_all(path) != 0;
    }
    return false;
  };
  await(remove_claim);
  holder.end();
  waiter.join();
  EXPECT_TRUE(got);
}

TYPED_TEST(FileLockTest, OfAFolderThatWasRemovedIsRefused) {
  EXPECT_TRUE(this->free_now());
  fs::remove_all(this->folder_.path());
  fs::create_directory(this->folder_.path());  // another one of this name
  try {
    this->free_now();
    FAIL() << "locked in a folder that no other process can open";
  } catch (const FileLockError& error) {
    EXPECT_THAT(error.what(), HasSubstr("was removed while it was in use"));
  }
}

TYPED_TEST(FileLockTest, WhatKilledProcessesLeftIsSweptByTheNextToOpenTheFolder) {
  OtherHolder(this->lock_, kKey).end();
  EXPECT_TRUE(this->free_now());
  start_process([&] { this->free_now(); });
  end_of(-1);
  const auto claims = [&] {
    const std::set<std::string> names = this->names();
    return std::count_if(names.begin(), names.end(), [](const std::string& name) {
      return name.starts_with(internal::kClaimPrefix);
    });
  };
  EXPECT_GT(claims(), 1);  // the child's claim, and this process's
  FileLock<TypeParam> another(this->folder_.path());
  EXPECT_EQ(claims(), 1);
}

// Rounds of one stale lock and several who find it at once.
TYPED_TEST(FileLockTest, TwoRescuersAtOnceNeverLetTwoIn) {
  struct Shared {
    std::atomic<int> gate{0};
    std::atomic<int> inside{0};
    std::atomic<int> crowds{0};
    std::atomic<int> done{0};
  };
  constexpr int kRescuers = 4;
  for (int round = 0; round < 50; ++round) {
    OtherHolder(this->lock_, kKey).end();
    SharedWithChildren<Shared> shared;
    for (int i = 0; i < kRescuers; ++i) {
      start_process([&] {
        auto handle = this->lock_.handle(kKey);
        ++shared->gate;
        await([&] { return shared->gate == kRescuers; });
        handle.lock();
        if (++shared->inside != 1) ++shared->crowds;
        sched_yield();
        --shared->inside;
        handle.unlock();
        ++shared->done;
      });
    }
    for (int i = 0; i < kRescuers; ++i) end_of(-1);
    ASSERT_EQ(shared->done, kRescuers);
    ASSERT_EQ(shared->crowds, 0);
  }
}

// Whatever of the prompt ways to wake is missing, nobody waits for good.
TYPED_TEST(FileLockTest, EachWayToWakeCanBeMissing) {
  for (int missing = 0; missing < 8; ++missing) {
    SCOPED_TRACE(missing);
    FileLock<TypeParam> lock(this->folder_.path(), {.wake_words = (missing & 1) == 0,
                                                    .watch_folder = (missing & 2) == 0,
                                                    .watch_owner = (missing & 4) == 0});
    OtherHolder holder(lock, kKey);
    auto handle = lock.handle(kKey);
    EXPECT_FALSE(handle.try_lock_for(milliseconds(30)));
    holder.send(SIGKILL);
    handle.lock();
    const pid_t waiter = start_process([&] {
      auto theirs = lock.handle(kKey);
      theirs.lock();
      theirs.unlock();
    });
    EXPECT_EQ(handle.unlock(), Unlocked::kYes);
    EXPECT_EQ(end_of(waiter), 0);
  }
}

std::string refusal(const std::string& folder) {
  try {
    FileLock<> lock(folder);
  } catch (const FileLockError& error) {
    return error.what();
  }
  return "accepted";
}

class LockFolderTest : public ::testing::Test {
 protected:
  std::string make(const std::string& name, fs::perms permissions) const {
    const std::string path = folder_.path() + "/" + name;
    fs::create_directory(path);
    fs::permissions(path, permissions);
    return path;
  }

  const platform::ScratchFolder folder_;
};

TEST_F(LockFolderTest, OneThatEverybodyMayWriteIsRefusedUnlessSticky) {
  EXPECT_THAT(refusal(make("open", fs::perms::all)), HasSubstr("chmod +t"));
  EXPECT_EQ(refusal(make("sticky", fs::perms::all | fs::perms::sticky_bit)), "accepted");
}

TEST_F(LockFolderTest, OneOfAnotherUserIsRefused) {
  const platform::FileFacts theirs{.owner = 1234, .mode = 0700, .folder = true};
  EXPECT_THAT(internal::fault_of_folder(theirs, 1000), HasSubstr("belongs to another user"));
  const platform::FileFacts systems{.owner = 0, .mode = 01777, .folder = true};
  EXPECT_EQ(internal::fault_of_folder(systems, 1000), "");
}

TEST_F(LockFolderTest, ASymbolicLinkOrNothingInItsPlaceIsRefused) {
  const std::string real = make("real", fs::perms::owner_all);
  fs::create_directory_symlink(real, folder_.path() + "/planted");
  EXPECT_THAT(refusal(folder_.path() + "/planted"), HasSubstr("is no folder itself"));
  EXPECT_THAT(refusal(folder_.path() + "/none"), HasSubstr("cannot be opened: No such file"));
}

TEST_F(LockFolderTest, WhatIsPlantedForItsWakeWordsIsRefusedAndNotWritten) {
  const std::string precious = folder_.path() + "/precious";
  std::ofstream(precious) << "as it was";
  fs::permissions(precious, fs::perms::owner_read | fs::perms::owner_write);
  const std::string linked = make("linked", fs::perms::owner_all);
  fs::create_symlink(precious, linked + "/.wake");
  EXPECT_THAT(refusal(linked), HasSubstr("is a symbolic link"));
  const std::string named = make("named", fs::perms::owner_all);
  fs::create_hard_link(precious, named + "/.wake");
  EXPECT_THAT(refusal(named), HasSubstr("has a second name"));
  const std::string filled = make("filled", fs::perms::owner_all);
  fs::copy(precious, filled + "/.wake");
  EXPECT_THAT(refusal(filled), HasSubstr("holds something else"));
  std::string text;
  std::getline(std::ifstream(precious), text);
  EXPECT_EQ(text, "as it was");
}

TEST_F(LockFolderTest, APlantedLockLeadsNowhere) {
  const std::string victim = make("victim", fs::perms::owner_all);
  std::ofstream(victim + "/owner") << "as it was";
  const std::string locks = make("locks", fs::perms::owner_all);
  fs::create_directory_symlink(victim, locks + "/7.lock");
  FileLock<DirectoryForm> lock(locks);
  auto handle = lock.handle(kKey);
  EXPECT_FALSE(handle.try_lock());
  EXPECT_EQ(handle.unlock(), Unlocked::kNotOwner);
  EXPECT_TRUE(fs::exists(victim + "/owner"));
}

TEST(FileName, OfAKeyStaysInItsFolderAndIsNoOtherKeys) {
  using internal::FileName;
  EXPECT_EQ(FileName(std::uint64_t{42}).text(), "42.lock");
  EXPECT_EQ(FileName(std::string_view("../a b")).text(), "%2E%2E%2Fa%20b.lock");
  EXPECT_EQ(FileName(std::string_view("%2E")).text(), "%252E.lock");
  EXPECT_THROW(FileName(std::string(300, 'x')), std::length_error);
}

}  // namespace
}  // namespace lockbench
