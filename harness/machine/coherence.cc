// SPDX-License-Identifier: Apache-2.0

#include "harness/machine/coherence.h"

#include <algorithm>

namespace lockbench::machine {

Picoseconds Coherence::distance(const Line& line, std::uint32_t processor, bool writes) const {
  if (line.owner != 0) return model_.between(processor, line.owner - 1);
  if (line.sharers.empty()) return model_.access.memory;
  Picoseconds nearest = INT64_MAX;
  Picoseconds farthest = 0;
  line.sharers.for_each([&](std::uint32_t sharer) {
    const Picoseconds from = model_.between(processor, sharer);
    nearest = std::min(nearest, from);
    farthest = std::max(farthest, from);
  });
  return writes ? farthest : nearest;
}

Coherence::Transfer Coherence::reserve(Line& line, std::uint32_t processor, bool writes,
                                       Picoseconds arrival, Picoseconds ahead) const {
  Transfer transfer{.begins = arrival, .ends = 0};
  Picoseconds way = std::max(Picoseconds{0}, distance(line, processor, writes) - ahead);
  if (arrival < line.free_at) {
    way = distance(line, processor, writes);
    if (line.writer != 0) way = model_.between(processor, line.writer - 1);
    const bool follows = writes || line.writer != 0;
    transfer.begins = line.free_at + (follows ? way / 2 : 0);
  }
  transfer.ends = transfer.begins + way - way / 2;
  line.free_at = transfer.ends + (writes ? model_.access.rmw : model_.access.hit);
  line.writer = writes ? processor + 1 : 0;
  line.last = processor + 1;
  return transfer;
}

void Coherence::grant(Line& line, std::uint32_t processor, bool writes) {
  const bool nobody = line.owner == 0 && line.sharers.empty();
  if (writes || nobody) {
    line.owner = processor + 1;
    line.sharers.clear();
  } else if (line.owner != processor + 1) {
    if (line.owner != 0) line.sharers.add(line.owner - 1);
    line.owner = 0;
    line.sharers.add(processor);
  }
}

}  // namespace lockbench::machine
