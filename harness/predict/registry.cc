// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/registry.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/predict/spin_mutex.h"
#include "harness/stress/lock_adapter.h"
#include "primitives/adaptive_mutex.h"
#include "primitives/as_published/reentrant_as_published.h"
#include "primitives/futex_mutex.h"
#include "primitives/global_lock.h"
#include "primitives/keyed_mutex.h"
#include "primitives/lease_pool.h"
#include "primitives/no_lock.h"
#include "primitives/parking_lot.h"
#include "primitives/platform/mutex.h"
#include "primitives/recursive_mutex.h"
#include "primitives/reentrant_lock.h"
#include "primitives/stripe_word.h"
#include "primitives/striped_lock.h"

namespace lockbench::predict {
namespace {

using stress::LockUnderTest;

// The value of a parameter that is a number; the parent has checked it.
std::uint64_t number(const Cell& cell, const std::string& parameter) {
  const std::string& text = cell.primitive.parameters.at(parameter);
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

template <class P, class... Arguments>
std::unique_ptr<LockUnderTest> adapt(const Arguments&... arguments) {
  return std::make_unique<stress::LockAdapter<P, std::uint64_t>>(std::make_unique<P>(arguments...));
}

template <class P>
std::unique_ptr<LockUnderTest> plain(const Cell&) {
  return adapt<P>();
}

template <class P>
std::unique_ptr<LockUnderTest> striped(const Cell& cell) {
  return adapt<P>(number(cell, "stripes"));
}

template <class Base>
void add_base(std::vector<RegisteredLock>& locks, const char* lock) {
  locks.push_back({.spec = {"global", {{"lock", lock}}}, .make = plain<GlobalLock<Base>>});
  locks.push_back({.spec = {"striped", {{"case", "sensitive"}, {"lock", lock}}},
                   .make = striped<StripedLock<Base>>});
}

void add_reentrant(std::vector<RegisteredLock>& locks) {
  const auto add = [&locks]<class P>(const char* name) {
    locks.push_back({.spec = {name, {}}, .kind = LockKind::kReentrant, .make = plain<P>});
  };
  add.template operator()<ReentrantLock<>>("reentrant");
  add.template operator()<ReentrantLock<RecursiveMutex<ParkingMutex>>>("recursive_parking");
  add.template operator()<ReentrantRepaired>("reentrant_repaired");
}

void add_leases(std::vector<RegisteredLock>& locks) {
  const auto add = [&locks]<class P>(const char* order) {
    locks.push_back({.spec = {"lease", {{"nesting", "refuse"}, {"order", order}}},
                     .kind = LockKind::kLeases,
                     .make = [](const Cell& cell) {
                       const std::uint64_t leases = number(cell, "leases");
                       return adapt<P>(cell.keys, static_cast<std::uint32_t>(leases));
                     }});
  };
  add.template operator()<LeasePool>("unordered");
  add.template operator()<BasicLeasePool<LeaseOrder::kFifo>>("fifo");
}

std::vector<RegisteredLock> all_locks() {
  std::vector<RegisteredLock> locks;
  locks.push_back({.spec = {"none", {}}, .make = plain<NoLock>});
  add_base<AdaptiveMutex>(locks, "adaptive");
  add_base<FutexMutex>(locks, "futex");
  // The C library's mutex is a futex with three states and no spinning, and so is this one.
  add_base<platform::Mutex>(locks, "std");
  add_base<SpinMutex>(locks, "pthread_spin");
  locks.push_back({.spec = {"keyed", {}}, .make = [](const Cell& cell) {
                     return adapt<KeyedMutex<>>(number(cell, "buckets"));
                   }});
  locks.push_back({.spec = {"stripe_word", {}}, .make = striped<StripeWord>});
  add_reentrant(locks);
  add_leases(locks);
  return locks;
}

std::vector<RegisteredLock>& known_locks() {
  static std::vector<RegisteredLock> locks = all_locks();
  return locks;
}

LockKind kind_of(const CatalogEntry& entry) {
  if (entry.promises.reentrant) return LockKind::kReentrant;
  const auto& pairings = entry.pairings;
  const bool leases = std::any_of(pairings.begin(), pairings.end(), [](const Pairing& pairing) {
    return pairing.workload == "checkout";
  });
  return leases ? LockKind::kLeases : LockKind::kExclusive;
}

RegisteredLock registered(const CatalogEntry& entry, const PluginOffer::Maker& make) {
  PrimitiveSpec spec{.name = entry.listing.name, .parameters = {}};
  for (const Choice& choice : entry.listing.choices) {
    spec.parameters[choice.parameter] = choice.value;
  }
  return {.spec = spec,
          .kind = kind_of(entry),
          .make = [numbers = entry.listing.numbers, make](const Cell& cell) {
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
    known_locks().push_back(registered(offer.entries[i], offer.makers.at(i)));
  }
}

const RegisteredLock* find_registered(const PrimitiveSpec& spec) {
  const auto fits = [&spec](const RegisteredLock& lock) {
    if (lock.spec.name != spec.name) return false;
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
