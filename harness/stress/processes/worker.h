// SPDX-License-Identifier: Apache-2.0

// Worker: one life of a process of an epoch: it takes keys, looks whether it is alone with them,
// makes an update and gives them back.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/stress/processes/epoch_context.h"

namespace lockbench::stress::processes {

class Worker {
 public:
  Worker(const EpochContext& context, std::uint32_t number, std::uint64_t life);

  // Until the epoch stops, or `most_holds` are over. Ends the process when it failed.
  void live(std::uint64_t most_holds);

 private:
  void hold(std::uint32_t key);
  bool take(std::uint32_t key);
  bool call(std::uint32_t key);
  bool ask_for_a_while(std::uint32_t key);
  void give(std::uint32_t key);
  void enter(std::uint32_t key);
  void leave(std::uint32_t key);
  void dwell();
  void perhaps_yield();
  void tell(Deed::What what, std::uint32_t key);
  void asked(Oracle oracle);
  [[noreturn]] void fail(FailureRecord charge) const;

  const EpochContext& context_;
  SharedState& state_;
  ProcessSlot& slot_;
  const std::uint32_t number_;
  const std::uint64_t name_;
  Random random_;
  std::vector<std::unique_ptr<LockHandle>> handles_;
  std::vector<std::uint64_t> counts_;  // what each key's number said when its hold began
};

}  // namespace lockbench::stress::processes
