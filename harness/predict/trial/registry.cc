// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/trial/registry.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "primitives/adaptive_mutex.h"
#include "primitives/as_published/reentrant_as_published.h"
#include "primitives/futex_mutex.h"
#include "primitives/global_lock.h"
#include "primitives/keyed_limited.h"
#include "primitives/keyed_mutex.h"
#include "primitives/keyed_shared_mutex.h"
#include "primitives/lease_pool.h"
#include "primitives/no_lock.h"
#include "primitives/parking_mutex.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/mutex.h"
#include "primitives/platform/spin.h"
#include "primitives/recursive_mutex.h"
#include "primitives/reentrant_lock.h"
#include "primitives/stripe_word.h"
#include "primitives/striped_lock.h"

namespace lockbench::predict {
namespace {

// SpinMutex: what POSIX spin locks of x86 do, on the simulated platform: a word that is exchanged,
// and read with pauses while it is not free.
//
// Guarantees   mutual exclusion between threads.
// Not offered  FIFO order, fairness, sleeping.
// Why it is here  the C library's code is not predicted, and this has the same accesses.
// Source       L. Rudolph, Z. Segall, "Dynamic Decentralized Cache Schemes for MIMD Parallel
//              Processors", 1984 (test-and-test-and-set).
class SpinMutex {
 public:
  SpinMutex() = default;
  SpinMutex(const SpinMutex&) = delete;
  SpinMutex& operator=(const SpinMutex&) = delete;

  void lock() {
    while (!try_lock()) {
      // relaxed: a hint; (1) decides.
      while (word_.load(std::memory_order_relaxed) != kFree) platform::pause();
    }
  }

  // (1) acquire: synchronizes with (2), the release by the last holder.
  bool try_lock() { return word_.exchange(kHeld, std::memory_order_acquire) == kFree; }

  // (2) release: publishes the critical section to (1).
  void unlock() { word_.store(kFree, std::memory_order_release); }

 private:
  enum State : std::uint32_t { kFree = 0, kHeld = 1 };

  platform::Atomic<std::uint32_t> word_{kFree};
};

// The value of a parameter that is a number; the parent has checked it.
std::uint64_t number(const Cell& cell, const std::string& parameter) {
  const std::string& text = cell.primitive.parameters.at(parameter);
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// `primitive(cell)` returns the primitive.
template <class P, class Primitive>
// NOLINTNEXTLINE(performance-unnecessary-value-param): it is moved from
RegisteredLock registered(PrimitiveSpec spec, Primitive primitive) {
  RegisteredLock lock{.spec = std::move(spec),
                      .kind = lock_kind_of<P>(),
                      .key_types = {},
                      .make = [primitive](const Cell& cell) {
                        return std::make_unique<PredictableLockOf<P>>(primitive(cell));
                      }};
  if (KeyedLock<P, std::uint64_t>) lock.key_types.push_back(KeyType::kU64);
  if (KeyedLock<P, std::string_view>) lock.key_types.push_back(KeyType::kString);
  return lock;
}

template <class P>
RegisteredLock plain(PrimitiveSpec spec) {
  return registered<P>(std::move(spec), [](const Cell&) { return std::make_unique<P>(); });
}

template <class P>
RegisteredLock striped(PrimitiveSpec spec) {
  return registered<P>(std::move(spec), [](const Cell& cell) {
    return std::make_unique<P>(number(cell, "stripes"));
  });
}

template <class Base>
void add_base(std::vector<RegisteredLock>& locks, const char* lock) {
  locks.push_back(plain<GlobalLock<Base>>({"global", {{"lock", lock}}}));
  locks.push_back(striped<StripedLock<Base>>({"striped", {{"case", "sensitive"}, {"lock", lock}}}));
}

void add_case_insensitive(std::vector<RegisteredLock>& locks) {
  locks.push_back(striped<StripedLock<AdaptiveMutex, CaseInsensitiveHash>>(
      {"striped", {{"case", "insensitive"}, {"lock", "adaptive"}}}));
}

void add_reentrant(std::vector<RegisteredLock>& locks) {
  locks.push_back(plain<ReentrantLock<>>({"reentrant", {}}));
  locks.push_back(plain<ReentrantLock<RecursiveMutex<ParkingMutex>>>({"recursive_parking", {}}));
  locks.push_back(plain<ReentrantRepaired>({"reentrant_repaired", {}}));
}

void add_leases(std::vector<RegisteredLock>& locks) {
  const auto add = [&locks]<class P>(const char* order, const char* nesting) {
    locks.push_back(
        registered<P>({"lease", {{"nesting", nesting}, {"order", order}}}, [](const Cell& cell) {
          const std::uint64_t leases = number(cell, "leases");
          return std::make_unique<P>(cell.keys, static_cast<std::uint32_t>(leases));
        }));
  };
  using enum LeaseOrder;
  using enum LeaseNesting;
  add.template operator()<LeasePool>("unordered", "refuse");
  add.template operator()<BasicLeasePool<kUnordered, kWait>>("unordered", "wait");
  add.template operator()<BasicLeasePool<kFifo>>("fifo", "refuse");
  add.template operator()<BasicLeasePool<kFifo, kWait>>("fifo", "wait");
}

template <class K>
void add_keyed(std::vector<RegisteredLock>& locks) {
  const auto add = [&locks]<class P>(const char* name) {
    locks.push_back(registered<P>(
        {name, {}}, [](const Cell& cell) { return std::make_unique<P>(number(cell, "buckets")); }));
  };
  add.template operator()<KeyedMutex<K>>("keyed");
  add.template operator()<KeyedSharedMutex<K>>("keyed_shared");
  using Limited = KeyedLimited<K>;
  locks.push_back(registered<Limited>({"keyed_limited", {}}, [](const Cell& cell) {
    const std::chrono::milliseconds limit(number(cell, "hold_limit_ms"));
    return std::make_unique<Limited>(limit, number(cell, "buckets"));
  }));
}

std::vector<RegisteredLock> all_locks() {
  std::vector<RegisteredLock> locks;
  locks.push_back(plain<NoLock>({"none", {}}));
  add_base<AdaptiveMutex>(locks, "adaptive");
  add_base<FutexMutex>(locks, "futex");
  // The C library's mutex is a futex with three states and no spinning, and so is this one.
  add_base<platform::Mutex>(locks, "std");
  add_base<SpinMutex>(locks, "pthread_spin");
  add_case_insensitive(locks);
  add_keyed<std::uint64_t>(locks);
  add_keyed<std::string_view>(locks);
  locks.push_back(striped<StripeWord>({"stripe_word", {}}));
  add_reentrant(locks);
  add_leases(locks);
  return locks;
}

std::vector<RegisteredLock>& known_locks() {
  static std::vector<RegisteredLock> locks = all_locks();
  return locks;
}

RegisteredLock registered(const CatalogEntry& entry, const PredictableOffer& offer) {
  PrimitiveSpec spec{.name = entry.listing.name, .parameters = {}};
  for (const Choice& choice : entry.listing.choices) {
    spec.parameters[choice.parameter] = choice.value;
  }
  return {.spec = spec,
          .kind = offer.kind,
          .key_types = entry.key_types,
          .make = [numbers = entry.listing.numbers, make = offer.make](const Cell& cell) {
            Arguments arguments{.numbers = {}, .keys = cell.keys};
            for (const Number& n : numbers) {
              arguments.numbers[n.parameter] = number(cell, n.parameter);
            }
            return make(arguments);
          }};
}

}  // namespace

std::span<const RegisteredLock> registered_locks() {
  return known_locks();
}

void add_locks(const PluginOffer& offer) {
  for (std::size_t i = 0; i < offer.entries.size(); ++i) {
    known_locks().push_back(registered(offer.entries[i], offer.form.locks.at(i)));
  }
}

const RegisteredLock* find_registered(const PrimitiveSpec& spec, KeyType key_type) {
  const auto fits = [&spec, key_type](const RegisteredLock& lock) {
    if (lock.spec.name != spec.name) return false;
    const auto& key_types = lock.key_types;
    if (std::find(key_types.begin(), key_types.end(), key_type) == key_types.end()) return false;
    return std::all_of(lock.spec.parameters.begin(), lock.spec.parameters.end(),
                       [&spec](const auto& choice) {
                         const auto found = spec.parameters.find(choice.first);
                         return found != spec.parameters.end() && found->second == choice.second;
                       });
  };
  const std::span<const RegisteredLock> locks = registered_locks();
  const auto found = std::find_if(locks.begin(), locks.end(), fits);
  return found == locks.end() ? nullptr : &*found;
}

}  // namespace lockbench::predict
