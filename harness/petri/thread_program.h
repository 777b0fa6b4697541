// SPDX-License-Identifier: Apache-2.0

// ThreadProgram: what one thread does with the locks, round after round, as places and transitions.
//
//   outside ─asks─▶ wants ─takes─▶ holds ─[takes the next]─▶ … ─lets go─▶ outside
//      └─ends─▶ ended
//
// Where a thread may choose, the choice comes before the wait: a real thread that waits for one
// mutex is not served by another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/petri/lock_parts.h"
#include "harness/petri/net_builder.h"

namespace lockbench::internal {

// Locks by index, in the order taken.
using Held = std::vector<std::size_t>;

struct Course {
  std::size_t levels = 1;  // locks held at once, at most
  // Those that may be taken by a thread that holds these.
  std::function<std::vector<std::size_t>(const Held&)> next;
};

class ThreadProgram {
 public:
  ThreadProgram(NetBuilder& net, const std::vector<std::unique_ptr<LockPart>>& locks,
                std::uint32_t thread);

  void build(const Course& course);

  // Places in which the thread holds this lock; one in which it holds it twice comes twice.
  std::vector<std::uint32_t> inside(std::size_t lock) const;

 private:
  void descend(const Course& course, std::uint32_t from, const Held& held);
  void ascend(std::uint32_t from, const Held& held);
  std::uint32_t holding_place(const Course& course, const Held& held);
  std::uint32_t leaving_place(const Held& held, bool& made);
  std::string names(const Held& held) const;
  std::string nouns(const Held& held) const;

  NetBuilder& net_;
  const std::vector<std::unique_ptr<LockPart>>& locks_;
  const std::uint32_t thread_;
  std::uint32_t outside_ = 0;
  std::uint32_t ended_ = 0;
  std::map<Held, std::uint32_t> leaving_;
  std::vector<std::pair<std::uint32_t, Held>> holding_;
};

}  // namespace lockbench::internal
