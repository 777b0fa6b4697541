// SPDX-License-Identifier: Apache-2.0

// Registry of the oracles: the include and the line of an oracle register it. Reports, the kill
// matrix, the requirements of a clean verdict and the texts of failures use this registry. A test
// compares docs/stress-engines.md with it.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/stress/oracles/conservation.h"
#include "harness/stress/oracles/crash.h"
#include "harness/stress/oracles/cycle.h"
#include "harness/stress/oracles/exclusion.h"
#include "harness/stress/oracles/fairness.h"
#include "harness/stress/oracles/independence.h"
#include "harness/stress/oracles/lease.h"
#include "harness/stress/oracles/lifetime.h"
#include "harness/stress/oracles/model.h"
#include "harness/stress/oracles/net.h"
#include "harness/stress/oracles/ordering.h"
#include "harness/stress/oracles/progress.h"
#include "harness/stress/oracles/residue.h"
#include "harness/stress/oracles/token.h"

// `oracle(Token)` stands for the class oracles::Token and the enumerator Oracle::kToken. The
// oracles check what was seen in this order.
// clang-format off
#define LOCKBENCH_ORACLES(oracle) \
  oracle(Exclusion)               \
  oracle(Ordering)                \
  oracle(Conservation)            \
  oracle(Lease)                   \
  oracle(Model)                   \
  oracle(Token)                   \
  oracle(Cycle)                   \
  oracle(Progress)                \
  oracle(Independence)            \
  oracle(Residue)                 \
  oracle(Lifetime)                \
  oracle(Crash)                   \
  oracle(Net)                     \
  oracle(Fairness)
// clang-format on

namespace lockbench::stress {

#define LOCKBENCH_ENUMERATOR(name) k##name,
enum class Oracle : std::uint8_t { LOCKBENCH_ORACLES(LOCKBENCH_ENUMERATOR) };
#undef LOCKBENCH_ENUMERATOR

// The failure that an oracle found, as numbers, so that shared memory can store it and it remains
// after a process has ended.
struct FailureRecord {
  Oracle oracle = Oracle::kExclusion;
  FailureFacts facts;

  bool operator==(const FailureRecord&) const = default;
};

std::string_view name_of(Oracle oracle);
std::optional<Oracle> oracle_named(std::string_view name);
std::string_view description_of(Oracle oracle);

// One sentence; `actor` is `thread` or `process`.
std::string text_of(const FailureRecord& failure, const std::string& actor);

// The oracles that must have been evaluated before a verdict can be clean.
std::vector<Oracle> needed_oracles(const EngineTraits& engine, const Abilities& abilities);

namespace internal {

struct NoKeyState {};

template <class O>
struct KeyStateOf {
  using Type = NoKeyState;
};
template <class O>
requires requires {
  typename O::KeyState;
}
struct KeyStateOf<O> {
  using Type = typename O::KeyState;
};

template <class O, class Seen>
concept Checks = requires(const Seen& seen) {
  { O::check(seen) } -> std::same_as<CheckResult>;
};
template <class O, class Seen>
concept ChecksWithState = requires(const Seen& seen, typename KeyStateOf<O>::Type& state) {
  { O::check(seen, state) } -> std::same_as<CheckResult>;
};

// `None` takes the position before the first comma of the list.
template <class None, class... Os>
struct OracleList {
  using Types = std::tuple<Os...>;
  using KeyStates = std::tuple<typename KeyStateOf<Os>::Type...>;
};

#define LOCKBENCH_TYPE(name) , oracles::name
using Registered = OracleList<void LOCKBENCH_ORACLES(LOCKBENCH_TYPE)>;
#undef LOCKBENCH_TYPE

}  // namespace internal

// The classes in the order of the enumerators.
using OracleTypes = internal::Registered::Types;
inline constexpr std::size_t kOracles = std::tuple_size_v<OracleTypes>;

// The states of all oracles for one lease of one key.
using KeyStates = internal::Registered::KeyStates;

// Passes what was seen to every oracle and calls count(oracle, times) for each oracle that
// evaluated it. Returns the first failure. Without `states`, oracles that need a state do not check
// it.
template <class Seen, class Count>
std::optional<FailureRecord> check_all(const Seen& seen, const Count& count,
                                       KeyStates* states = nullptr) {
  std::optional<FailureRecord> found;
  const auto check = [&]<std::size_t I>() {
    using O = std::tuple_element_t<I, OracleTypes>;
    CheckResult result;
    if constexpr (internal::Checks<O, Seen>) {
      result = O::check(seen);
    } else if constexpr (internal::ChecksWithState<O, Seen>) {
      if (states != nullptr) result = O::check(seen, std::get<I>(*states));
    }
    if (result.evaluations != 0) count(static_cast<Oracle>(I), result.evaluations);
    if (result.failure && !found) found = {static_cast<Oracle>(I), *result.failure};
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    static_assert((... || (internal::Checks<std::tuple_element_t<I, OracleTypes>, Seen> ||
                           internal::ChecksWithState<std::tuple_element_t<I, OracleTypes>, Seen>)),
                  "no oracle checks this");
    (check.template operator()<I>(), ...);
  }
  (std::make_index_sequence<kOracles>());
  return found;
}

}  // namespace lockbench::stress
