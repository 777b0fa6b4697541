// SPDX-License-Identifier: Apache-2.0

// Child processes of a test: each runs a piece of work and ends without the test's own endings.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "primitives/platform/clock.h"
#include "primitives/platform/file.h"

namespace lockbench {

// Starts a process that runs `work()` and ends.
template <class Work>
pid_t start_process(const Work& work) {
  const pid_t child = fork();
  if (child != 0) return child;
  work();
  _exit(0);
}

// Until the process has ended; returns its status.
inline int end_of(pid_t process) {
  int status = 0;
  waitpid(process, &status, 0);
  return status;
}

enum class OwnProc { kYes, kNo };

// Starts a process that is number 1 of a PID namespace of its own, where it runs
// `work(whether it has its own /proc)` and ends. Negative if the kernel refuses, as it does to most
// users.
template <class Work>
pid_t start_in_container(const Work& work, OwnProc own = OwnProc::kYes) {
  const auto child = static_cast<pid_t>(
      syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  if (child != 0) return child;
  const bool has_own = own == OwnProc::kYes &&
                       mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                       mount("proc", "/proc", "proc", 0, nullptr) == 0;
  work(has_own);
  _exit(0);
}

inline void kill_process(pid_t process) {
  kill(process, SIGKILL);
  end_of(process);
}

// Runs `work()` in a process of its own and returns its answer.
template <class Work>
bool in_another_process(const Work& work) {
  return end_of(start_process([&] { _exit(work() ? 0 : 1); })) == 0;
}

// Something that processes share; made before they are started.
template <class T>
class SharedWithChildren {
 public:
  SharedWithChildren() : object_(new (platform::map_shared({}, sizeof(T))) T()) {}
  ~SharedWithChildren() { platform::unmap_shared(object_, sizeof(T)); }
  SharedWithChildren(const SharedWithChildren&) = delete;
  SharedWithChildren& operator=(const SharedWithChildren&) = delete;

  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }

 private:
  T* const object_;
};

// Until another process has made it so; others run meanwhile.
template <class Condition>
void await(const Condition& condition) {
  while (!condition()) sched_yield();
}

// A process that holds a key until it is killed.
template <class Lock>
class OtherHolder {
 public:
  OtherHolder(Lock& lock, std::uint64_t key) {
    process_ = start_process([&] {
      auto handle = lock.handle(key);
      handle.lock();
      *inside_ = true;
      pause();
    });
    await([&] { return inside_->load(); });
  }
  ~OtherHolder() { end(); }

  void send(int signal) const { kill(process_, signal); }
  void end() {
    if (process_ != 0) kill_process(process_);
    process_ = 0;
  }
  // Dead, and not collected by its parent: it still has its number.
  void end_uncollected() const {
    send(SIGKILL);
    siginfo_t ended;
    waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOWAIT);
  }

 private:
  SharedWithChildren<std::atomic<bool>> inside_;
  pid_t process_ = 0;
};

}  // namespace lockbench
