// SPDX-License-Identifier: Apache-2.0

// CallWatch: stops the processes of an epoch before each of their system calls until the
// supervising process lets the call go on. A process that is killed or held there leaves to the
// others exactly what its lock had done up to this call.
//
// Guarantees   A watched process waits before each system call, except for those that neither
//              change nor read anything that processes share (call_watch.cc lists them).
// Not offered  Accesses of shared memory are not seen.
// Requires     Linux 5.5 with seccomp's user notification. Call why_unavailable() first, because a
//              container or an older kernel may refuse it.
// Invariants
//   I1  Only the supervising process keeps listeners. So if it dies, the kernel lets all watched
//       processes go on (with ENOSYS), and none of them waits for an answer forever.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "harness/stress/processes/shared_state.h"
#include "primitives/platform/clock.h"

namespace lockbench::stress::processes {

// A system call that a process is about to make.
struct WatchedCall {
  std::uint32_t slot = 0;
  std::int32_t number = 0;  // SYS_…
};

// For messages: `unlinkat()`, or `system call 446` if this program does not know its name.
std::string name_of_call(std::int32_t number);

class CallWatch {
 public:
  struct Answer {
    platform::Duration wait{0};  // how long the process waits before its call
    bool killed = false;         // the process that called exists no more
  };
  using Decide = std::function<Answer(const WatchedCall&)>;

  CallWatch() = default;
  ~CallWatch();
  CallWatch(const CallWatch&) = delete;
  CallWatch& operator=(const CallWatch&) = delete;

  // Tries it with a process that ends at once. Returns the reason if calls cannot be watched here.
  // Requires: this process has one thread.
  static std::optional<std::string> why_unavailable();

  // As start_child(); the child is watched while it does `work`. A process that had the slot before
  // has ended. Errors: see error().
  pid_t start(std::uint32_t slot, const std::function<void()>& work);

  // Answers the calls of all processes until `end`. It calls `decide` for each call; `decide` may
  // kill the process that calls, and start another one in its slot.
  void answer_until(platform::Time end, const Decide& decide);

  // Lets all processes that wait go on.
  void release_all();

  // The number of the first error, as in errno, at starting or answering; 0 if there was none.
  int error() const { return error_; }

 private:
  struct Waiting {
    std::uint32_t slot;
    std::uint64_t id;
    platform::Time until;
  };

  void watch_this_process(int socket) const;
  void drop(std::uint32_t slot);
  void receive(std::uint32_t slot, const Decide& decide);
  void let_go(const Waiting& waiting);
  platform::Time release_due(platform::Time end);
  void note_error(int error);

  std::array<int, kMostProcesses> listeners_ = [] {
    std::array<int, kMostProcesses> none;
    none.fill(-1);
    return none;
  }();
  std::vector<Waiting> waiting_;
  int error_ = 0;
};

}  // namespace lockbench::stress::processes
