// SPDX-License-Identifier: Apache-2.0

// WatchedNet: a net, as far as somebody sees it who watches threads take locks.
//
// Such a net has transitions with the events `thread 1 takes a` and `thread 1 lets go of a`. What
// is taken are its locks, numbered in the order in which thread 1's transitions name them; threads
// are numbered from 0 here and from 1 in the net's words. A place or transition whose words begin
// with `thread 1 ` is thread 1's own. What has the event `thread 1 clears …` is done by one who
// waits, for an owner that died: it happens within lock(), where nobody sees it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/petri/net.h"

namespace lockbench::stress {

class WatchedNet {
 public:
  // Fails with InvalidArgument when nothing in the net can be watched.
  static absl::StatusOr<WatchedNet> watch(Net net);

  // The same of a net as PNML.
  static absl::StatusOr<WatchedNet> read(const std::string& pnml);

  const Net& net() const { return net_; }
  std::uint32_t threads() const { return static_cast<std::uint32_t>(solos_.size()); }
  const std::vector<std::string>& locks() const { return locks_; }

  // How many threads can hold the lock at once, of those that there are; 0 when it can be had
  // inside of others only.
  std::uint32_t capacity(std::uint32_t lock) const { return capacities_[lock]; }

  std::string takes(std::uint32_t thread, std::uint32_t lock) const;
  std::string lets_go(std::uint32_t thread, std::uint32_t lock) const;
  static std::string expires(std::uint32_t thread);
  static std::string dies(std::uint32_t thread);

  // Whether its threads may die.
  bool is_mortal() const;

  // Transitions that clear away what a dead owner left.
  const std::vector<std::uint32_t>& rescues() const { return rescues_; }

  // Several locks taken at once, in the order in which this thread can take them.
  std::vector<std::uint32_t> in_order(std::uint32_t thread, std::vector<std::uint32_t> locks) const;

  // What the thread does when nobody else is there and nothing has to be waited for.
  const Net& solo(std::uint32_t thread) const { return solos_[thread]; }

  // Places that stand for a lock of which nothing is kept, or none.
  const std::vector<std::uint32_t>& absences() const { return absences_; }

 private:
  explicit WatchedNet(Net net) : net_(std::move(net)) {}

  void hide_rescues();
  void find_locks();
  void find_threads();
  std::uint32_t measured_capacity(std::uint32_t lock) const;

  Net net_;
  std::vector<Net> solos_;
  std::vector<std::string> locks_;
  std::vector<std::uint32_t> capacities_;
  std::vector<std::uint32_t> absences_;
  std::vector<std::uint32_t> rescues_;
};

}  // namespace lockbench::stress
