// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/memory/plain_accesses.h"

#include <algorithm>

namespace lockbench::stress::explore {

DataRace PlainAccesses::race_between(std::uint32_t thread, const PlainAccess& access, bool atomic,
                                     const Earlier& earlier) {
  return {.thread = thread,
          .access = access,
          .atomic = atomic,
          .other = earlier.thread,
          .other_code = earlier.code,
          .other_writes = earlier.writes};
}

void PlainAccesses::reset() {
  for (std::size_t i = 0; i < used_; ++i) index_[granules_[i].index] = 0;
  used_ = 0;
  ++execution_;
}

PlainAccesses::Granule& PlainAccesses::at(std::size_t index) {
  std::uint32_t& number = index_[index];
  if (number != 0) return granules_[number - 1];
  if (used_ == granules_.size()) granules_.emplace_back();
  Granule& granule = granules_[used_++];
  number = static_cast<std::uint32_t>(used_);
  granule.index = index;
  granule.count = granule.next = 0;
  return granule;
}

std::optional<DataRace> PlainAccesses::race_of_atomic(const Memory& memory, std::uint32_t thread,
                                                      const PlainAccess& access) const {
  const std::size_t begin = arena_.offset(access.location);
  const std::uint32_t number = index_[begin / kGranule];
  if (number == 0) return std::nullopt;
  const auto bytes = static_cast<std::uint8_t>(((1U << access.bytes) - 1) << (begin % kGranule));
  const Granule& granule = granules_[number - 1];
  for (std::size_t i = 0; i < granule.count; ++i) {
    const Earlier& earlier = granule.earlier[i];
    if ((earlier.bytes & bytes) == 0 || earlier.thread == thread || !earlier.writes) continue;
    if (memory.happens_before(earlier.thread, earlier.moment, thread)) continue;
    return race_between(thread, access, true, earlier);
  }
  return std::nullopt;
}

bool PlainAccesses::race_with_free(const Memory& memory, std::uint32_t thread, const void* location,
                                   std::size_t bytes) const {
  const std::size_t begin = arena_.offset(location) / kGranule;
  for (std::size_t now = begin; now < begin + bytes / kGranule; ++now) {
    const std::uint32_t number = index_[now];
    if (number == 0) continue;
    const Granule& granule = granules_[number - 1];
    for (std::size_t i = 0; i < granule.count; ++i) {
      const Earlier& earlier = granule.earlier[i];
      if (earlier.thread == thread) continue;
      if (!memory.happens_before(earlier.thread, earlier.moment, thread)) return true;
    }
  }
  return false;
}

std::optional<DataRace> PlainAccesses::add(const Memory& memory, std::uint32_t thread,
                                           const PlainAccess& access) {
  const std::size_t begin = arena_.offset(access.location);
  const std::size_t end = std::min(begin + access.bytes, Arena::kBytes);
  for (std::size_t now = begin; now < end; now = (now / kGranule + 1) * kGranule) {
    const std::size_t last = std::min(end, (now / kGranule + 1) * kGranule);
    const std::size_t first = now % kGranule;
    const auto bytes = static_cast<std::uint8_t>(((1U << (last - now)) - 1) << first);
    Granule& granule = at(now / kGranule);
    for (std::size_t i = 0; i < granule.count; ++i) {
      const Earlier& earlier = granule.earlier[i];
      if ((earlier.bytes & bytes) == 0 || earlier.thread == thread) continue;
      if (!access.writes && !earlier.writes) continue;
      if (memory.happens_before(earlier.thread, earlier.moment, thread)) continue;
      return race_between(thread, access, false, earlier);
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
