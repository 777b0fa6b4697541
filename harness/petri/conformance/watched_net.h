// SPDX-License-Identifier: Apache-2.0

// WatchedNet: a net as it appears to an observer of threads that acquire and release locks.
//
// Its locks are those that the kAcquires events of thread 1 name, in the order of the transitions.
// Threads are numbered from 0 here and from 1 in the net. A transition with a kClears event is made
// silent: a waiting thread fires it within lock(), where no observer sees it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/petri/net/net.h"

namespace lockbench::stress {

class WatchedNet {
 public:
  // Fails with InvalidArgument if the net has no event of a lock to look for.
  static absl::StatusOr<WatchedNet> watch(Net net);

  // The same for a net in PNML.
  static absl::StatusOr<WatchedNet> read(const std::string& pnml);

  const Net& net() const { return net_; }
  std::uint32_t threads() const { return static_cast<std::uint32_t>(solos_.size()); }
  const std::vector<std::string>& locks() const { return locks_; }

  // How many of the net's threads can hold the lock at once. 0 if the lock can be acquired only
  // inside another lock.
  std::uint32_t capacity(std::uint32_t lock) const { return capacities_[lock]; }

  NetEvent acquires(std::uint32_t thread, std::uint32_t lock) const;
  NetEvent releases(std::uint32_t thread, std::uint32_t lock) const;
  static NetEvent expires(std::uint32_t thread);
  static NetEvent dies(std::uint32_t thread);

  // True if a thread of the net may die.
  bool is_mortal() const;

  // Transitions that clean up what a dead owner left.
  const std::vector<std::uint32_t>& cleanup_transitions() const { return cleanup_transitions_; }

  // `locks` in the order in which this thread can acquire them if it acquires them together.
  std::vector<std::uint32_t> in_order(std::uint32_t thread, std::vector<std::uint32_t> locks) const;

  // The net of what the thread can do if there is no other thread and it never has to wait.
  const Net& solo(std::uint32_t thread) const { return solos_[thread]; }

  // Places that mean that a lock has no entry.
  const std::vector<std::uint32_t>& absences() const { return absences_; }

 private:
  explicit WatchedNet(Net net) : net_(std::move(net)) {}

  void set_cleanups_apart();
  void find_locks();
  void find_threads();
  std::uint32_t measured_capacity(std::uint32_t lock) const;

  Net net_;
  std::vector<Net> solos_;
  std::vector<std::string> locks_;
  std::vector<std::uint32_t> capacities_;
  std::vector<std::uint32_t> absences_;
  std::vector<std::uint32_t> cleanup_transitions_;
};

}  // namespace lockbench::stress
