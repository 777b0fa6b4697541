// SPDX-License-Identifier: Apache-2.0

// LockParts: how one lock is taken and let go of, as transitions between two places of a thread.
//
// Whatever program a thread runs (programs.h), a part adds to it the lock's side: its shared places
// when it is made, and the transitions for each acquisition that the program has.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/petri/net_builder.h"

namespace lockbench::internal {

// One acquisition: thread `t`, which is at `from` before and at `to` after.
struct Passage {
  std::uint32_t t = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::string suffix;   // sets its names apart from others of the same lock: "", "_with_a"
  std::string holding;  // "", "holds a and "
};

class LockPart {
 public:
  LockPart(NetBuilder& net, std::string name, std::string noun)
      : net_(net), name_(std::move(name)), noun_(std::move(noun)) {}
  virtual ~LockPart() = default;
  LockPart(const LockPart&) = delete;
  LockPart& operator=(const LockPart&) = delete;

  virtual void add_taking(const Passage& passage) = 0;
  virtual void add_release(const Passage& passage) = 0;
  // What a thread may do while it holds this lock and no other inside it, at `place`; `ended` is
  // where it goes when it dies.
  virtual void add_stay(std::uint32_t /*t*/, std::uint32_t /*place*/, std::uint32_t /*ended*/,
                        const std::string& /*suffix*/) {}
  // What a thread may do while it waits at `place`.
  virtual void add_wait(std::uint32_t /*t*/, std::uint32_t /*place*/, std::uint32_t /*ended*/) {}

  const std::string& name() const { return name_; }     // part of other names: `a`, `s1`
  const std::string& noun() const { return noun_; }     // part of sentences: `a`, `stripe 1`
  virtual std::uint32_t capacity() const { return 1; }  // how many may hold at once
  // What capacity() promises, as a sentence.
  virtual std::string claim() const { return "at most one thread is inside " + noun_; }
  // Places of thread `t` in which it holds this lock, beside those that the program knows.
  virtual std::vector<std::uint32_t> more_inside(std::uint32_t /*t*/) const { return {}; }

 protected:
  NetBuilder& net() const { return net_; }

 private:
  NetBuilder& net_;
  const std::string name_;
  const std::string noun_;
};

// A place with a token for each holder that it admits: mutex, stripe, leases of a shard.
std::unique_ptr<LockPart> plain_part(NetBuilder& net, const std::string& name,
                                     const std::string& noun, std::uint32_t capacity);
// A key of KeyedMutex, of which nothing is kept while nobody holds it; who waits is woken.
std::unique_ptr<LockPart> key_part(NetBuilder& net, const std::string& name,
                                   const std::string& noun);
// A lock that its owner may take again, up to `depth` times in all.
std::unique_ptr<LockPart> reentrant_part(NetBuilder& net, const std::string& name,
                                         const std::string& noun, std::uint32_t depth);
// A lock file whose owner may die inside; with `recovered`, whoever waits clears it away.
std::unique_ptr<LockPart> file_part(NetBuilder& net, bool recovered);
// A hold that ends by itself when it lasts too long; its token is worthless from then on.
std::unique_ptr<LockPart> timed_part(NetBuilder& net);
// Nothing that keeps anybody out: a read and a later write.
std::unique_ptr<LockPart> no_part(NetBuilder& net);
// A test and a set in two steps.
std::unique_ptr<LockPart> test_then_set_part(NetBuilder& net);

}  // namespace lockbench::internal
