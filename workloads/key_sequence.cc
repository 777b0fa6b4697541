// SPDX-License-Identifier: Apache-2.0

#include "workloads/key_sequence.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "workloads/alias_table.h"
#include "workloads/random.h"

namespace lockbench {
namespace {

// All rings together stay below 16 MiB, and a single ring fits in the second-level cache.
constexpr std::size_t kAllRings = 1 << 22;
constexpr std::size_t kLongestRing = 1 << 15;
constexpr std::size_t kShortestRing = 512;

std::size_t ring_length(const WorkloadSettings& settings, std::uint32_t per_operation) {
  const std::size_t fitting = std::clamp(kAllRings / settings.threads, kShortestRing, kLongestRing);
  if (settings.operations == 0) return fitting;
  return std::min<std::uint64_t>(settings.operations * per_operation, fitting);
}

std::vector<double> zipf_weights(std::uint64_t keys, double theta) {
  std::vector<double> weights(keys);
  for (std::uint64_t i = 0; i < keys; ++i) {
    weights[i] = std::pow(static_cast<double>(i + 1), -theta);
  }
  return weights;
}

using Draw = std::function<std::uint32_t(Random&)>;

Draw hot_draw(std::uint64_t keys, double fraction, double share) {
  const auto hot = std::clamp<std::uint64_t>(std::llround(static_cast<double>(keys) * fraction), 1,
                                             std::max<std::uint64_t>(1, keys - 1));
  return [=](Random& random) -> std::uint32_t {
    if (keys == 1) return 0;
    if (random.unit() < share) return static_cast<std::uint32_t>(random.below(hot));
    return static_cast<std::uint32_t>(hot + random.below(keys - hot));
  };
}

Draw make_draw(const WorkloadSettings& settings) {
  const KeyDistribution& how = settings.key_distribution;
  const std::uint64_t keys = settings.keys;
  switch (how.kind) {
    case KeyDistribution::Kind::kZipf:
      return [table = AliasTable(zipf_weights(keys, how.theta))](Random& random) {
        return table.draw(random);
      };
    case KeyDistribution::Kind::kHot:
      return hot_draw(keys, how.hot_fraction, how.hot_share);
    case KeyDistribution::Kind::kUniform:
    case KeyDistribution::Kind::kAssigned:
    case KeyDistribution::Kind::kOwn:
      break;
  }
  return [keys](Random& random) { return static_cast<std::uint32_t>(random.below(keys)); };
}

std::vector<std::uint32_t> deal_assigned(const WorkloadSettings& settings) {
  std::vector<std::uint32_t> deck;
  const std::vector<std::uint32_t>& counts = settings.key_distribution.counts;
  for (std::uint32_t key = 0; key < counts.size(); ++key) {
    deck.insert(deck.end(), counts[key], key);
  }
  Random(settings.seed).shuffle(std::span(deck));
  return deck;
}

// A ring with one key.
std::vector<std::uint32_t> own_keys(const WorkloadSettings& settings) {
  std::vector<std::uint32_t> keys(settings.threads);
  for (std::uint32_t thread = 0; thread < settings.threads; ++thread) {
    keys[thread] = static_cast<std::uint32_t>(thread % settings.keys);
  }
  return keys;
}

}  // namespace

KeySequences KeySequences::draw(const WorkloadSettings& settings, std::uint32_t per_operation) {
  if (settings.key_distribution.kind == KeyDistribution::Kind::kAssigned) {
    return KeySequences(settings.operations * per_operation, deal_assigned(settings));
  }
  if (settings.key_distribution.kind == KeyDistribution::Kind::kOwn) {
    return KeySequences(1, own_keys(settings));
  }
  // A ring must not split a pair of keys.
  const std::size_t ring = ring_length(settings, per_operation) / per_operation * per_operation;
  std::vector<std::uint32_t> keys(ring * settings.threads);
  // To draw them takes a part of a millisecond for each thread.
  if (settings.keys == 1) return KeySequences(ring, std::move(keys));
  const Draw draw_key = make_draw(settings);
  for (std::uint32_t thread = 0; thread < settings.threads; ++thread) {
    Random random(derive_seed(settings.seed, thread));
    const auto first = keys.begin() + static_cast<std::ptrdiff_t>(thread * ring);
    std::generate_n(first, ring, [&] { return draw_key(random); });
  }
  return KeySequences(ring, std::move(keys));
}

}  // namespace lockbench
