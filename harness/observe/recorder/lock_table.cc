// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/recorder/lock_table.h"

#include "harness/observe/recorder/counters.h"
#include "harness/observe/recorder/mapped_recording.h"
#include "harness/observe/recorder/place_table.h"

namespace lockbench::observe {
namespace {

constexpr std::uint64_t kPreparing = 1;

// The eight keys among which a lock's key is, in one level.
struct Bucket {
  Count* keys;
  Lock* entries;
  std::size_t start;  // the key that is tried first
};

Bucket bucket_of(std::byte* level, std::size_t number, const void* lock) {
  const std::size_t key = internal::first_key(number, lock);
  const std::size_t start = key % LockLevels::kBucket;
  return {.keys = reinterpret_cast<Count*>(level) + (key - start),
          .entries = internal::entry_at(level, number, key - start),
          .start = start};
}

// Adds the counts of a lock that has ended to its place, and clears the entry.
void fold(Lock& entry) {
  if (Place* const place = place_at(entry.place.load(kRelaxed))) {
    const bool is_shared =
        entry.kind.load(kRelaxed) == static_cast<std::uint32_t>(LockKind::kShared);
    const std::uint64_t shared = is_shared ? entry.shared_acquisitions.load(kRelaxed) : 0;
    add(place->ended_locks, 1);
    add(place->ended_acquisitions, entry.acquisitions.load(kRelaxed) + shared);
    add(place->ended_contended, entry.contended.load(kRelaxed));
  }
  for (Count* const count :
       {&entry.acquisitions, &entry.shared_acquisitions, &entry.contended, &entry.failed_tries,
        &entry.condition_waits, &entry.recursions, &entry.released}) {
    count->store(0, kRelaxed);
  }
}

}  // namespace

Lock* internal::find_further(const void* lock) {
  const auto wanted = reinterpret_cast<std::uint64_t>(lock);
  const MappedArea& area = MappedRecording::area();
  for (std::size_t number = 0; number < LockLevels::kLevels; ++number) {
    // acquire: with the thread that mapped it.
    std::byte* const level = area.levels[number].load(std::memory_order_acquire);
    if (level == nullptr) return nullptr;
    const Bucket bucket = bucket_of(level, number, lock);
    for (std::size_t i = 0; i < LockLevels::kBucket; ++i) {
      const std::size_t at = (bucket.start + i) % LockLevels::kBucket;
      // acquire: with publish(), after which the entry's place is known.
      const std::uint64_t seen = bucket.keys[at].load(std::memory_order_acquire);
      if (seen == wanted) return &bucket.entries[at];
      if (seen == 0) return nullptr;
    }
  }
  return nullptr;
}

internal::Claimed internal::claim_entry(const void* lock) {
  for (std::size_t number = 0; number < LockLevels::kLevels; ++number) {
    std::byte* const level = MappedRecording::level(number);
    if (level == nullptr) return {};
    const Bucket bucket = bucket_of(level, number, lock);
    for (const bool reuse : {false, true}) {
      for (std::size_t i = 0; i < LockLevels::kBucket; ++i) {
        const std::size_t at = (bucket.start + i) % LockLevels::kBucket;
        std::uint64_t seen = bucket.keys[at].load(kRelaxed);
        const bool usable = seen == 0 || (reuse && seen != kPreparing && (seen & 1) != 0);
        if (!usable || !bucket.keys[at].compare_exchange_strong(seen, kPreparing, kRelaxed)) {
          continue;
        }
        fold(bucket.entries[at]);
        return {.key = &bucket.keys[at], .entry = &bucket.entries[at]};
      }
    }
  }
  return {};
}

void internal::publish(const Claimed& claimed, const void* lock) {
  // release: with find_lock().
  claimed.key->store(reinterpret_cast<std::uint64_t>(lock), std::memory_order_release);
}

void end_lock(const void* lock) {
  const auto address = reinterpret_cast<std::uint64_t>(lock);
  const MappedArea& area = MappedRecording::area();
  for (std::size_t number = 0; number < LockLevels::kLevels; ++number) {
    std::byte* const level = area.levels[number].load(std::memory_order_acquire);
    if (level == nullptr) return;
    const Bucket bucket = bucket_of(level, number, lock);
    for (std::size_t i = 0; i < LockLevels::kBucket; ++i) {
      if (bucket.keys[i].load(kRelaxed) == address) bucket.keys[i].store(address + 1, kRelaxed);
    }
  }
}

void end_locks(std::uint64_t begin, std::uint64_t end) {
  const MappedArea& area = MappedRecording::area();
  for (std::size_t number = 0; number < LockLevels::kLevels; ++number) {
    std::byte* const level = area.levels[number].load(std::memory_order_acquire);
    if (level == nullptr) return;
    auto* const keys = reinterpret_cast<Count*>(level);
    for (std::size_t i = 0; i < LockLevels::capacity(number); ++i) {
      const std::uint64_t address = keys[i].load(kRelaxed);
      if (address >= begin && address < end && (address & 1) == 0) {
        keys[i].store(address + 1, kRelaxed);
      }
    }
  }
}

}  // namespace lockbench::observe
