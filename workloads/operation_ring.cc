// SPDX-License-Identifier: Apache-2.0

#include "workloads/operation_ring.h"

#include <algorithm>
#include <cmath>

#include "workloads/key_sequence.h"
#include "workloads/random.h"

namespace lockbench {
namespace {

// The keys alone may repeat after a single one; a share of them takes a longer ring.
constexpr std::size_t kFewestOperations = 512;

// How many rounds of the keys' ring are one ring of operations.
std::size_t rounds_of(const WorkloadSettings& settings, std::size_t keys_ring) {
  const std::size_t wanted = settings.operations == 0
                                 ? kFewestOperations
                                 : std::min<std::uint64_t>(settings.operations, kFewestOperations);
  return (wanted + keys_ring - 1) / keys_ring;
}

// One write at a random position of each of `writes` equal parts of the ring.
template <class Mark>
void spread(std::size_t ring, std::size_t writes, Random& random, Mark mark) {
  for (std::size_t part = 0; part < writes; ++part) {
    const std::size_t first = part * ring / writes;
    const std::size_t end = (part + 1) * ring / writes;
    mark(first + random.below(end - first));
  }
}

}  // namespace

OperationRings OperationRings::draw(const WorkloadSettings& settings) {
  const KeySequences keys = KeySequences::draw(settings);
  const std::size_t keys_ring = keys.of(0).size();
  const std::size_t ring = keys_ring * rounds_of(settings, keys_ring);
  const double share = settings.write_share;
  const auto writes = std::clamp<std::size_t>(
      static_cast<std::size_t>(std::llround(share * static_cast<double>(ring))), share > 0 ? 1 : 0,
      ring);
  std::vector<std::uint32_t> entries;
  entries.reserve(ring * settings.threads);
  for (std::uint32_t thread = 0; thread < settings.threads; ++thread) {
    const std::size_t begin = entries.size();
    const std::span<const std::uint32_t> round = keys.of(thread);
    while (entries.size() < begin + ring) entries.insert(entries.end(), round.begin(), round.end());
    // Not the seed that the keys of the thread were drawn from.
    Random random(derive_seed(~settings.seed, thread));
    spread(ring, writes, random, [&](std::size_t at) { entries[begin + at] |= kWrites; });
  }
  return {ring, std::move(entries)};
}

}  // namespace lockbench
