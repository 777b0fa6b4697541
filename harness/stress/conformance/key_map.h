// SPDX-License-Identifier: Apache-2.0

// KeyMap: how the keys of a suspect belong to the locks of its net, found by trying them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/stress/conformance/judge.h"
#include "harness/stress/conformance/watched_net.h"
#include "harness/stress/suspect.h"

namespace lockbench::stress {

// As many as a suspect whose keys are strings has names for.
inline constexpr std::uint32_t kKeysTried = 8;

// What becomes of all keys while one is held as often as it can be.
struct TriedKey {
  std::uint32_t capacity = 1;
  std::vector<bool> kept_out = std::vector<bool>(kKeysTried);  // not to be had meanwhile
};

// Tries with key number `first` held, on threads as the engine has them.
using TryKey = std::function<absl::StatusOr<TriedKey>(std::uint32_t first)>;

// Fails with InvalidArgument when the net cannot be one of this suspect: other locks, other
// numbers, more than `most_threads`; and with what `try_key` fails with.
absl::StatusOr<KeyMap> map_keys(const Lineup& lineup, const WatchedNet& net,
                                std::uint32_t most_threads, const TryKey& try_key);

// What such a trial does. `elsewhere` is given what is to be done where no key is held: it fills in
// a TriedKey.
template <class Elsewhere>
void try_keys(const Lineup& lineup, std::uint32_t first, const Elsewhere& elsewhere) {
  const std::unique_ptr<Suspect> suspect = lineup.make(kKeysTried);
  std::vector<std::unique_ptr<Claim>> held;
  for (std::uint32_t i = 0; i < suspect->capacity(); ++i) {
    held.push_back(suspect->claim(first));
    if (!held.back()->try_lock()) held.pop_back();
  }
  elsewhere([&](TriedKey& tried) {
    tried.capacity = suspect->capacity();
    for (std::uint32_t key = 0; key < kKeysTried; ++key) {
      const std::unique_ptr<Claim> claim = suspect->claim(key);
      tried.kept_out[key] = !claim->try_lock();
      if (!tried.kept_out[key]) claim->unlock();
    }
  });
  for (const auto& claim : held) claim->unlock();
}

}  // namespace lockbench::stress
