// SPDX-License-Identifier: Apache-2.0

// The broken locks of threads, and the nets that they are held against.

#include "tests/petri/mutant_nets.h"

namespace lockbench::mutants {
namespace {

constexpr char kOrders[] = "the model leaves memory orders out";
constexpr char kFairness[] = "the model leaves fairness out";
constexpr char kTokens[] = "the model has no numbers on its tokens";
constexpr char kItself[] =
    "the design is at fault and not the code: the net comes to the same standstill";
constexpr char kToldLater[] =
    "who was forgotten is told by the next release, and no thread of a net keeps what it has until "
    "another has ended";

constexpr char kRare[] = "the moment is too short to be met every time";
constexpr char kNobodyHolds[] =
    "a key is waited for only as long as another is held, and nobody holds one for ever";
constexpr char kShallow[] = "no program of native threads nests 255 deep";
constexpr char kStillFirst[] = "they come to the standstill that the net has, too";

ModelSpec one_lock() {
  return {.primitive = "global"};
}
ModelSpec keys(bool nested = false) {
  return {.primitive = "keyed", .nested = nested};
}
ModelSpec stripes(bool nested) {
  return {.primitive = "striped", .nested = nested};
}
ModelSpec nest(std::uint32_t depth = 2) {
  return {.primitive = "reentrant", .depth = depth};
}
ModelSpec leases(bool nested = false) {
  return {.primitive = "lease", .nested = nested};
}

}  // namespace

const std::vector<MutantNet>& mutant_nets() {
  static const std::vector<MutantNet> all{
      {.lock = "spin", .model = one_lock(), .control = true},
      {"spin_two_steps", one_lock()},
      {"spin_relaxed_unlock", one_lock(), kOrders},
      {"spin_relaxed_lock", one_lock(), kOrders},
      {"spin_nothing", one_lock()},
      {"spin_gives_up", one_lock()},
      {"spin_spurious_try", one_lock()},
      {"spin_backs_off", one_lock(), kFairness, true},
      {.lock = "futex", .model = one_lock(), .control = true},
      {.lock = "slow", .model = one_lock(), .control = true},
      {"futex_forgets_waiters", one_lock()},
      {.lock = "futex_waits_on_fresh_value", .model = one_lock(), .unseen_natively = kRare},
      {"futex_no_check_after_wake", one_lock()},
      {"futex_wakes_nobody", one_lock()},
      {.lock = "condvar", .model = one_lock(), .control = true},
      {"condvar_if", one_lock()},
      {"condvar_notifies_early", one_lock()},
      {.lock = "table", .model = keys(), .control = true},
      {"table_counts_before_release", keys()},
      {"table_looks_up_outside", keys()},
      {"table_never_reclaims", keys()},
      {"table_erases_always", keys()},
      {"table_unlocks_another", keys(true)},
      {.lock = "table_one_for_all", .model = keys(), .unseen_natively = kNobodyHolds},
      {.lock = "stripes", .model = stripes(true), .control = true},
      {"stripes_as_asked", stripes(true)},
      {"stripes_one_twice", stripes(false)},
      {"stripes_least_integer", stripes(false)},
      {.lock = "nesting", .model = nest(), .control = true},
      {"nesting_count_lost", nest()},
      {"nesting_first_frees_all", nest()},
      {"nesting_anybody_unlocks", nest()},
      {.lock = "nesting_overflows", .model = nest(300), .unseen_natively = kShallow},
      {.lock = "nesting_loads_owner_twice", .model = nest(), .unseen_natively = kRare},
      {.lock = "leases", .model = leases(), .control = true},
      {"lease_twice", leases()},
      {"lease_lost_on_throw", leases()},
      {"lease_asked_for_by_holders", leases(true), kItself},
      {.lock = "lease_random_mutex_nested", .model = leases(true), .unseen_natively = kStillFirst},
      {.lock = "told_leases", .model = leases(), .control = true},
      {"told_leases_tells_no_other", leases(), kToldLater},
      {.lock = "key_set", .model = keys(), .control = true},
      {"key_set_tells_no_other", keys(), kToldLater},
      {.lock = "watchdog", .model = one_lock(), .control = true},
      {"watchdog_forces", one_lock()},
      {"watchdog_forces_both", one_lock()},
      {"watchdog_same_token", one_lock(), kTokens},
      {.lock = "asymmetric", .model = one_lock(), .control = true},
      {"asymmetric_no_barrier", one_lock()},
      {"keyed_as_published", keys()},
      {.lock = "keyed_as_published:timeout_ms=0", .model = keys(), .unseen_natively = kRare},
      {"reentrant_as_published", nest()},
      {"lease_as_published", leases(true), kItself},
      {"random_mutexes_as_published",
       {.primitive = "random_mutexes_as_published", .nested = true},
       kItself},
  };
  return all;
}

}  // namespace lockbench::mutants
