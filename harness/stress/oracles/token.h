// SPDX-License-Identifier: Apache-2.0

// Token: the fencing tokens of a key must grow from hold to hold.
#pragma once

#include "harness/stress/oracles/history.h"
#include "harness/stress/oracles/seen.h"

namespace lockbench::stress::oracles {

struct Token {
  static constexpr std::string_view kName = "token";
  static constexpr std::string_view kDescription = "A fencing token does not grow.";

  struct KeyState {
    Word last{0};
  };

  static bool needed(const EngineTraits& engine, const Abilities& abilities) {
    return abilities.tokens && engine.sees_tokens;
  }

  static CheckResult check(const Grant& grant, KeyState& state) {
    if (!grant.token) return not_evaluated();
    const std::uint64_t last = get(state.last);
    put(state.last, *grant.token);
    return compared(last, *grant.token, grant.thread, grant.key);
  }

  static CheckResult check(const TokenAfter& seen) {
    CheckResult result{.evaluations = 1};
    result.failure = compared(seen.before, seen.token, seen.thread, seen.key).failure;
    return result;
  }

  static CheckResult check(const History& history) {
    CheckResult result;
    if (!history.rules().tokens) return result;
    for (const auto& [before, after] : history.limited_holds()) {
      ++result.evaluations;
      result.failure = compared(before->token, after->token, after->thread, after->key).failure;
      if (result.failure) return result;
    }
    return result;
  }

  static std::string text(const FailureFacts& f, const std::string& actor) {
    return absl::StrCat(name_of_actor(f.thread, actor), " got token ", f.x, " of key ", f.key,
                        " after token ", f.y);
  }

 private:
  static CheckResult compared(std::uint64_t before, std::uint64_t token, std::uint32_t thread,
                              std::uint32_t key) {
    if (token > before) return passed();
    return failed({.thread = thread, .key = key, .x = token, .y = before});
  }
};

}  // namespace lockbench::stress::oracles
