// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/plain_accesses.h"

#include <algorithm>

namespace lockbench::stress::explore {

std::optional<DataRace> PlainAccesses::add(const Memory& memory, std::uint32_t thread,
                                           const PlainAccess& access) {
  const auto begin = reinterpret_cast<std::uintptr_t>(access.place);
  const std::uintptr_t end = begin + access.bytes;
  for (std::uintptr_t at = begin; at < end; at = (at / kGranule + 1) * kGranule) {
    const std::uintptr_t last = std::min(end, (at / kGranule + 1) * kGranule);
    const std::uintptr_t first = at % kGranule;
    const auto bytes = static_cast<std::uint8_t>(((1U << (last - at)) - 1) << first);
    Granule& granule = places_[at / kGranule];
    for (std::size_t i = 0; i < granule.count; ++i) {
      const Earlier& earlier = granule.earlier[i];
      if ((earlier.bytes & bytes) == 0 || earlier.thread == thread) continue;
      if (!access.writes && !earlier.writes) continue;
      if (memory.happens_before(earlier.thread, earlier.moment, thread)) continue;
      return DataRace{.thread = thread,
                      .access = access,
                      .other = earlier.thread,
                      .other_code = earlier.code,
                      .other_writes = earlier.writes};
    }
    remember(granule, {.bytes = bytes,
                       .thread = static_cast<std::uint8_t>(thread),
                       .writes = access.writes,
                       .moment = memory.moment(thread),
                       .code = access.code});
  }
  return std::nullopt;
}

// Replaces an older access of the same thread that the new one covers. Every access that races with
// the older one also races with the new one.
void PlainAccesses::remember(Granule& granule, const Earlier& access) {
  for (std::size_t i = 0; i < granule.count; ++i) {
    Earlier& older = granule.earlier[i];
    const bool covered = older.thread == access.thread && (older.bytes & ~access.bytes) == 0 &&
                         older.writes == access.writes;
    if (!covered) continue;
    older = access;
    return;
  }
  if (granule.count < kKept) {
    granule.earlier[granule.count++] = access;
    return;
  }
  granule.earlier[granule.next] = access;
  granule.next = static_cast<std::uint8_t>((granule.next + 1) % kKept);
}

}  // namespace lockbench::stress::explore
