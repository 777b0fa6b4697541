// SPDX-License-Identifier: Apache-2.0

// ThreadProgram: what one thread does with the locks, round after round, as places and transitions.
//
//   outside ─asks─▶ wants ─acquires─▶ holds ─[acquires the next]─▶ … ─releases─▶ outside
//      └─ends─▶ ended
//
// A thread that can choose between locks chooses before it waits: a real thread that waits for one
// mutex does not get another one instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/petri/net/lock_models.h"
#include "harness/petri/net/net_builder.h"

namespace lockbench::internal {

// Locks by index, in the order of their acquisition.
using Held = std::vector<std::size_t>;

struct AcquisitionPlan {
  std::size_t levels = 1;  // how many locks a thread holds at once, at most
  // The locks that a thread may acquire next, while it holds these.
  std::function<std::vector<std::size_t>(const Held&)> next;
};

class ThreadProgram {
 public:
  ThreadProgram(NetBuilder& net, const std::vector<std::unique_ptr<LockModel>>& locks,
                std::uint32_t thread);

  void build(const AcquisitionPlan& plan);

  // Places in which the thread holds this lock. A place in which it holds it twice is listed twice.
  std::vector<std::uint32_t> inside(std::size_t lock) const;

 private:
  void add_acquisitions(const AcquisitionPlan& plan, std::uint32_t from, const Held& held);
  void add_releases(std::uint32_t from, const Held& held);
  std::uint32_t holding_place(const AcquisitionPlan& plan, const Held& held);
  std::uint32_t leaving_place(const Held& held, bool& is_new);
  std::string names(const Held& held) const;
  std::string nouns(const Held& held) const;

  NetBuilder& net_;
  const std::vector<std::unique_ptr<LockModel>>& locks_;
  const std::uint32_t thread_;
  std::uint32_t outside_ = 0;
  std::uint32_t ended_ = 0;
  std::map<Held, std::uint32_t> leaving_;
  std::vector<std::pair<std::uint32_t, Held>> holding_;
};

}  // namespace lockbench::internal
