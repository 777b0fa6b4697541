// SPDX-License-Identifier: Apache-2.0

// FileLock: a lock file for every key in use, in a folder that processes share.
//
// Guarantees   mutual exclusion per key between all threads of all processes that use the folder.
//              Scripts take part with `ln -s` (symlink form) or `mkdir` (directory form) on the
//              same names. A lock whose owner was killed is recovered; a lock whose owner is
//              stopped is not. That holds across containers (PID namespaces) of one machine, too,
//              on a local file system. Nothing outside the folder is written, whatever the folder
//              contains. A process that ends leaves no file but `.wake` and `.lives`. The files of
//              a killed process are removed by the next process that opens the folder or recovers
//              a lock.
// Not offered  FIFO order; recursion; recovery from a thread that ends while its process lives, or
//              from an owner about which nothing is known (file_owner.h): waiters keep waiting;
//              protection from a user that may write to the folder and keeps a lock forever.
// Requires     the rules for handles in concepts.h; /proc of its PID namespace; a folder that
//              belongs to this user or to the superuser and that not everybody may write to, unless
//              it is sticky; hard links to symbolic links (symlink form) or renameat2 (directory
//              form). Nothing else removes the lock file of a held key: except the folder from the
//              cleaning of old files (a line "x FOLDER" in tmpfiles.d). Files of keys that are free
//              may be removed at any time.
// fork()       a child may use the FileLock and take locks with claims of its own, unless another
//              thread of the parent was inside a call at the time of the fork(). A key that the
//              parent holds stays the parent's: unlock() by the child's copy of the handle returns
//              kNotOwner. After execve() the process keeps its keys until it ends; to a process
//              of another PID namespace it is dead then (life_lock.h).
// Errors       the constructor throws FileLockError if the folder is not usable; lock() throws it
//              if the lock file cannot be made. unlock() never throws and returns what happened.
// Cost         symlink form: two links are made and removed, one is read: 6-10 us, no new file. A
//              thread that waits for a key sleeps.
//
// Invariants
//   I1  A lock file appears in one step, with its owner's text in it (file_forms.h), and only where
//       there was none.
//   I2  No two claims ever have the same text.
//   I3  Only the owner removes the lock file of an owner that lives.
//   I4  Only the process that holds the folder's rescue guard removes the lock file of a dead
//       owner. A dead owner takes no lock.
//   Consequence for recovery: a process that holds the guard reads a lock file and finds that its
//   owner is dead. Until it removes that file, the file does not change: the owner cannot remove it
//   (dead), other rescuers wait for the guard, and a successor cannot create its file while this
//   one exists. So two rescuers remove one stale lock once, and never the successor's. A rescuer
//   that is killed loses the guard when it dies.
//   Consequence for unlock(): the file that the owner reads and recognises as its own is still its
//   own when it removes it.
//
// Waking. A waiter sleeps on a word that this user's processes share (wake_words.h). Every 5 to 20
// ms it checks whether the owner lives, so a killed owner's lock stays unused for that long. If
// there are no such words, or the owner is a script, which wakes no waiter, the waiter waits for
// three events at once: a file leaves the folder (inotify), removed by anyone; the owner ends
// (pidfd); or kLongestPoll has passed, for what neither of them reports: file systems and limits
// without inotify, old kernels, other machines. Without inotify it checks after 1, 2, 4, … ms, up
// to kLongestPoll. inotify is not always used because the kernel takes tens of milliseconds to
// close it, and a process that is killed is not dead until then.
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "primitives/concepts.h"
#include "primitives/internal/file_claims.h"
#include "primitives/internal/file_forms.h"
#include "primitives/internal/file_name.h"
#include "primitives/internal/file_owner.h"
#include "primitives/internal/handle_pair.h"
#include "primitives/internal/lock_folder.h"
#include "primitives/internal/misuse.h"
#include "primitives/internal/process_pool.h"
#include "primitives/internal/rollback.h"
#include "primitives/internal/thread_orders.h"
#include "primitives/internal/timed.h"
#include "primitives/internal/wake_words.h"
#include "primitives/key.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/failure.h"
#include "primitives/platform/file_watch.h"

namespace lockbench {

// The result of an unlock().
enum class Unlocked {
  kYes,
  kNoSuchLock,    // there is no lock file: the key is free
  kNotOwner,      // another owner holds the key
  kCannotRemove,  // the file system refuses: this handle still holds the key
};

// Ways of waiting that can be switched off: where they do not work, and in tests of the others.
struct FileLockOptions {
  bool wake_words = true;
  bool watch_folder = true;
  bool watch_owner = true;
};

template <class Form = SymlinkForm>
class FileLock {
 public:
  static constexpr Promises kPromises{
      .lock_per_key = true, .timed = true, .scope = Scope::kProcess};
  static constexpr platform::Duration kFirstPoll = std::chrono::milliseconds(5);
  static constexpr platform::Duration kLaterPolls = std::chrono::milliseconds(20);
  static constexpr platform::Duration kLongestPoll = std::chrono::milliseconds(50);

  class Handle;

  explicit FileLock(std::string folder, FileLockOptions options = {})
      : options_(options), folder_(std::move(folder)), claims_(folder_) {
    if (!options_.wake_words) return;
    std::string trouble;
    wakes_ = internal::WakeWords(folder_.descriptor(), trouble);
    if (!trouble.empty()) {
      FileLockError::raise_at(folder_.path() + "/" + internal::WakeWords::kName,
                              trouble + "; it is not from here: remove it");
    }
  }

  Handle handle(std::uint64_t key) { return Handle(Claimed<std::uint64_t>{*this, key}); }
  Handle handle(std::string_view key) { return Handle(Claimed<std::string_view>{*this, key}); }
  void handle(Fractional auto key) = delete;

  // Both keys at once, in the order of the keys; equal keys are taken once.
  template <Key K>
  internal::HandlePair<Handle> handle_both(K a, K b) {
    if (a == b) return internal::HandlePair<Handle>(Claimed<K>{*this, a});
    if (b < a) std::swap(a, b);
    return internal::HandlePair<Handle>(Claimed<K>{*this, a}, Claimed<K>{*this, b});
  }

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  template <class K>
  struct Claimed {
    FileLock& owner;
    K key;
  };

  // A key in the form that handles use.
  struct Target {
    template <class K>
    explicit Target(K key) : name(key), hash(KeyHash{}(key)) {}

    const internal::FileName name;
    const std::uint64_t hash;
  };

  const platform::FileDescriptor& in() const { return folder_.descriptor(); }

  bool try_take(const Target& target, internal::FileClaim& claim) {
    int error = Form::take(in(), claim.name.c_str(), target.name.c_str());
    if (error == ENOENT) [[unlikely]] {
      claims_.replace(claim);
      error = Form::take(in(), claim.name.c_str(), target.name.c_str());
    }
    if (error != 0 && error != EEXIST) {
      FileLockError::raise_at(folder_.path() + "/" + target.name.c_str(),
                              std::string("cannot be made: ") + std::strerror(error) +
                                  "; the folder must be writable, on a file system that can make "
                                  "links of symbolic links and rename to free names only");
    }
    if (error != 0) return false;
    orders_.note_acquire(target.hash);
    return true;
  }

  bool acquire(const Target& target, internal::FileClaim& claim, platform::Time deadline) {
    const std::uint32_t seen = read_wakes(target);
    if (try_take(target, claim)) [[likely]]
      return true;
    return wait_for(target, claim, deadline, seen);
  }

  std::uint32_t read_wakes(const Target& target) const {
    return wakes_.open() ? wakes_.read(target.hash) : 0;
  }

  // The order is essential: read, try, sleep. A release after the read ends the sleep.
  [[gnu::noinline, gnu::cold]] bool wait_for(const Target& target, internal::FileClaim& claim,
                                             platform::Time deadline, std::uint32_t seen) {
    platform::Duration look = kFirstPoll;
    for (;;) {
      const platform::Time now = platform::now();
      if (now >= deadline) return recover(target, owner_of(target)) && try_take(target, claim);
      const platform::FutexWait slept =
          wakes_.open() ? wakes_.sleep(target.hash, seen, std::min(deadline, now + look))
                        : platform::FutexWait::kTimedOut;
      if (slept == platform::FutexWait::kWoken && contend(target, claim)) return true;
      // The waiter that was woken last may have been killed before it took the lock.
      if (wakes_.open() && slept != platform::FutexWait::kChanged) wakes_.settle(target.hash);
      if (slept == platform::FutexWait::kTimedOut) {
        look_after(target, deadline);
        look = std::min(2 * look, kLaterPolls);
      }
      seen = read_wakes(target);
      if (try_take(target, claim)) return true;
    }
  }

  // No wake-up came for a while: the owner may be dead, or it may be a script, which wakes none.
  void look_after(const Target& target, platform::Time deadline) {
    const std::string owner = owner_of(target);
    const bool wakes_us = wakes_.open() && internal::parse_file_owner(owner).has_value();
    if (!recover(target, owner) && !wakes_us) outwait(target, owner, deadline);
  }

  // For the waiter that was woken: it stays awake for some changes of the holder. Meanwhile no
  // other waiter is woken, since it would find the key taken.
  bool contend(const Target& target, internal::FileClaim& claim) {
    constexpr int kTries = 16;
    for (int i = 0; i < kTries; ++i) {
      const std::uint32_t seen = read_wakes(target);
      if (try_take(target, claim)) {
        wakes_.settle(target.hash);
        return true;
      }
      if (!wakes_.spin(target.hash, seen)) break;
    }
    return false;
  }

  // Waits until `owner` has gone or the deadline has passed.
  [[gnu::noinline, gnu::cold]] void outwait(const Target& target, const std::string& owner,
                                            platform::Time deadline) {
    platform::RemovalWatch removals = watches_.take().value_or(platform::RemovalWatch());
    const bool watched = options_.watch_folder && removals.start(in());
    platform::FileDescriptor process;
    // It reports nothing about a process number that was reused; recover(), called next, does.
    if (const auto known = internal::parse_file_owner(owner); known && options_.watch_owner) {
      process = platform::watch_process(static_cast<platform::ProcessId>(known->process));
    }
    platform::Duration look = watched ? kLongestPoll : std::chrono::milliseconds(1);
    while (platform::now() < deadline && held_by(target, owner) && !recover(target, owner)) {
      platform::wait_for_either(removals, process, std::min(deadline, platform::now() + look));
      look = std::min(2 * look, kLongestPoll);
    }
    removals.stop();
    watches_.give(std::move(removals));
  }

  bool held_by(const Target& target, const std::string& owner) const {
    std::string now;
    return Form::read_owner(in(), target.name.c_str(), now) != ENOENT && now == owner;
  }

  // Empty if no process holds the lock, or if its holder gives no name.
  std::string owner_of(const Target& target) const {
    std::string owner;
    Form::read_owner(in(), target.name.c_str(), owner);
    return owner;
  }

  // Removes the lock if `text`, its owner when last seen, is dead. True when the lock is no longer
  // that owner's: it is worth trying again.
  [[gnu::noinline, gnu::cold]] bool recover(const Target& target, const std::string& text) {
    const auto owner = internal::parse_file_owner(text);
    if (!owner || folder_.life_of(*owner) != internal::Life::kDead) return false;
    const internal::RescueGuard guard(folder_);
    if (!guard.held()) return false;
    // I4: read again under the guard, which keeps other rescuers out.
    if (!held_by(target, text)) return true;
    const std::string claim = internal::claim_name(text);
    if (Form::give_back(in(), claim.c_str(), target.name.c_str()) != 0) return false;
    claims_.sweep();
    return true;
  }

  Unlocked release(const Target& target, const internal::FileClaim& claim) {
    std::string owner;
    const int error = Form::read_owner(in(), target.name.c_str(), owner);
    if (error == ENOENT) return Unlocked::kNoSuchLock;
    if (!claim.held() || owner != claim.owner) return Unlocked::kNotOwner;
    orders_.note_release(target.hash);
    if (Form::give_back(in(), claim.name.c_str(), target.name.c_str()) != 0) {
      return Unlocked::kCannotRemove;
    }
    if (wakes_.open()) wakes_.wake_one(target.hash);
    return Unlocked::kYes;
  }

  const FileLockOptions options_;
  const internal::LockFolder folder_;
  internal::FileClaims<Form> claims_;
  internal::WakeWords wakes_;
  internal::ProcessPool<platform::RemovalWatch> watches_;
  internal::ThreadOrders& orders_ = internal::ThreadOrders::of_process();
};

template <class Form>
class FileLock<Form>::Handle : public internal::TimedMembers<Handle> {
 public:
  template <class K>
  explicit Handle(const Claimed<K>& claimed) : lock_(claimed.owner), target_(claimed.key) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    internal::check_use([this] { return !claim_.held(); },
                        "FileLock: a handle is destroyed while it holds its key");
  }

  // If the handle holds its key already: throws std::system_error with the code
  // resource_deadlock_would_occur; try_lock() returns false.
  void lock() { lock_before(platform::kForever); }
  bool try_lock() { return lock_before(platform::Time{}); }

  bool lock_before(platform::Time deadline) {
    if (claim_.held()) return refuse_held_already(deadline);
    internal::FileClaim claim = lock_.claims_.obtain();
    internal::Rollback obtained([&] { lock_.claims_.keep(std::move(claim)); });
    if (!lock_.acquire(target_, claim, deadline)) return false;
    obtained.complete();
    claim_ = std::move(claim);
    return true;
  }

  Unlocked unlock() {
    const Unlocked result = lock_.release(target_, claim_);
    if (!claim_.held() || result == Unlocked::kCannotRemove) return result;
    internal::FileClaim claim = std::exchange(claim_, {});
    if (result == Unlocked::kYes) {
      lock_.claims_.keep(std::move(claim));
    } else {
      lock_.claims_.discard(claim);  // another process removed the lock: do not use this again
    }
    return result;
  }

 private:
  static bool refuse_held_already(platform::Time deadline) {
    internal::check_use([] { return false; }, "FileLock: lock() of a handle that holds its key");
    if (deadline == platform::Time{}) return false;
    platform::throw_error(
        std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                          "FileLock: the handle holds its key already"));
  }

  FileLock& lock_;
  const Target target_;
  internal::FileClaim claim_;
};

}  // namespace lockbench
