// SPDX-License-Identifier: Apache-2.0

// KeySetLock: a lock under test that maps the program's keys to the keys of a key set (keys.h).
//
// KeysOfPass: which keys the acts of a program name when a thread performs them again.
//
// A program that is repeated over two or three keys shows what a count does. Over many keys, it
// also shows what a table does when it grows, and which locks two keys have in common. Pure, so
// that a replay names the same keys.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "harness/stress/litmus/keys.h"
#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/litmus/program.h"
#include "workloads/random.h"

namespace lockbench::stress {

class KeySetLock final : public LockUnderTest {
 public:
  KeySetLock(std::unique_ptr<LockUnderTest> lock, std::uint32_t key_set)
      : lock_(std::move(lock)), key_set_(key_set) {}

  std::unique_ptr<LockHandle> handle(std::uint64_t key) override {
    return lock_->handle(key_value(key_set_, key));
  }
  std::unique_ptr<LockHandle> handle_both(std::uint64_t a, std::uint64_t b) override {
    return lock_->handle_both(key_value(key_set_, a), key_value(key_set_, b));
  }
  std::uint32_t capacity() const override { return lock_->capacity(); }
  std::optional<std::size_t> keys_kept() const override { return lock_->keys_kept(); }
  const void* object() const override { return lock_->object(); }

 private:
  const std::unique_ptr<LockUnderTest> lock_;
  const std::uint32_t key_set_;
};

// Returns `lock` itself for key set 0.
inline std::unique_ptr<LockUnderTest> with_key_set(std::unique_ptr<LockUnderTest> lock,
                                                   std::uint32_t key_set) {
  if (key_set == 0) return lock;
  return std::make_unique<KeySetLock>(std::move(lock), key_set);
}

class KeysOfPass {
 public:
  KeysOfPass() = default;  // every pass names the same keys
  explicit KeysOfPass(const LitmusProgram& program)
      : spread_(program.spread), room_(program.keys() - program.named_keys() + 1) {}

  // The act as the thread performs it in this pass. All single keys of a pass grow by one number,
  // so that nested keys keep their order. The keys of a pair are drawn independently, because no
  // order of them can deadlock.
  Act act(Act act, std::uint32_t thread, std::uint32_t pass) const {
    if (spread_ == 0 || !names_keys(act.kind)) return act;
    const std::uint64_t drawn = derive_seed(thread, pass);
    if (!names_two_keys(act.kind)) {
      act.key += static_cast<std::uint32_t>(drawn % room_);
      return act;
    }
    act.key = static_cast<std::uint32_t>(derive_seed(drawn, act.key) % spread_);
    act.other = static_cast<std::uint32_t>(derive_seed(drawn, act.other) % spread_);
    return act;
  }

 private:
  static bool names_keys(Act::Kind kind) {
    return acquires(kind) || kind == Act::kUnlockByNonOwner;
  }

  std::uint32_t spread_ = 0;
  std::uint32_t room_ = 1;
};

}  // namespace lockbench::stress
