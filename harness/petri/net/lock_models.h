// SPDX-License-Identifier: Apache-2.0

// LockModel: how one lock is acquired and released, as transitions between two places of a thread.
//
// The constructor adds the lock's shared places. ThreadProgram (thread_program.h) then calls the
// model for the transitions of each acquisition and release in a thread's program.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/petri/net/net_builder.h"

namespace lockbench::internal {

// One acquisition or release by thread `t`, which leaves place `from` and reaches place `to`.
struct Passage {
  std::uint32_t t = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::string suffix;   // makes names unique among the passages of one lock: "", "_with_a"
  std::string holding;  // what else the thread holds, for labels: "", "holds a and "
};

class LockModel {
 public:
  LockModel(NetBuilder& net, std::string name, std::string noun)
      : net_(net), name_(std::move(name)), noun_(std::move(noun)) {}
  virtual ~LockModel() = default;
  LockModel(const LockModel&) = delete;
  LockModel& operator=(const LockModel&) = delete;

  virtual void add_acquisition(const Passage& passage) = 0;
  virtual void add_release(const Passage& passage) = 0;
  // Adds what a thread may do at `place`, where it holds this lock and no other lock inside it.
  // `ended` is the place of a thread that has died.
  virtual void add_critical_section(std::uint32_t /*t*/, std::uint32_t /*place*/,
                                    std::uint32_t /*ended*/, const std::string& /*suffix*/) {}
  // Adds what a thread may do while it waits at `place`.
  virtual void add_wait(std::uint32_t /*t*/, std::uint32_t /*place*/, std::uint32_t /*ended*/) {}

  const std::string& name() const { return name_; }     // for names: `a`, `s1`
  const std::string& noun() const { return noun_; }     // for labels: `a`, `stripe 1`
  virtual std::uint32_t capacity() const { return 1; }  // how many threads can hold it at once
  // The property that capacity() states.
  virtual std::string property() const { return "at most one thread is inside " + noun_; }
  // Places of thread `t` in which it holds this lock, in addition to the places of its program.
  virtual std::vector<std::uint32_t> more_inside(std::uint32_t /*t*/) const { return {}; }

 protected:
  NetBuilder& net() const { return net_; }
  NetEvent acquires() const { return {.verb = NetEvent::kAcquires, .lock = noun_}; }
  NetEvent releases() const { return {.verb = NetEvent::kReleases, .lock = noun_}; }

 private:
  NetBuilder& net_;
  const std::string name_;
  const std::string noun_;
};

// A place with a token for each thread that may hold it at once: mutex, stripe, leases of a shard.
std::unique_ptr<LockModel> counting_model(NetBuilder& net, const std::string& name,
                                          const std::string& noun, std::uint32_t capacity);
// A key of KeyedMutex, which keeps nothing for a key that no thread holds and wakes its waiters.
std::unique_ptr<LockModel> key_model(NetBuilder& net, const std::string& name,
                                     const std::string& noun);
// A key of KeyedSharedMutex: a round of a thread shares the key or holds it alone. Not nested.
std::unique_ptr<LockModel> shared_key_model(NetBuilder& net, const std::string& name,
                                            const std::string& noun);
// A lock that its owner may acquire again, up to `depth` times in total.
std::unique_ptr<LockModel> reentrant_model(NetBuilder& net, const std::string& name,
                                           const std::string& noun, std::uint32_t depth);
// A lock file whose owner may die. With `recovered`, a waiting process removes it.
std::unique_ptr<LockModel> file_model(NetBuilder& net, bool recovered);
// A hold that expires when it lasts too long. Its fencing token is refused from then on.
std::unique_ptr<LockModel> timed_model(NetBuilder& net);
// No lock: a read and a later write.
std::unique_ptr<LockModel> unlocked_model(NetBuilder& net);
// A lock that tests and sets its flag in two steps.
std::unique_ptr<LockModel> test_then_set_model(NetBuilder& net);

}  // namespace lockbench::internal
