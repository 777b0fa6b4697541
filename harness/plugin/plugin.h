// SPDX-License-Identifier: Apache-2.0

// Plug-ins: run your own locks with lockbench's workloads, without a change to lockbench.
//
//   #include <lockbench/plugin.h>
//
//   class TicketLock { … lock, try_lock, unlock … };
//
//   LOCKBENCH_PRIMITIVE("ticket", "first come, first served", TicketLock)
//
// If it is built by lockbench_add_plugin(my_locks ticket_lock.cc), then `lockbench run --plugin
// ./my_locks.so --primitive global:lock=ticket` measures it, and `lockbench stress --plugin
// ./my_locks.so` tests it. A plug-in with several locks adds them in a function body of its own:
//
//   LOCKBENCH_PLUGIN(locks) {
//     locks.add<TicketLock>("ticket", "first come, first served");
//     locks.add<McsLock>("mcs", "each waiter spins on its own word");
//   }
//
// How a class is used, depending on its interface (primitives/concepts.h)
//   BaseLock     Lockable, or a queue lock with a Node: `global:lock=NAME`, `striped:lock=NAME`,
//                `keyed_table:lock=NAME` (Lockable only). If `static constexpr Promises
//                kPromises{.reentrant = true}` says that its owner may acquire it again, it is
//                the primitive NAME, one lock for all keys.
//   KeyedLock    the primitive NAME, for the kinds of key that it accepts. A LeaseLock with a
//                constructor (std::uint64_t keys, std::uint32_t leases) gets the parameter
//                `leases`.
//
// Guarantees   The measured loop is compiled in the plug-in, for the concrete class, from the same
//              templates as for lockbench's own locks: while it runs, no call crosses the boundary
//              between the two.
// Requires     The lockbench that runs the plug-in was built from the same version by a compatible
//              compiler; other plug-ins are refused. The class has a constructor without arguments,
//              except for leases.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/bench/catalog/entry.h"
#include "harness/bench/catalog/line.h"
#include "harness/plugin/line_adapter.h"
#include "harness/plugin/offer.h"
#include "harness/stress/forms.h"
#include "harness/stress/litmus/capacity_lock.h"
#include "harness/stress/lock_adapter.h"
#include "harness/stress/several_keys.h"
#include "harness/stress/shared_holds.h"
#include "harness/stress/stopped_waits.h"
#include "primitives/concepts.h"
#include "primitives/global_lock.h"
#include "primitives/peers/keyed_table.h"
#include "primitives/platform/stop.h"
#include "primitives/reentrant_lock.h"
#include "primitives/striped_lock.h"

// Installed, it lies beside the other public headers.
#if __has_include("harness/plugin/public/lockbench/build_stamp.h")
#include "harness/plugin/public/lockbench/build_stamp.h"
#else
#include <lockbench/build_stamp.h>
#endif

#if !defined(LOCKBENCH_SIMULATE) && !defined(LOCKBENCH_STRESS_ONLY)
#include "harness/bench/catalog/workloads.h"
#endif

namespace lockbench {

namespace internal {

template <class L>
concept SaysReentrant = requires {
  requires L::kPromises.reentrant;
};

template <class L>
concept SaysPromises = requires {
  { L::kPromises } -> std::convertible_to<Promises>;
};

// The promises of L; a base lock may declare none.
template <class L>
constexpr LockPromises promises_of() {
  if constexpr (SaysPromises<L>) {
    return L::kPromises;
  } else {
    return {};
  }
}

// A class that means to be a KeyedLock.
template <class P>
concept HasHandles = requires(P& lock, std::uint64_t key) {
  lock.handle(key);
}
|| requires(P& lock, std::string_view key) {
  lock.handle(key);
};

template <class P>
concept AnyKeyedLock = KeyedLock<P, std::uint64_t> || KeyedLock<P, std::string_view>;

template <class P>
concept AnyLeaseLock = LeaseLock<P, std::uint64_t> || LeaseLock<P, std::string_view>;

// True if P, or the lock that it wraps, is made for numbers of keys and leases.
template <class P>
consteval bool takes_leases() {
  if constexpr (DeclaresWhatItWraps<P>) {
    return takes_leases<typename P::Wrapped>();
  } else {
    return AnyLeaseLock<P> && stress::kMadeFrom<P, std::uint64_t, std::uint32_t>;
  }
}

inline constexpr char kLeasesParameter[] = "leases";

// The code that follows is compiled once for all locks of a plug-in: in each of them, it would take
// longer than the lock.

// A primitive that is made of a base lock.
[[gnu::noinline]] inline Listing base_listing(const char* primitive, const std::string& name,
                                              const std::string& summary,
                                              const std::string& origin) {
  return {primitive, summary, origin, {{"lock", name}}, {}};
}

[[gnu::noinline]] inline Listing striped_listing(const std::string& name,
                                                 const std::string& summary,
                                                 const std::string& origin) {
  Listing listing = base_listing("striped", name, summary, origin);
  listing.choices.push_back({"case", "sensitive"});
  listing.numbers.push_back({"stripes", 20, 1, 1 << 24, "locks in the array"});
  return listing;
}

// After which time the hold of a lock at a service ends, if nothing renews it.
inline constexpr char kLeaseParameter[] = "lease_ms";

// How many holders of a key there may be at once.
inline constexpr char kCapacityParameter[] = "capacity";

// The values of numbers that a user gave.
using GivenNumbers = std::map<std::string, std::uint64_t>;

// Sizes are so small that threads collide on keys and every resource is exhausted; leases are so
// short that many end in a second. What the user gave goes before that.
inline Arguments few_of_each(const std::vector<Number>& numbers, std::uint64_t keys,
                             const GivenNumbers& given) {
  constexpr std::uint64_t kFew = 2;
  constexpr std::uint64_t kShortLeaseMs = 150;
  Arguments arguments{.numbers = {}, .keys = keys};
  for (const Number& number : numbers) {
    const bool size = number.parameter == "stripes" || number.parameter == kLeasesParameter ||
                      number.parameter == kCapacityParameter;
    arguments.numbers[number.parameter] = size ? kFew : number.usual;
    if (number.parameter == kLeaseParameter) {
      arguments.numbers[number.parameter] = std::max(kShortLeaseMs, number.least);
    }
  }
  for (const auto& [parameter, value] : given) arguments.numbers[parameter] = value;
  return arguments;
}

// Sets what the engine of services has to know of a lock that is at one.
inline void describe_service(const Listing& listing, const GivenNumbers& given,
                             stress::RegisteredLock& lock) {
  const Arguments arguments = few_of_each(listing.numbers, 1, given);
  lock.service = listing.service;
  for (const Number& number : listing.numbers) {
    const std::uint64_t value = arguments[number.parameter];
    if (number.servers) lock.servers = static_cast<std::uint32_t>(value);
    if (number.parameter == kCapacityParameter) {
      lock.abilities.capacity = static_cast<std::uint32_t>(value);
    }
    if (number.parameter == kLeaseParameter) lock.lease = std::chrono::milliseconds(value);
  }
}

inline auto maker_of(const Listing& listing, const GivenNumbers& given, AdapterMaker make,
                     AnyMaker make_primitive) {
  return [numbers = listing.numbers, given, make, make_primitive](std::uint64_t keys) {
    return make(few_of_each(numbers, keys, given), make_primitive);
  };
}

[[gnu::noinline]] inline stress::RegisteredLock registered_lock(
    const Listing& listing, bool string_keys, const stress::Abilities& abilities,
    const LockPromises& promises, AdapterMaker make, AnyMaker make_primitive) {
  std::string name = listing.name;
  if (!listing.choices.empty()) {
    const Choice& first = listing.choices.front();
    name += ":" + first.parameter + "=" + first.value;
  }
  if (string_keys) name += "_string";
  stress::RegisteredLock made{.name = name,
                              .summary = listing.summary + " (" + listing.origin + ")",
                              .abilities = abilities};
  made.programs = stress::programs_in(promises);
  describe_service(listing, {}, made);
  made.make = maker_of(listing, {}, make, make_primitive);
  if (listing.service.empty()) return made;
  for (const Number& number : listing.numbers) {
    made.numbers.push_back({number.parameter, number.least, number.most});
  }
  made.with_numbers = [listing, usual = made, make, make_primitive](const GivenNumbers& given) {
    stress::RegisteredLock lock = usual;
    describe_service(listing, given, lock);
    lock.make = maker_of(listing, given, make, make_primitive);
    return lock;
  };
  return made;
}

// Where the tokens come from that end the waits of a lock or a handle; void: they cannot be ended.
template <class H>
using StopSourceOf =
    std::conditional_t<StoppedBy<H, platform::StopToken>, platform::StopSource,
                       std::conditional_t<StoppedBy<H, std::stop_token>, std::stop_source, void>>;

// True if this is the keyed_table whose Base is the lock of the plug-in: `keyed_table` in a
// catalog, `keyed_table:lock=NAME` where locks have one name.
inline bool is_table(std::string_view name) {
  return name.substr(0, name.find(':')) == "keyed_table";
}

// Gives what a base lock promises to a lock that is made of it. The table of a keyed_table has
// neither timeouts nor an order, whatever its locks have, and belongs to one process. But it has no
// more room than they have, and a hold of it ends when theirs does.
[[gnu::noinline]] inline void keep_promises(const LockPromises& of_base,
                                            stress::RegisteredLock& made) {
  const LockPromises promises =
      is_table(made.name) ? LockPromises{.hold_limit = of_base.hold_limit, .limits = of_base.limits}
                          : of_base;
  stress::add_promises(promises, made.abilities);
  made.programs = stress::programs_in(promises);
  made.make = stress::with_capacity(std::move(made.make), promises.capacity);
  made.abilities.scope = promises.scope;
}

}  // namespace internal

// The body of LOCKBENCH_PLUGIN adds its locks to this object.
class PluginLocks {
 public:
  explicit PluginLocks(PluginOffer& offer) : offer_(offer) {}

  // `name`: lower-case letters, digits and underscores. `origin`: the author or source of the lock,
  // for listings.
  template <class L>
  void add(const std::string& name, const std::string& summary,
           const std::string& origin = "plug-in") {
    offer_.names.push_back(name);
    if constexpr (internal::AnyKeyedLock<L>) {
      add_keyed<L>(name, summary, origin);
    } else if constexpr (internal::SaysReentrant<L>) {
      check_base<L>();
      static_assert(internal::promises_of<L>().capacity == 1, "a reentrant lock has one owner");
      const std::size_t first = offer_.locks.size();
      add_line<ReentrantLock<L>>({{name, summary, origin}, plain<ReentrantLock<L>>});
      keep_promises<L>(first);
    } else {
      static_assert(
          !internal::HasHandles<L>,
          "a lock by key, which has handle(key), also has "
          "`static constexpr lockbench::Promises kPromises{…};` (without it, nobody knows "
          "what to test), capacity() and lock_bytes(), and its handles have lock(), "
          "try_lock() and unlock()");
      static_assert(BaseLock<L>, "a lock has lock(), try_lock() and unlock(), or is a KeyedLock");
      add_base<L>(name, summary, origin);
    }
  }

  // The same for a base lock, as `global:lock=NAME` alone: without the stripes and the table that
  // are made of it, which take most of the time to compile.
  template <class L>
  void add_alone(const std::string& name, const std::string& summary,
                 const std::string& origin = "plug-in") {
    static_assert(BaseLock<L> && !internal::SaysReentrant<L>,
                  "add_alone() takes a lock with lock(), try_lock() and unlock() that is not "
                  "reentrant; add() takes the others");
    offer_.names.push_back(name);
    add_base<L, MadeOfIt::kNothing>(name, summary, origin);
  }

  // The same for `lockbench stress` alone: a lock of several holders that have no numbers, which no
  // workload can use.
  template <class P>
  void add_stress_line(const Line<P>& line) {
    offer_.locks.push_back(registered_lock_of<P, std::uint64_t>(line));
  }

  // An entry as the catalog has them (harness/bench/catalog/line.h), with its own parameters.
  template <class P>
  void add_line(const Line<P>& line) {
#if !defined(LOCKBENCH_SIMULATE) && !defined(LOCKBENCH_STRESS_ONLY)
    offer_.entries.push_back(entry_of(line, PluginWorkloads()));
#endif
#if defined(LOCKBENCH_PLUGIN_FORM)
    offer_.form.add(line, offer_.entries);
#endif
    if constexpr (KeyedLock<P, std::uint64_t>) {
      offer_.locks.push_back(registered_lock_of<P, std::uint64_t>(line));
    } else {
      offer_.locks.push_back(registered_lock_of<P, std::string_view>(line));
    }
  }

 private:
  template <class P>
  static std::unique_ptr<P> plain([[maybe_unused]] const Arguments& with) {
    if constexpr (internal::takes_leases<P>()) {
      const std::uint64_t leases = with[internal::kLeasesParameter];
      return std::make_unique<P>(with.keys, static_cast<std::uint32_t>(leases));
    } else {
      return std::make_unique<P>();
    }
  }

  // If a base lock has timeouts, the primitives that are made of it have them in every engine.
  template <class L>
  static constexpr void check_base() {
    using Claimed = ::lockbench::internal::Claim<L>;
    static_assert(!internal::promises_of<L>().timed || stress::internal::kWaitsForTime<Claimed>,
                  "a lock that promises timeouts has bool try_lock_for(std::chrono::nanoseconds); "
                  "a queue lock, whose functions take a node, cannot promise them");
  }

  // Gives what L promises to the locks from `first` on, which were made of it.
  template <class L>
  void keep_promises(std::size_t first) {
    for (std::size_t i = first; i < offer_.locks.size(); ++i) {
      internal::keep_promises(internal::promises_of<L>(), offer_.locks[i]);
      offer_.locks[i].abilities.last_may_destroy |=
          stress::last_may_destroy<L>() && !internal::is_table(offer_.locks[i].name);
    }
  }

  // What is made of a base lock, beside the one lock that it is.
  enum class MadeOfIt { kNothing, kStripesAndTable };

  template <class L, MadeOfIt kMade = MadeOfIt::kStripesAndTable>
  void add_base(const std::string& name, const std::string& summary, const std::string& origin) {
    check_base<L>();
    const std::size_t first = offer_.locks.size();
    const Line<GlobalLock<L>> one{internal::base_listing("global", name, summary, origin),
                                  plain<GlobalLock<L>>};
    if constexpr (internal::promises_of<L>().capacity != 1) {
      // With several holders, a workload needs a number for each holder, and this lock has none.
      add_stress_line(one);
    } else {
      add_line(one);
      if constexpr (kMade == MadeOfIt::kStripesAndTable) {
        add_stripes_and_table<L>(name, summary, origin);
      }
    }
    keep_promises<L>(first);
    add_forms<L>(one.listing);
  }

  template <class L>
  void add_stripes_and_table(const std::string& name, const std::string& summary,
                             const std::string& origin) {
    add_line<StripedLock<L>>(
        {internal::striped_listing(name, summary, origin),
         [](const Arguments& with) { return std::make_unique<StripedLock<L>>(with["stripes"]); }});
#if !defined(LOCKBENCH_SIMULATE) || defined(LOCKBENCH_PLUGIN_FORM)
    // Not for the engine `sim`: of a lock that was ported by hand, the table is not.
    if constexpr (Lockable<L>) {
      for_each_table_key([&]<class K>() {
        add_line<KeyedTable<K, L>>({internal::base_listing("keyed_table", name, summary, origin),
                                    plain<KeyedTable<K, L>>});
      });
    }
#endif
  }

  // The forms of a base lock.
  template <class L>
  void add_forms(const Listing& listing) {
    constexpr LockPromises kPromises = internal::promises_of<L>();
    add_waits_stopped<GlobalLock<L>>(listing, kPromises);
    if constexpr (kPromises.capacity == 1 && SharedLockable<::lockbench::internal::Claim<L>> &&
                  has_readers_first(kPromises)) {
      add_readers_first<GlobalLock<L>, std::uint64_t>(listing, kPromises);
      add_readers_apart<GlobalLock<L>>(listing, kPromises);
      if constexpr (UpgradeLockable<L>) add_readers_upgraded<L>(listing);
    }
  }

  // If holds are taken away, a reader beside a writer shows nothing.
  static constexpr bool has_readers_first(const LockPromises& promises) {
    return promises.hold_limit.count() == 0 && promises.capacity == 1;
  }

  // For stress alone: the form of a lock with shared holds that acquires them, too.
  template <class P, Key K>
  void add_readers_first(const Listing& listing, LockPromises promises) {
    using Form = ReadersFirst<P, K>;
    stress::RegisteredLock form = registered_lock_of<Form, K>({listing, plain<Form>});
    promises.fair = Form::kPromises.fair;
    promises.bypass_limit = 0;
    internal::keep_promises(promises, form);
    form.name = stress::form_of(form.name, stress::kReadersFirst);
    form.summary += ", read before it is written";
    offer_.locks.push_back(std::move(form));
  }

  // The form whose threads may only read.
  template <class P>
  void add_readers_apart(const Listing& listing, LockPromises promises) {
    using Form = ReadersApart<P>;
    stress::RegisteredLock form = registered_lock_of<Form, std::uint64_t>({listing, plain<Form>});
    promises.reentrant = promises.refuses_non_owners = false;
    promises.programs = {};
    internal::keep_promises(promises, form);
    form.name = stress::form_of(form.name, stress::kReadersApart);
    form.summary += ", whose readers and writers are different threads";
    offer_.locks.push_back(std::move(form));
  }

  // The same form, whose writers come as readers.
  template <class L>
  void add_readers_upgraded(const Listing& listing) {
    using Form = ReadersApart<GlobalLock<Upgraded<L>>>;
    add_form<Form>(listing, stress::kReadersUpgraded,
                   "whose writers come as readers that become writers");
  }

  // For stress alone, too: the form whose waits end when a stop is requested, if the lock has that.
  // Of one with shared holds, also that whose readers are other threads.
  template <class P>
  void add_waits_stopped(const Listing& listing, const LockPromises& promises) {
    using Source = internal::StopSourceOf<HandleOf<P>>;
    if constexpr (!std::is_void_v<Source>) {
      using Form = StoppedWaits<P, Source>;
      add_form<Form>(listing, stress::kWaitsStopped, "whose waits end when a stop is requested");
      internal::keep_promises(promises, offer_.locks.back());
      using Token = decltype(std::declval<Source>().get_token());
      if constexpr (SharedStoppedBy<HandleOf<P>, Token>) {
        add_readers_apart<Form>(listing, promises);
        std::string& added = offer_.locks.back().name;
        added = stress::form_of(added, stress::kWaitsStopped);
      }
    }
  }

  // The form whose holds are of several keys, which are acquired together.
  template <class P>
  void add_several_keys(const Listing& listing) {
    if constexpr (SeveralKeysLock<P>) {
      if constexpr (P::kPromises.hold_limit.count() == 0) {
        add_form<SeveralKeys<P>>(listing, stress::kSeveralKeys,
                                 "several of whose keys are acquired together");
      }
    }
  }

  template <class Form>
  void add_form(const Listing& listing, std::string_view kind, const char* summary) {
    static_assert(DeclaresWhatItWraps<Form>, "so that it forwards each member of the lock");
    stress::RegisteredLock form = registered_lock_of<Form, std::uint64_t>({listing, plain<Form>});
    form.name = stress::form_of(form.name, kind);
    form.summary += std::string(", ") + summary;
    offer_.locks.push_back(std::move(form));
  }

  template <class P>
  void add_keyed(const std::string& name, const std::string& summary, const std::string& origin) {
    using K = std::conditional_t<KeyedLock<P, std::uint64_t>, std::uint64_t, std::string_view>;
    Listing listing{name, summary, origin};
    if constexpr (internal::takes_leases<P>()) {
      listing.numbers.push_back({internal::kLeasesParameter, 10, 1, 1 << 16, "leases of a shard"});
    }
    add_line<P>({listing, plain<P>});
    if constexpr (std::same_as<K, std::uint64_t>) {
      add_waits_stopped<P>(listing, P::kPromises);
      add_several_keys<P>(listing);
    }
    if constexpr (SharedLockable<HandleOf<P, K>> && has_readers_first(P::kPromises)) {
      add_readers_first<P, K>(listing, P::kPromises);
      if constexpr (std::same_as<K, std::uint64_t>) {
        add_readers_apart<P>(listing, P::kPromises);
      }
    }
  }

  // For stress alone, one kind of key is enough: the keys belong to the table, and they take long
  // to compile.
  template <class Visit>
  static void for_each_table_key(Visit visit) {
#if defined(LOCKBENCH_STRESS_ONLY)
    visit.template operator()<std::uint64_t>();
#else
    for_each_key_type(visit);
#endif
  }

  template <class P, Key K>
  static stress::RegisteredLock registered_lock_of(const Line<P>& line) {
    static_assert(!P::kPromises.timed || stress::internal::kWaitsForTime<HandleOf<P, K>>,
                  "a keyed lock that promises timeouts has handles with "
                  "bool try_lock_for(std::chrono::nanoseconds)");
    constexpr bool kStringKeys = std::same_as<K, std::string_view>;
    return internal::registered_lock(line.listing, kStringKeys, stress::abilities_of<P, K>(),
                                     P::kPromises, make_adapter<P, K>, any_maker(line));
  }

  PluginOffer& offer_;
};

}  // namespace lockbench

// `locks` is the name of a parameter.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define LOCKBENCH_PLUGIN(locks)                                                                   \
  struct several_locks_of_a_file_are_added_in_one_LOCKBENCH_PLUGIN {};                            \
  static void lockbench_plugin_locks(::lockbench::PluginLocks&);                                  \
  static void lockbench_plugin_fill(::lockbench::PluginOffer& offer) {                            \
    ::lockbench::PluginLocks locks(offer);                                                        \
    lockbench_plugin_locks(locks);                                                                \
  }                                                                                               \
  extern "C" {                                                                                    \
  __attribute__((visibility("default"))) extern const ::lockbench::PluginHeader lockbench_plugin; \
  const ::lockbench::PluginHeader lockbench_plugin{                                               \
      ::lockbench::kPluginMagic, {}, LOCKBENCH_VERSION, __VERSION__, lockbench_plugin_fill};      \
  }                                                                                               \
  static void lockbench_plugin_locks(::lockbench::PluginLocks& locks)
// NOLINTEND(bugprone-macro-parentheses)

#define LOCKBENCH_PRIMITIVE(name, summary, ...)                 \
  LOCKBENCH_PLUGIN(lockbench_plugin_own_locks) {                \
    lockbench_plugin_own_locks.add<__VA_ARGS__>(name, summary); \
  }
