// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/litmus/demand.h"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "harness/stress/litmus/keys.h"
#include "harness/stress/litmus/served.h"

namespace lockbench::stress {
namespace {

// The most different keys that one thread holds or requests at once.
std::uint32_t most_keys_of(const std::vector<Act>& acts) {
  std::vector<Act> open;
  std::size_t most = 0;
  for (const Act& act : acts) {
    if (releases(act.kind)) open.pop_back();
    const bool for_a_moment = act.kind == Act::kUnlockByNonOwner || act.kind == Act::kLeaveForGood;
    if (!acquires(act.kind) && !for_a_moment) continue;
    open.push_back(act);
    std::set<std::uint32_t> keys;
    for (const Act& one : open) {
      keys.insert(one.key);
      if (names_two_keys(one.kind)) keys.insert(one.other);
    }
    most = std::max(most, keys.size());
    if (for_a_moment) open.pop_back();
  }
  return static_cast<std::uint32_t>(most);
}

std::uint64_t highest_key_of(const LitmusProgram& program) {
  std::uint64_t highest = 0;
  const std::uint32_t keys = std::max(program.keys(), program.other_keys + 1);
  for (std::uint32_t key = 0; key < keys; ++key) {
    highest = std::max(highest, key_value(program.key_set, key));
  }
  return highest;
}

// A lock that is made for so many keys still fits into memory, whatever it keeps for each.
constexpr std::uint64_t kMostKeysToMake = 4096;

}  // namespace

std::uint64_t keys_to_make(const LitmusProgram& program, const Abilities& abilities) {
  return abilities.any_key ? program.keys() : highest_key_of(program) + 1;
}

Demand demand_of(const LitmusProgram& program, const Abilities& abilities) {
  Demand demand{.threads = static_cast<std::uint32_t>(program.threads.size())};
  std::uint32_t sum = 0;
  for (const std::vector<Act>& acts : program.threads) {
    const std::uint32_t keys = most_keys_of(acts);
    demand.keys_of_thread = std::max(demand.keys_of_thread, keys);
    sum += keys;
  }
  demand.keys = std::max(1U, std::min(sum, program.keys()));
  if (program.refusals != 0 || program.nest != 0) demand.threads = std::max(demand.threads, 2U);
  if (program.other_keys != 0) {
    const bool nests = abilities.nests_keys;
    demand.threads = std::max(demand.threads, nests ? 3U : 2U);
    demand.keys = std::max(demand.keys, nests ? program.other_keys + 1 : 2U);
    if (nests) demand.keys_of_thread = std::max(demand.keys_of_thread, program.other_keys);
  }
  // The keys of a warm-up are not followed by one that nobody uses.
  demand.keys_below = std::max(highest_key_of(program) + 1, std::uint64_t{program.keys()} + 1);
  return demand;
}

std::string excess_of(const LitmusProgram& program, const Abilities& abilities) {
  const Demand demand = demand_of(program, abilities);
  const LockLimits& limits = abilities.limits;
  const auto exceeds = [](std::uint64_t asked, std::uint64_t limit) {
    return limit != 0 && asked > limit;
  };
  const auto text = [](std::uint64_t asked, const char* of_what, std::uint64_t limit) {
    return absl::StrCat("needs ", asked, of_what, ", and the lock promises room for ", limit);
  };
  if (exceeds(demand.threads, limits.threads)) {
    return text(demand.threads, " threads at once", limits.threads);
  }
  if (exceeds(program.nest, abilities.depth)) {
    return text(program.nest, " holds of one thread at once", abilities.depth);
  }
  if (exceeds(demand.keys, limits.keys)) return text(demand.keys, " keys at once", limits.keys);
  if (exceeds(demand.keys_of_thread, limits.keys_of_thread)) {
    return text(demand.keys_of_thread, " keys of one thread at once", limits.keys_of_thread);
  }
  // Beyond the keys with names of their own, a set may reach the numbers of another set's names.
  const bool reaches_others =
      program.key_set != 0 && std::max(program.keys(), program.other_keys) > kMostNamedKeys;
  const bool plain = has_plain_names(program.key_set) && !reaches_others;
  if (abilities.names && limits.plain_names && !plain) {
    return absl::StrCat("has names of the key set K", program.key_set,
                        ", and the lock promises to have plain names alone");
  }
  if (exceeds(demand.keys_below, limits.keys_below)) {
    return absl::StrCat("needs keys up to ", demand.keys_below - 1,
                        ", one of them unused, and those of the lock are below ",
                        limits.keys_below);
  }
  return "";
}

std::string misfit_of(const LitmusProgram& program, const Abilities& abilities) {
  const auto lacks = [&](Act::Kind act, bool offered) { return program.has(act) && !offered; };
  const auto text = [&](const char* act, const char* what) {
    return absl::StrCat(act, " needs ", what,
                        abilities.of_form
                            ? ", which this form of the lock does not have; leave it out, or name "
                              "the lock without its form"
                            : "; leave it out, or promise that");
  };
  if (lacks(Act::kTryLockFor, abilities.timed)) return text("W", "timeouts");
  if (lacks(Act::kLockBoth, abilities.pairs)) return text("B", "handle_both()");
  if (lacks(Act::kTryBoth, abilities.pairs)) return text("Q", "handle_both()");
  if (lacks(Act::kUnlockByNonOwner, abilities.refuses_non_owners)) {
    return text("F", "refuses_non_owners");
  }
  if (lacks(Act::kLeaveForGood, abilities.last_may_destroy)) return text("X", "kLastMayDestroy");
  if (program.has(Act::kMakeAgain) && abilities.tokens) {
    return "Z makes a new lock, whose tokens begin anew; leave it out";
  }
  if (program.nest != 0 && !abilities.reentrant) return text("H", "reentrant");
  const bool may_be_any = abilities.any_key || abilities.limits.keys_below != 0;
  if (!may_be_any && highest_key_of(program) >= kMostKeysToMake) {
    return absl::StrCat("needs keys up to ", highest_key_of(program),
                        ", and the lock is made for a number of keys, at most ", kMostKeysToMake);
  }
  const std::string excess = excess_of(program, abilities);
  // A program may be given to find out whether two keys of stripes share a lock.
  return excess.empty() ? unserved_in(program, abilities, KeysShare::kIfPromised) : excess;
}

std::uint32_t most_other_keys(const Abilities& abilities) {
  const LockLimits& limits = abilities.limits;
  std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (limits.keys_below != 0) most = std::min(most, limits.keys_below - 1);
  if (abilities.nests_keys) {
    if (limits.threads == 2) return 0;  // a third thread tries what the two hold
    if (limits.keys != 0) most = std::min<std::uint64_t>(most, limits.keys - 1);
    most = within<std::uint64_t>(most, limits.keys_of_thread);
  } else if (limits.keys == 1) {
    return 0;
  }
  return static_cast<std::uint32_t>(most);
}

std::string remark_on_names(const LitmusProgram& program, const Abilities& abilities) {
  if (!abilities.names || has_plain_names(program.key_set)) return "";
  const char* const names =
      program.key_set == kHighestKeys
          ? "differ only after a zero byte"
          : "differ only in blanks at the end, case or zeros, and one is empty";
  return absl::StrCat(
      "the names of the key set K", program.key_set, " ", names,
      "; a lock that is not made for that promises .limits = {.plain_names = true}");
}

std::string to_text(const LockLimits& limits) {
  std::vector<std::string> parts;
  const auto add = [&](std::uint64_t limit, const char* of_what) {
    if (limit != 0) parts.push_back(absl::StrCat(limit, of_what));
  };
  add(limits.threads, " threads at once");
  add(limits.keys, " keys at once");
  add(limits.keys_of_thread, " keys of one thread at once");
  if (limits.plain_names) parts.push_back("plain names");
  if (limits.no_kills) parts.push_back("no process killed");
  if (limits.keys_below != 0) parts.push_back(absl::StrCat("keys below ", limits.keys_below));
  return absl::StrJoin(parts, ", ");
}

}  // namespace lockbench::stress
