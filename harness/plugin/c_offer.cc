// SPDX-License-Identifier: Apache-2.0

#include "harness/plugin/c_offer.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "harness/plugin/c_table.h"
#include "harness/plugin/plugin.h"

namespace lockbench {
namespace {

// The functions of the line that is under way. Set before any lock of it is made.
lockbench_c_lock in_use{};

void* create() {
  void* const self = in_use.create();
  if (self != nullptr) return self;
  throw std::runtime_error(std::string("lock '") + in_use.name +
                           "' could not be made: its create() returned NULL");
}

class CLock {
 public:
  CLock() : self_(create()) {}
  ~CLock() { in_use.destroy(self_); }
  CLock(const CLock&) = delete;
  CLock& operator=(const CLock&) = delete;

  void lock() { in_use.lock(self_); }
  bool try_lock() { return in_use.try_lock(self_) != 0; }
  void unlock() { in_use.unlock(self_); }

 private:
  void* const self_;
};
static_assert(Lockable<CLock>);

class CKeyedLock {
 public:
  static constexpr Promises kPromises{};

  CKeyedLock() : self_(create()) {}
  ~CKeyedLock() { in_use.destroy(self_); }
  CKeyedLock(const CKeyedLock&) = delete;
  CKeyedLock& operator=(const CKeyedLock&) = delete;

  class Handle {
   public:
    Handle(void* self, std::uint64_t key) : self_(self), key_(key) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() { in_use.lock_key(self_, key_); }
    bool try_lock() { return in_use.try_lock_key(self_, key_) != 0; }
    void unlock() { in_use.unlock_key(self_, key_); }

   private:
    void* const self_;
    const std::uint64_t key_;
  };

  Handle handle(std::uint64_t key) { return Handle(self_, key); }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }  // what create() took is not known

 private:
  void* const self_;
};
static_assert(KeyedLock<CKeyedLock>);

// Before anything of the line is made, its functions are those in use.
template <class Make>
void use_first(Make& make, const lockbench_c_lock& lock) {
  make = [lock, make](auto&&... arguments) {
    in_use = lock;
    return make(arguments...);
  };
}

void do_nothing(void*) {}

}  // namespace

PluginOffer c_offer(const lockbench_c_plugin& plugin) {
  PluginOffer whole;
  for (std::uint64_t i = 0; i < plugin.count; ++i) {
    const lockbench_c_lock lock = c_lock_at(plugin, i);
    PluginOffer offer;
    PluginLocks locks(offer);
    if (knows_keys(lock)) {
      locks.add<CKeyedLock>(lock.name, lock.summary, "plug-in in C");
    } else {
      locks.add<CLock>(lock.name, lock.summary, "plug-in in C");
    }
    for (CatalogEntry& entry : offer.entries) {
      for (Pairing& pairing : entry.pairings) use_first(pairing.make, lock);
      whole.entries.push_back(std::move(entry));
    }
    for (stress::RegisteredLock& made : offer.locks) {
      use_first(made.make, lock);
      whole.locks.push_back(std::move(made));
    }
  }
  return whole;
}

double c_call_ns() {
  constexpr int kTries = 5;
  constexpr int kPairs = 500'000;
  lockbench_c_lock nothing{};
  nothing.lock = do_nothing;
  nothing.unlock = do_nothing;
  // Not what the compiler knows: it would call nothing at all.
  asm volatile("" : "+m"(nothing));
  in_use = nothing;
  double least = std::numeric_limits<double>::max();
  for (int i = 0; i < kTries; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    for (int pair = 0; pair < kPairs; ++pair) {
      in_use.lock(nullptr);
      in_use.unlock(nullptr);
    }
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begun;
    least = std::min(least, took.count() / kPairs);
  }
  return least;
}

}  // namespace lockbench
