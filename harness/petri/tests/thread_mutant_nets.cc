// SPDX-License-Identifier: Apache-2.0

// The broken locks of threads, and the nets that they are held against.

#include <absl/strings/str_split.h>

#include "harness/petri/tests/mutant_nets.h"

namespace lockbench::mutants {
namespace {

constexpr char kOrders[] = "the model has no memory orders";
constexpr char kFairness[] = "the model has no fairness";
constexpr char kTokens[] = "the model has no fencing tokens";
constexpr char kDesign[] = "the net has the same deadlock: the design is wrong, not the code";
constexpr char kWokenLater[] =
    "the next release wakes the forgotten waiter, and no thread of the net holds a lock until "
    "another has ended";

constexpr char kRare[] = "the time window is too short to be hit in each run";
constexpr char kNeverHeldForever[] =
    "a thread waits for a key only while another key is held, and no thread holds one forever";
constexpr char kNotThatDeep[] = "no litmus program of native threads nests 255 deep";

ModelSpec one_lock() {
  return {.primitive = "global"};
}
ModelSpec keys(bool nested = false) {
  return {.primitive = "keyed", .nested = nested};
}
// Two threads: what a third one adds costs more than it shows.
ModelSpec shared_key() {
  return {.primitive = "keyed_shared", .threads = 2};
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
      {"spin_backs_off", one_lock(), kFairness},
      {.lock = "spin_backs_off_allowed", .model = one_lock(), .control = true},
      {.lock = "futex", .model = one_lock(), .control = true},
      {.lock = "slow", .model = one_lock(), .control = true},
      {"futex_forgets_waiters", one_lock()},
      {.lock = "futex_waits_on_fresh_value", .model = one_lock(), .missed_natively = kRare},
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
      {.lock = "table_one_for_all", .model = keys(), .missed_natively = kNeverHeldForever},
      {.lock = "stripes", .model = stripes(true), .control = true},
      {"stripes_as_asked", stripes(true)},
      {"stripes_one_twice", stripes(false)},
      {"stripes_least_integer", stripes(false)},
      {.lock = "nesting", .model = nest(), .control = true},
      {"nesting_count_lost", nest()},
      {"nesting_first_frees_all", nest()},
      {"nesting_anybody_unlocks", nest()},
      {.lock = "nesting_overflows", .model = nest(300), .missed_natively = kNotThatDeep},
      {.lock = "nesting_loads_owner_twice", .model = nest(), .missed_natively = kRare},
      {.lock = "leases", .model = leases(), .control = true},
      {"lease_twice", leases()},
      {"lease_lost_on_throw", leases()},
      {"lease_asked_for_by_holders", leases(true), kDesign},
      {.lock = "told_leases", .model = leases(), .control = true},
      {"told_leases_tells_no_other", leases(), kWokenLater},
      {.lock = "key_set", .model = keys(), .control = true},
      {"key_set_tells_no_other", keys(), kWokenLater},
      {.lock = "shared", .model = shared_key(), .control = true},
      {"shared_reader_beside_writer", shared_key()},
      {"shared_count_lost", shared_key()},
      {.lock = "watchdog", .model = one_lock(), .control = true},
      {"watchdog_forces", one_lock()},
      {"watchdog_forces_both", one_lock()},
      {"watchdog_same_token", one_lock(), kTokens},
      {.lock = "asymmetric", .model = one_lock(), .control = true},
      {"asymmetric_no_barrier", one_lock()},
      {"keyed_as_published", keys()},
      {.lock = "keyed_as_published:timeout_ms=0", .model = keys(), .missed_natively = kRare},
      {"reentrant_as_published", nest()},
      {"lease_as_published", leases(true), kDesign},
      {"random_mutexes_as_published",
       {.primitive = "random_mutexes_as_published", .nested = true},
       kDesign},
  };
  return all;
}

const std::vector<std::string>& without_net() {
  static const std::vector<std::string> all =
      absl::StrSplit(R"(
      abandoned abandoned_two_steps arrival arrival_anybody arrival_last_first arrival_newcomer
      arrival_second_first asterinas_1642 asterinas_1642_fixed boost_9079 boost_9079_fixed cached
      cached_1000 cached_4 cached_64 co co_checks_outside co_forgets_key co_newest_first
      co_no_second_look co_posts_none counted counted_checks_first counted_no_fence
      counted_wakes_first cpython_148820 cpython_148820_fixed cpython_38106 cpython_38106_fixed
      folly_43ea7bf4 folly_47d37c8e folly_47d37c8e_fixed folly_611cfd85 folly_semaphore forked
      forked_helper forked_process_number forked_task_number gated gated_untimed glibc_12674
      glibc_12674_fixed glibc_13690 glibc_13690_fixed gopherjs_736 gopherjs_736_fixed granting
      granting_both_free granting_looks_again granting_touches_late growing growing_under_holders
      guarded guarded_gives_up handover handover_early handover_gives_back
      handover_gives_back_untold handover_grant_lost hashed hashed_12_bits hashed_16_bits
      hashed_20_bits hyman_1966 impatient_100_ms impatient_10_s impatient_1_h impatient_1_min
      impatient_1_s jdk_6801020 jdk_6801020_fixed jdk_6822370 jdk_6822370_fixed keeping_logs
      keeping_per_hold keeping_per_key late leases_in_order libcxx_46357 libcxx_46357_fixed
      libnx_120 libnx_120_fixed linux_1c0908d8 linux_dbb26055 list list_flag_late
      list_forgets_successor list_no_wait_for_link looks looks_aborts looks_exits looks_follows
      low_keys low_keys_5_of_6 made made_twice mdev_7026 mdev_7026_fixed names names_as_numbers
      names_by_address names_by_blocks names_by_hash names_by_length names_by_long_prefix
      names_by_prefix names_to_zero names_without_blanks names_without_case
      names_without_case_allowed nesting_10_bits nesting_16_bits nesting_asks_depth
      nesting_owner_too_soon never_tries node node_frees_twice node_leaks node_stores_too_late
      ordered ordered_by_key paged paged_as_asked parking_lot_465 parking_lot_465_fixed patient
      peterson_1981 places places_3_of_4 polled polled_10_000 preferring preferring_200_ms reading
      reading_2_bits reading_32 reading_3_bits reading_number_before reading_one_by_one
      reading_timed_readers reading_timed_writer_leaves reading_timed_writer_leaves_alone
      reading_timed_writers reading_try_leaves_mark recording recording_keeps refusals
      refusals_4_bits refusals_7_bits refusals_8_bits ring ring_4 ring_4_of_4 ring_4_of_6 ring_8
      rocksdb_13585 rocksdb_13585_fixed rt_mutex serenity_20425 serenity_20425_fixed served
      served_last_first set set_as_asked set_by_key set_leaves_one set_named_twice set_try_leaks
      set_try_takes_one shared_reader_frees_all shared_writer_beside_reader
      spin_spurious_try_allowed stopped stopped_gives_up_the_key stopped_looks_too_soon
      stopped_wakes_nobody stripes_try_leaks table_full_16 table_highest_is_free table_low_16
      table_low_32 table_low_48 table_low_8 telling telling_anybodys_owner telling_owner_stays
      telling_stays_locked telling_try_is_no_owner ticket ticket_barges ticket_serves_16
      ticket_serves_8 ticket_try_blocks timed timed_late timed_low_31_ms timed_low_32
      timed_low_32_us timed_nesting timed_nesting_not_counted timed_nesting_not_nested timed_never
      timed_one_sleep timed_only_once timed_queue timed_queue_timed_first timed_restarts
      timed_takes_in_vain timed_weak_sleep timed_weak_try timed_weak_unlock timed_whole_seconds
      timed_woken_is_late timed_zero_forever tries_no_more worn worn_enters worn_enters_1000
      worn_forgets)",
                     absl::ByAnyChar(" \n"), absl::SkipEmpty());
  return all;
}

}  // namespace lockbench::mutants
