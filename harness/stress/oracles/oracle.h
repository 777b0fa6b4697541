// SPDX-License-Identifier: Apache-2.0

// Oracle: a rule that decides from what was seen of threads or processes whether a lock is
// broken. Each oracle is a class in its own file in this folder, and one line in registry.h:
//
//   struct Token {
//     static constexpr std::string_view kName = "token";
//     static constexpr std::string_view kDescription = "A fencing token does not grow.";
//
//     // True if a clean verdict of this engine on a lock with these abilities requires this
//     // oracle.
//     static bool needed(const EngineTraits& engine, const Abilities& abilities);
//
//     // One overload for each kind of thing seen (seen.h) that the oracle checks. The
//     // engines call it through check_all() in registry.h.
//     static CheckResult check(const Grant& grant, KeyState& state);
//
//     // The failure as one sentence. `actor` is `thread` or `process`.
//     static std::string text(const FailureFacts& failure, const std::string& actor);
//
//     // Only if the oracle has a state for each lease of each key. It consists of Words: the
//     // holders share it, it orders no other accesses, and it remains after they have ended.
//     struct KeyState { Word last; };
//   };
//
// A check is a pure function of what was seen and the state. It allocates no memory, because it
// may run in a process whose lock has damaged the heap; text() runs in another process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <absl/strings/str_cat.h>

#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/trace/shared_words.h"

namespace lockbench::stress {

// The facts about an engine that oracles and campaigns need.
struct EngineTraits {
  std::string_view name;
  bool simulates = false;      // it decides in which order accesses happen
  bool one_process = false;    // the holders are threads of one process
  bool sees_tokens = true;     // the holders' tokens are compared
  bool several_keys = true;    // a worker may use a key while another one is held
  bool counts_permits = true;  // it counts also where a key has several holders, numbered
};

inline constexpr EngineTraits kSimEngine{.name = "sim", .simulates = true, .one_process = true};
inline constexpr EngineTraits kRealEngine{.name = "real", .one_process = true};
inline constexpr EngineTraits kProcEngine{.name = "proc", .sees_tokens = false};

inline constexpr std::uint32_t kNoThread = ~std::uint32_t{0};
inline constexpr std::uint32_t kNoKey = ~std::uint32_t{0};

// The facts of a failure as numbers. Each oracle defines the meaning of `fault`, `x` and `y`.
struct FailureFacts {
  std::uint8_t fault = 0;
  std::uint32_t thread = kNoThread;  // or process
  std::uint32_t other = kNoThread;
  std::uint32_t key = 0;
  std::uint32_t second_key = kNoKey;
  std::uint32_t lease = 0;
  std::uint64_t x = 0;
  std::uint64_t y = 0;

  bool operator==(const FailureFacts&) const = default;
};

struct CheckResult {
  std::uint64_t evaluations = 0;  // 0: this oracle does not apply to it
  std::optional<FailureFacts> failure;
};

inline CheckResult not_evaluated() {
  return {};
}
inline CheckResult passed() {
  return {.evaluations = 1};
}
inline CheckResult failed(const FailureFacts& failure) {
  return {.evaluations = 1, .failure = failure};
}

// `thread 3`, or `another thread` if the number is unknown.
inline std::string name_of_actor(std::uint32_t number, const std::string& actor) {
  return number == kNoThread ? absl::StrCat("another ", actor) : absl::StrCat(actor, " ", number);
}

// `threads`, `processes`.
inline std::string plural_of(const std::string& actor) {
  return absl::StrCat(actor, actor.ends_with('s') ? "es" : "s");
}

// `key 1`, `keys 1 and 2`.
inline std::string name_of_keys(const FailureFacts& failure) {
  if (failure.second_key == kNoKey) return absl::StrCat("key ", failure.key);
  return absl::StrCat("keys ", failure.key, " and ", failure.second_key);
}

}  // namespace lockbench::stress
