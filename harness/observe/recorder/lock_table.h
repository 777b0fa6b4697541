// SPDX-License-Identifier: Apache-2.0

// LockTable: the entries of this process's locks, by their addresses (LockLevels).
#pragma once

#include <cstddef>

#include "harness/observe/recorder/counters.h"
#include "harness/observe/recorder/mapped_recording.h"
#include "harness/observe/recorder/recording.h"

namespace lockbench::observe {

// nullptr: it has none.
inline Lock* find_lock(const void* lock);

// A free entry, or one of a lock that has ended, for a lock that has none; nullptr: there is no
// room. `number_of_place` is called once, with the entry, and returns its place.
template <class NumberOfPlace>
Lock* add_lock(const void* lock, LockKind kind, NumberOfPlace number_of_place);

// The lock at this address has ended.
void end_lock(const void* lock);

// So have the locks at `begin` and after it, before `end`.
void end_locks(std::uint64_t begin, std::uint64_t end);

namespace internal {

// The position of a lock's first key in a level, among the eight of its bucket.
inline std::size_t first_key(std::size_t level, const void* lock) {
  static_assert(LockLevels::kFirst == std::size_t{1} << 11);
  return hashed(lock) >> (64 - 11 - 3 * level);
}

inline Lock* entry_at(std::byte* level, std::size_t number, std::size_t at) {
  return reinterpret_cast<Lock*>(level + LockLevels::capacity(number) * sizeof(Count)) + at;
}

// Other than its first key in the first level.
Lock* find_further(const void* lock);

// The lock's entry is being prepared until publish(). nullptr: there is no room.
struct Claimed {
  Count* key = nullptr;
  Lock* entry = nullptr;
};
Claimed claim_entry(const void* lock);
void publish(const Claimed& claimed, const void* lock);

}  // namespace internal

inline Lock* find_lock(const void* lock) {
  // acquire: with the thread that mapped it.
  std::byte* const level = MappedRecording::area().levels[0].load(std::memory_order_acquire);
  if (level == nullptr) [[unlikely]]
    return nullptr;
  const std::size_t at = internal::first_key(0, lock);
  // acquire: with publish(), after which the entry's place is known.
  const std::uint64_t key = reinterpret_cast<Count*>(level)[at].load(std::memory_order_acquire);
  if (key == reinterpret_cast<std::uint64_t>(lock)) return internal::entry_at(level, 0, at);
  return internal::find_further(lock);
}

template <class NumberOfPlace>
Lock* add_lock(const void* lock, LockKind kind, NumberOfPlace number_of_place) {
  const internal::Claimed claimed = internal::claim_entry(lock);
  if (claimed.entry == nullptr) return nullptr;
  // relaxed: publish() orders them.
  claimed.entry->place.store(number_of_place(), std::memory_order_relaxed);
  claimed.entry->kind.store(static_cast<std::uint32_t>(kind), std::memory_order_relaxed);
  internal::publish(claimed, lock);
  return claimed.entry;
}

}  // namespace lockbench::observe
