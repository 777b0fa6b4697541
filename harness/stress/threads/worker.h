// SPDX-License-Identifier: Apache-2.0

// Worker: one thread of an epoch. It does its acts over and over, is disturbed at the boundaries of
// its locks, looks at each result, and notes down what can only be judged with what the others
// noted.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/stress/litmus/program.h"
#include "harness/stress/threads/epoch_context.h"
#include "harness/stress/threads/history.h"
#include "harness/stress/threads/shared_state.h"
#include "workloads/random.h"

namespace lockbench::stress::threads {

class Worker {
 public:
  Worker(EpochContext& context, std::uint32_t number);

  // Once through the acts, or less when the context stops: then all is given back.
  void go_through_acts();

  // When it has ended: what it noted, and its updates of each key and lease.
  const std::vector<Take>& takes() const { return takes_; }
  std::int64_t complete_until() const { return complete_until_; }
  std::uint64_t updates(std::uint32_t key, std::uint32_t lease) const {
    return updates_[std::size_t{key} * context_.capacity + lease];
  }

 private:
  static constexpr std::size_t kNotNoted = ~std::size_t{0};

  // Of a key that a hold has.
  struct Part {
    std::uint32_t key = 0;
    std::uint64_t seen = 0;  // its count when the hold began
    bool nested = false;     // the thread had it already
    std::size_t note = kNotNoted;
  };

  struct Hold {
    std::unique_ptr<LockHandle> handle;
    std::uint32_t lease = 0;
    std::uint32_t parts = 1;
    Part part[2];
  };

  enum class Answer { kHeld, kRefused, kImpossible };

  std::size_t perform(std::size_t position);
  void take(const Act& act, std::size_t& position);
  Answer call(const Act& act, LockHandle& handle);
  void enter(const Act& act, std::unique_ptr<LockHandle> handle, std::int64_t asked);
  void refused(const Act& act, std::int64_t asked, bool judged);
  void enter_part(Part& part, std::uint32_t lease, LockHandle& handle);
  void leave_part(const Part& part, std::uint32_t lease);
  void give();
  void unlock_as_non_owner(std::uint32_t key);
  void rest(std::int64_t ns);

  void disturb();
  void tell(Deed::What what, const Act& act, std::uint32_t lease, std::int64_t ns);
  std::size_t note(const Take& take);
  void count(Oracle oracle) { add(line_.evaluations[static_cast<std::size_t>(oracle)]); }
  void waited(std::int64_t ns, std::uint32_t key);
  std::uint64_t delay_since_look();
  bool somebody_is_in_the_way(std::uint32_t key) const;
  bool nested_in(std::uint32_t key) const;
  [[noreturn]] void accuse(std::uint64_t other, const Part& part, std::uint32_t lease) const;

  EpochContext& context_;
  const std::uint32_t number_;
  const std::uint64_t name_;
  const std::vector<Act>& acts_;
  Line& line_;
  Random random_;
  const std::size_t most_notes_;

  std::vector<Hold> holds_;
  std::vector<std::uint32_t> depth_;  // of each key
  std::vector<bool> gave_back_;       // of each key: a part of the nest
  std::vector<std::uint64_t> updates_;
  std::vector<Take> takes_;
  std::int64_t complete_until_;
  std::uint64_t grants_before_ = 0;  // of the key that is wanted
  std::uint64_t delay_ns_ = 0;       // that this thread had when it was last looked at
  std::uint32_t takes_since_look_ = 0;
};

}  // namespace lockbench::stress::threads
