// SPDX-License-Identifier: Apache-2.0

#include "harness/plugin/c_offer.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "harness/plugin/c_table.h"
#include "harness/plugin/plugin.h"
#include "harness/stress/litmus/capacity_lock.h"

namespace lockbench {
namespace {

// The functions of the lock that is in use. They are set before any object of that lock is created.
lockbench_c_lock in_use{};

void* create() {
  void* const self = in_use.create();
  if (self != nullptr) return self;
  throw std::runtime_error(std::string("lock '") + in_use.name +
                           "' could not be made: its create() returned NULL");
}

std::uint64_t whole_ns(std::chrono::nanoseconds timeout) {
  return static_cast<std::uint64_t>(std::max(timeout, std::chrono::nanoseconds(0)).count());
}

// It is known when a lock is loaded whether it has timeouts. If it has none, its entry does not
// promise them and no caller requests them.
class CLock {
 public:
  CLock() : self_(create()) {}
  ~CLock() { in_use.destroy(self_); }
  CLock(const CLock&) = delete;
  CLock& operator=(const CLock&) = delete;

  void lock() { in_use.lock(self_); }
  bool try_lock() { return in_use.try_lock(self_) != 0; }
  void unlock() { in_use.unlock(self_); }
  bool try_lock_for(std::chrono::nanoseconds timeout) {
    return in_use.try_lock_for(self_, whole_ns(timeout)) != 0;
  }
  bool try_lock_until(platform::Time deadline) { return try_lock_for(deadline - platform::now()); }

 private:
  void* const self_;
};
static_assert(TimedLockable<CLock>);

class CReentrantLock : public CLock {
 public:
  static constexpr Promises kPromises{.reentrant = true};
};

template <bool kReentrant>
class CKeyedLock {
 public:
  static constexpr Promises kPromises{.reentrant = kReentrant, .timed = true};

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
    bool try_lock_for(std::chrono::nanoseconds timeout) {
      return in_use.try_lock_key_for(self_, key_, whole_ns(timeout)) != 0;
    }
    bool try_lock_until(platform::Time deadline) {
      return try_lock_for(deadline - platform::now());
    }

   private:
    void* const self_;
    const std::uint64_t key_;
  };

  Handle handle(std::uint64_t key) { return Handle(self_, key); }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }  // without what create() allocated

 private:
  void* const self_;
};
static_assert(KeyedLock<CKeyedLock<false>>);

// Sets the functions in use before the first object of the lock is created.
template <class Make>
void use_first(Make& make, const lockbench_c_lock& lock) {
  make = [lock, make](auto&&... arguments) {
    in_use = lock;
    return make(arguments...);
  };
}

LockPromises promises_in(const lockbench_c_lock& lock) {
  const lockbench_c_promises said = c_promises_of(lock);
  const bool timed = knows_keys(lock) ? lock.try_lock_key_for != nullptr  //
                                      : lock.try_lock_for != nullptr;
  return {.lock_per_key = said.lock_per_key != 0,
          .reentrant = said.reentrant != 0,
          .timed = timed,
          .fair = said.fair != 0,
          .scope = said.processes != 0 ? Scope::kProcess : Scope::kThread,
          .strong_try = said.strong_try != 0,
          .refuses_non_owners = said.refuses_non_owners != 0,
          .hold_limit = std::chrono::nanoseconds(said.hold_limit_ns),
          .depth = said.depth,
          .survives_fork = said.survives_fork != 0,
          .capacity = said.capacity,
          .bypass_limit = said.bypass_limit,
          .programs = said.programs == nullptr ? "" : said.programs,
          .limits = {.threads = said.limits.threads,
                     .keys = said.limits.keys,
                     .keys_of_thread = said.limits.keys_of_thread,
                     .keys_below = said.limits.keys_below,
                     .no_kills = said.limits.no_kills != 0}};
}

void add_lock(const lockbench_c_lock& lock, bool reentrant, PluginLocks& locks) {
  constexpr char kOrigin[] = "plug-in in C";
  if (knows_keys(lock)) {
    if (reentrant) return locks.add<CKeyedLock<true>>(lock.name, lock.summary, kOrigin);
    return locks.add<CKeyedLock<false>>(lock.name, lock.summary, kOrigin);
  }
  if (reentrant) return locks.add<CReentrantLock>(lock.name, lock.summary, kOrigin);
  locks.add<CLock>(lock.name, lock.summary, kOrigin);
}

void keep_promises(const LockPromises& promises, stress::RegisteredLock& made) {
  internal::keep_promises(promises, made);
  made.abilities.timed &= promises.timed;  // the functions for timeouts may be missing
  made.abilities.lock_per_key |= promises.lock_per_key;
  made.abilities.nests_keys |= promises.lock_per_key;
}

void do_nothing(void*) {}

}  // namespace

PluginOffer c_offer(const lockbench_c_plugin& plugin) {
  PluginOffer whole;
  for (std::uint64_t i = 0; i < plugin.count; ++i) {
    const lockbench_c_lock lock = c_lock_at(plugin, i);
    PluginOffer offer;
    PluginLocks locks(offer);
    const LockPromises promises = promises_in(lock);
    whole.names.emplace_back(lock.name);
    add_lock(lock, promises.reentrant, locks);
    // With more than one holder, a workload needs a number for each holder, and these locks have
    // none. A lock between processes need not exclude the threads of a workload.
    if (promises.capacity != 1 || promises.scope == Scope::kProcess) {
      offer.entries.clear();
      offer.locks.resize(1);
    }
    for (CatalogEntry& entry : offer.entries) {
      const bool table = internal::is_table(entry.listing.name);  // see internal::keep_promises()
      entry.promises.timed = promises.timed && !table;
      entry.promises.fair = promises.fair && !table;
      entry.promises.lock_per_key |= promises.lock_per_key;
      for (Pairing& pairing : entry.pairings) use_first(pairing.make, lock);
      whole.entries.push_back(std::move(entry));
    }
    for (stress::RegisteredLock& made : offer.locks) {
      keep_promises(promises, made);
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
  // Hides the value from the compiler, which would otherwise call nothing at all.
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
