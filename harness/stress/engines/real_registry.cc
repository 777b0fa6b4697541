// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/engines/real_registry.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>

#include "harness/bench/catalog/lines.h"
#include "harness/bench/catalog/usual_choices.h"
#include "harness/plugin/line_adapter.h"
#include "harness/stress/engines/coroutine_holds.h"
#include "harness/stress/engines/own_forms.h"
#include "harness/stress/forms.h"
#include "harness/stress/lock_adapter.h"
#include "harness/stress/shared_holds.h"
#include "primitives/keyed_mutex.h"
#include "primitives/keyed_semaphore.h"
#include "primitives/keyed_shared_mutex.h"

namespace lockbench::stress::threads {
namespace {

constexpr char kHoldLimit[] = "hold_limit_ms";
constexpr std::uint64_t kLimitThatLongHoldsExceed = 20;

// Sizes are so small that threads collide on keys and every resource is exhausted. Other numbers
// keep their defaults.
std::uint64_t number_for(const Number& number, std::uint64_t hold_limit_ms) {
  if (number.parameter == kHoldLimit) return hold_limit_ms;
  if (number.parameter == "buckets") return 4;
  if (number.parameter == "stripes" || number.parameter == "leases") return 2;
  return number.usual;
}

bool has_choice(const Listing& listing, const Choice& choice) {
  return std::find(listing.choices.begin(), listing.choices.end(), choice) != listing.choices.end();
}

// `striped:lock=std`
std::string name_of(const Listing& listing, const std::vector<Choice>& choices) {
  std::string name = listing.name;
  char mark = ':';
  for (const Choice& choice : choices) {
    name += mark + choice.parameter + "=" + choice.value;
    mark = ',';
  }
  return name;
}

// What the engine needs of a primitive of the catalog besides its listing, with its type erased.
struct AnyLock {
  Abilities abilities;
  AdapterMaker make;
  AnyMaker make_primitive;
};

class Visitor {
 public:
  template <class P>
  void operator()(const Line<P>& line) {
    if (!P::kPromises.excludes || line.listing.name.ends_with("_as_published")) return;
    if constexpr (KeyedLock<P, std::uint64_t>) {
      add(line.listing, "", erased<P, std::uint64_t>(line));
    } else {
      add(line.listing, "_string", erased<P, std::string_view>(line));
    }
  }

  std::vector<RegisteredLock> take() { return std::move(entry_); }

 private:
  template <class P, Key K>
  static AnyLock erased(const Line<P>& line) {
    return {abilities_of<P, K>(), make_adapter<P, K>, any_maker(line)};
  }

  void add(const Listing& listing, const char* ending, const AnyLock& lock) {
    const std::string name = name_of(listing, usual_.without_usual(listing)) + ending;
    add_limited(listing, name, lock, kLimitThatLongHoldsExceed);
    // Adds the lock also with a limit that no hold exceeds, not even if the program is stopped for
    // a while. Its events then describe completely what it did, so they can be checked against a
    // net.
    for (const Number& number : listing.numbers) {
      if (number.parameter != kHoldLimit) continue;
      add_limited(listing, absl::StrCat(name, ":", kHoldLimit, "=", number.most), lock,
                  number.most);
    }
  }

  void add_limited(const Listing& listing, const std::string& name, const AnyLock& lock,
                   std::uint64_t hold_limit_ms) {
    RegisteredLock made{.name = name,
                        .summary = listing.summary + " (" + listing.origin + ")",
                        .abilities = lock.abilities};
    made.abilities.strong_try = true;
    made.abilities.nests_leases = has_choice(listing, {"nesting", "refuse"});
    for (const Number& number : listing.numbers) {
      if (number.parameter == kHoldLimit) {
        made.abilities.hold_limit = std::chrono::milliseconds(hold_limit_ms);
      }
    }
    made.make = [numbers = listing.numbers, make = lock.make, maker = lock.make_primitive,
                 hold_limit_ms](std::uint64_t keys) {
      Arguments arguments{.keys = keys};
      for (const Number& number : numbers) {
        arguments.numbers[number.parameter] = number_for(number, hold_limit_ms);
      }
      return make(arguments, maker);
    };
    entry_.push_back(std::move(made));
  }

  UsualChoices usual_;
  std::vector<RegisteredLock> entry_;
};

// The behaviour of `keyed` in a bucket that overflows from its second key on.
RegisteredLock keyed_rows() {
  using Rows = KeyedMutex<std::uint64_t, KeyHash, lockbench::internal::KernelBarriers, 1>;
  RegisteredLock line =
      lock_under_test<Rows>("keyed_rows", "keyed, one bucket, which makes room at once", 1);
  line.abilities.strong_try = true;
  return line;
}

// Locks whose keys have several holders, with few buckets.
std::vector<RegisteredLock> shared_locks() {
  std::vector<RegisteredLock> locks = {
      lock_under_test<KeyedSharedMutex<>>("keyed_shared", "readers and writers by key", 2),
      lock_under_test<ReadersFirst<KeyedSharedMutex<>>>("keyed_shared:readers=first",
                                                        "each thread reads before it writes", 2),
      lock_under_test<ReadersApart<KeyedSharedMutex<>>>(
          "keyed_shared:readers=apart", "readers and writers are different threads", 2),
      with_permits(2, lock_under_test<NumberedPermits<KeyedSemaphore<>>>(
                          "keyed_semaphore", "two permits for each key", 2U, 2)),
      lock_under_test<KeyedSemaphore<>>("keyed_semaphore:permits=1", "one permit for each key", 1U,
                                        2),
      lock_under_test<CoroutineHolds<>>("keyed_co", "coroutines that wait for a key", 2),
  };
  for (RegisteredLock& lock : locks) lock.abilities.strong_try = lock.abilities.reclaims = true;
  return locks;
}

std::vector<RegisteredLock> forms() {
  std::vector<RegisteredLock> forms = forms_of_own_locks(2);
  for (RegisteredLock& form : forms) {
    form.abilities.strong_try = !has_form(form.name, kSeveralKeys);
    form.abilities.reclaims = form.name.starts_with("keyed");
  }
  return forms;
}

}  // namespace

std::vector<RegisteredLock> stress_registry() {
  Visitor visitor;
  const auto visit = [&](const auto& line) { visitor(line); };
  visit_global(visit);
  visit_striped(visit);
  visit_keyed(visit);
  visit_reentrant(visit);
  visit_lease(visit);
  std::vector<RegisteredLock> all = visitor.take();
  all.push_back(keyed_rows());
  for (RegisteredLock& lock : shared_locks()) all.push_back(std::move(lock));
  for (RegisteredLock& form : forms()) all.push_back(std::move(form));
  return all;
}

}  // namespace lockbench::stress::threads
