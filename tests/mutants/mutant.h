// SPDX-License-Identifier: Apache-2.0

// Mutant: a lock of the registries, and by what the engines may fail it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/stress/lock_adapter.h"
#include "harness/stress/oracles/registry.h"
#include "primitives/global_lock.h"

namespace lockbench::mutants {

using stress::lock_under_test;
using stress::Oracle;
using stress::RegisteredLock;
using enum stress::Oracle;

// The oracles that show two threads in the critical section at once: they see each other, or an
// update of one of them is lost.
inline const std::vector<Oracle> kTwoInside = {kExclusion, kConservation};
inline const std::vector<Oracle> kStandstill = {kProgress};
inline const std::vector<Oracle> kCircle = {kCycle};
inline constexpr char kForgiven[] = "x86 forgives it; ThreadSanitizer does not";

// A lock, and by what the engines may fail it; by nothing: a control, or one that the engine of
// real threads cannot see.
struct Mutant {
  RegisteredLock entry;
  std::vector<Oracle> sim;
  std::vector<Oracle> real;
  bool may_try_in_vain = false;  // its try_lock() may fail spuriously
};

inline std::vector<Oracle> operator+(std::vector<Oracle> set, Oracle more) {
  set.push_back(more);
  return set;
}

template <class Base>
RegisteredLock global(const char* name, const char* fault) {
  RegisteredLock entry = lock_under_test<GlobalLock<Base>>(name, fault);
  if constexpr (requires { Base::kPromises; }) {
    stress::add_promises(Base::kPromises, entry.abilities);
  }
  entry.abilities.last_may_destroy = stress::last_may_destroy<Base>();
  return entry;
}

inline Mutant control(RegisteredLock entry) {
  return {std::move(entry), {}, {}};
}

inline Mutant broken(RegisteredLock entry, const std::vector<Oracle>& both) {
  return {std::move(entry), both, both};
}

// `why` real threads do not show it.
inline Mutant simulated_only(RegisteredLock entry, std::vector<Oracle> sim, const char* why) {
  entry.unseen = why;
  return {std::move(entry), std::move(sim), {}};
}

// Where time is simulated it is a control.
inline Mutant real_only(RegisteredLock entry, std::vector<Oracle> real) {
  return {std::move(entry), {}, std::move(real)};
}

// The registry's entry for a lock of keys or, as one lock for all keys, for a base lock.
template <class L>
RegisteredLock entry_of(const char* name, const char* fault) {
  if constexpr (KeyedLock<L>) {
    return lock_under_test<L>(name, fault);
  } else if constexpr (KeyedLock<L, std::string_view>) {
    return lock_under_test<L, std::string_view>(name, fault);
  } else {
    return global<L>(name, fault);
  }
}

template <class L>
Mutant control(const char* name, const char* summary) {
  return control(entry_of<L>(name, summary));
}

template <class L>
Mutant broken(const char* name, const char* fault, const std::vector<Oracle>& both) {
  return broken(entry_of<L>(name, fault), both);
}

template <class L>
Mutant simulated_only(const char* name, const char* fault, std::vector<Oracle> sim,
                      const char* why) {
  return simulated_only(entry_of<L>(name, fault), std::move(sim), why);
}

template <class L>
Mutant real_only(const char* name, const char* fault, std::vector<Oracle> real) {
  return real_only(entry_of<L>(name, fault), std::move(real));
}

inline std::vector<Mutant> all_of(std::initializer_list<std::vector<Mutant> (*)()> parts) {
  std::vector<Mutant> all;
  for (const auto part : parts) {
    for (Mutant& mutant : part()) all.push_back(std::move(mutant));
  }
  return all;
}

inline Mutant trying_in_vain(Mutant mutant) {
  mutant.may_try_in_vain = true;
  return mutant;
}

inline Mutant promising_fairness(Mutant mutant) {
  mutant.entry.abilities.fair = true;
  return mutant;
}

inline Mutant with_plain_names(Mutant mutant) {
  mutant.entry.abilities.limits.plain_names = true;
  return mutant;
}

inline Mutant with_programs(Mutant mutant, std::vector<std::string> programs) {
  mutant.entry.programs = std::move(programs);
  return mutant;
}

// Whose keys are positions in an array, or bits of a word.
inline Mutant below(Mutant mutant) {
  mutant.entry.abilities.any_key = false;
  return mutant;
}

template <class L>
RegisteredLock leases(const char* name, const char* fault) {
  RegisteredLock entry = entry_of<L>(name, fault);
  entry.abilities.capacity = L::kLeases;
  return entry;
}

// Locks of the causes by which broken ones used to pass, and published ones.
// All that real threads can show.
std::vector<Mutant> mutants();
std::vector<Mutant> mutants_by_cause();
std::vector<Mutant> mutants_by_dimension();
std::vector<Mutant> mutants_of_libraries();
std::vector<Mutant> mutants_of_nodes_and_timeouts();
std::vector<Mutant> mutants_of_sizes_and_times();

// Mutants for simulated threads alone: they take their nodes by the threads' numbers.
std::vector<Mutant> mutants_of_weak_memory();

}  // namespace lockbench::mutants
