// SPDX-License-Identifier: Apache-2.0

#include "tests/petri/mutant_nets.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/petri/pnml.h"
#include "tests/petri/mutant_engine.h"

namespace lockbench::mutants {
namespace {

constexpr std::chrono::seconds kForAMutant{20};
constexpr std::chrono::milliseconds kWhereNothingIsFound{300};

constexpr char kOrders[] = "the model leaves memory orders out";
constexpr char kFairness[] = "the model leaves fairness out";
constexpr char kTokens[] = "the model has no numbers on its tokens";
constexpr char kItself[] =
    "the design is at fault and not the code: the net comes to the same standstill";

constexpr char kRare[] = "the moment is too short to be met every time";
constexpr char kNobodyHolds[] =
    "a key is waited for only as long as another is held, and nobody holds one for ever";
constexpr char kShallow[] = "no client of native threads nests 255 deep";
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

stress::Report investigated(const MutantNet& mutant) {
  const std::vector<stress::Lineup> lineup = mutant_engine().lineup();
  const auto line = std::find_if(lineup.begin(), lineup.end(), [&](const stress::Lineup& known) {
    return known.name == mutant.lock;
  });
  if (line == lineup.end()) std::abort();
  const stress::Order order{.suspect = mutant.lock,
                            .budget = must_disagree(mutant) ? kForAMutant : kWhereNothingIsFound,
                            .net = pnml_of(build_model(mutant.model).value())};
  return mutant_engine().hold_against_net(*line, order, [](const std::string&) {}).value();
}

std::string read_all(int from) {
  std::string text;
  char part[4096];
  for (ssize_t n; (n = read(from, part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(n));
  }
  return text;
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

bool must_disagree(const MutantNet& mutant) {
  if (mutant.control || !mutant.blind.empty()) return false;
  return !mutant_engine().native || mutant.unseen_natively.empty();
}

stress::Report held_against_net(const MutantNet& mutant) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = to_json(investigated(mutant));
    const bool whole =
        write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(whole ? 0 : 1);
  }
  close(ends[1]);
  const std::string text = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFSIGNALED(status)) return stress::report_from_json(text).value();
  return {.engine = mutant_engine().native ? "real" : "sim",
          .suspect = mutant.lock,
          .verdict = stress::Verdict::kConvicted,
          .finding = stress::Finding{stress::Oracle::kCrash, "the code took its process with it"}};
}

std::string words_of(const ModelSpec& model) {
  std::string words = model.primitive;
  if (model.depth.value_or(2) != 2) words += " --depth " + std::to_string(*model.depth);
  return words + (model.nested ? " --nested" : "");
}

}  // namespace lockbench::mutants
