// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/sim/key_map.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include "harness/petri/replay.h"
#include "harness/stress/sim/strategies.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::sim {
namespace {

// As many as a suspect whose keys are strings has names for.
constexpr std::uint32_t kKeys = 8;

// Whoever runs goes on for as long as it can.
class OneAfterTheOther final : public Strategy {
 public:
  std::size_t choose(const Point&) override { return 0; }
};

struct Tried {
  std::uint32_t capacity = 1;
  std::vector<bool> kept_out;  // by key: not to be had while the first one is held
};

// What becomes of the others while `first` is held as often as it can be.
Tried try_keys(World& world, const Lineup& lineup, std::uint32_t first) {
  Tried tried;
  {
    const World::Aside aside(world);
    tried.kept_out.resize(kKeys);
  }
  OneAfterTheOther strategy;
  world.run(
      [&] {
        const std::unique_ptr<Suspect> suspect = lineup.make(kKeys);
        tried.capacity = suspect->capacity();
        std::vector<std::unique_ptr<Claim>> held;
        for (std::uint32_t i = 0; i < tried.capacity; ++i) {
          held.push_back(suspect->claim(first));
          if (!held.back()->try_lock()) held.pop_back();
        }
        platform::Thread([&] {
          for (std::uint32_t key = 0; key < kKeys; ++key) {
            const std::unique_ptr<Claim> claim = suspect->claim(key);
            tried.kept_out[key] = !claim->try_lock();
            if (!tried.kept_out[key]) claim->unlock();
          }
        }).join();
        for (const auto& claim : held) claim->unlock();
      },
      strategy);
  return tried;
}

absl::Status unlike(const std::string& suspect, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("the net is not one of '", suspect, "': ", what));
}

absl::Status check_numbers(const Lineup& lineup, const WatchedNet& net, std::uint32_t capacity,
                           bool by_lease) {
  // One of the simulated threads is the one that starts and awaits the others.
  if (net.threads() >= kMaxThreads) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the net has ", net.threads(), " threads; at most ", kMaxThreads - 1, " can be simulated"));
  }
  const std::uint32_t admitted = by_lease ? 1 : capacity;
  for (std::uint32_t lock = 0; lock < net.locks().size(); ++lock) {
    const std::uint32_t in_net = net.capacity(lock);
    if (in_net == 0 || in_net == std::min(admitted, net.threads())) continue;
    return unlike(lineup.name, absl::StrCat("it lets ", in_net, " threads have ", net.locks()[lock],
                                            ", the code ", admitted));
  }
  if (lineup.abilities.leases && !lineup.abilities.nests_leases &&
      replay(net.solo(0), std::vector{net.takes(0, 0), net.takes(0, 0)}).conforms) {
    return unlike(lineup.name,
                  "a thread that has a lease waits for a second one, which the code refuses");
  }
  if (by_lease && net.locks().size() != capacity) {
    return unlike(lineup.name,
                  absl::StrCat("it has ", net.locks().size(), " locks, the code ", capacity));
  }
  return absl::OkStatus();
}

// Keys that keep each other out belong to one lock; locks are numbered by their first key.
std::vector<std::uint32_t> locks_by_trial(World& world, const Lineup& lineup) {
  std::vector<std::uint32_t> lock_of(kKeys, kKeys);
  std::uint32_t locks = 0;
  for (std::uint32_t key = 0; key < kKeys; ++key) {
    if (lock_of[key] != kKeys) continue;
    const Tried tried = try_keys(world, lineup, key);
    for (std::uint32_t other = key; other < kKeys; ++other) {
      if (tried.kept_out[other] && lock_of[other] == kKeys) lock_of[other] = locks;
    }
    lock_of[key] = locks++;
  }
  return lock_of;
}

}  // namespace

absl::StatusOr<KeyMap> map_keys(World& world, const Lineup& lineup, const WatchedNet& net) {
  const std::uint32_t capacity = try_keys(world, lineup, 0).capacity;
  KeyMap keys{.lock_of = std::vector<std::uint32_t>(kKeys, 0)};
  keys.by_lease = capacity > 1 && net.locks().size() > 1 && net.capacity(0) == 1;
  if (const absl::Status fits = check_numbers(lineup, net, capacity, keys.by_lease); !fits.ok()) {
    return fits;
  }
  if (keys.by_lease) return keys;
  if (lineup.abilities.lock_per_key) {
    for (std::uint32_t key = 0; key < kKeys; ++key) keys.lock_of[key] = key;
  } else if (net.locks().size() > 1) {
    keys.lock_of = locks_by_trial(world, lineup);
  }
  const std::uint32_t highest = *std::max_element(keys.lock_of.begin(), keys.lock_of.end());
  if (highest + 1 < net.locks().size()) {
    return unlike(lineup.name,
                  absl::StrCat("it has ", net.locks().size(), " locks, the code ", highest + 1));
  }
  return keys;
}

}  // namespace lockbench::stress::sim
