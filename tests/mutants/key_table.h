// SPDX-License-Identifier: Apache-2.0

// KeyTable: a table of mutexes with reference counts; and variants with one fault each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "primitives/concepts.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/mutex.h"
#include "tests/mutants/by_key.h"

namespace lockbench::mutants {

enum class TableFault {
  kNone,
  kCountsBeforeRelease,  // lowers the count, and may erase, before it unlocks
  kLooksUpOutside,       // decides outside of the table's lock that there is no entry
  kNeverReclaims,        // compares the count with the wrong thing
  kErasesAlways,         // erases whatever the count
  kUnlocksAnother,       // unlocks the entry of another key
  kHighestIsFree,        // takes the entry of the highest key for a free one
  kFull16,               // has 16 entries; a lock of another key is in vain
  kOneForAll,            // maps every key to one entry, though it promises a lock per key
  kKeepsPerKey,          // keeps an object for each key that was ever used
  kKeepsPerHold,         // keeps an object for each hold
  kKeepsLog,             // keeps a word for each hold, in an array that grows
};

// With kBits below 64, keys whose lowest kBits bits are equal are one.
template <TableFault kFault, int kBits = 64>
class KeyTable : public ByKey<KeyTable<kFault, kBits>> {
 public:
  static constexpr Promises kPromises{.lock_per_key = true};

  void lock(std::uint64_t key) { enter(key).mutex.lock(); }

  bool try_lock(std::uint64_t key) {
    Entry& entry = enter(key);
    if (entry.mutex.try_lock()) return true;
    leave(key, entry);
    return false;
  }

  void unlock(std::uint64_t key) {
    if constexpr (kFault == TableFault::kUnlocksAnother) {
      Entry* const other = find(key ^ 1);
      if (other != nullptr) {
        other->mutex.unlock();
        return;
      }
    }
    Entry* const found = find(key);
    if (kMayStray && found == nullptr) return;
    Entry& entry = *found;
    if constexpr (kFault == TableFault::kCountsBeforeRelease) {
      leave(key, entry);
      entry.mutex.unlock();
    } else {
      entry.mutex.unlock();
      leave(key, entry);
    }
    if constexpr (kKeeps) keep(key);
  }

  std::size_t keys_kept() const {
    const std::scoped_lock guard(mutex_);
    return table_.size();
  }

 private:
  static constexpr bool kKeeps = kFault == TableFault::kKeepsPerKey ||
                                 kFault == TableFault::kKeepsPerHold ||
                                 kFault == TableFault::kKeepsLog;
  static constexpr bool kMayStray =
      kFault == TableFault::kHighestIsFree || kFault == TableFault::kFull16;

  struct Entry {
    platform::Mutex mutex;
    platform::Atomic<int> users{0};
  };

  static std::uint64_t slot_of(std::uint64_t key) {
    if (kFault == TableFault::kOneForAll) return 0;
    return key & ~std::uint64_t{0} >> (64 - kBits);
  }

  Entry* find(std::uint64_t key) {
    const std::scoped_lock guard(mutex_);
    const auto found = table_.find(slot_of(key));
    return found == table_.end() ? nullptr : found->second.get();
  }

  Entry& enter(std::uint64_t key) {
    if constexpr (kFault == TableFault::kLooksUpOutside) {
      Entry* entry = find(key);
      if (entry == nullptr) entry = &replace(key);
      entry->users.fetch_add(1, std::memory_order_relaxed);
      return *entry;
    } else {
      const std::scoped_lock guard(mutex_);
      if (kMayStray && strays(key)) return *strays_.emplace_back(std::make_unique<Entry>());
      std::unique_ptr<Entry>& entry = table_[slot_of(key)];
      if (entry == nullptr) entry = std::make_unique<Entry>();
      entry->users.fetch_add(1, std::memory_order_relaxed);
      return *entry;
    }
  }

  // True if the key gets an entry that nobody else finds. Under the mutex.
  bool strays(std::uint64_t key) const {
    constexpr std::size_t kEntries = 16;
    if constexpr (kFault == TableFault::kHighestIsFree) return key == ~std::uint64_t{0};
    return table_.size() >= kEntries && table_.find(key) == table_.end();
  }

  Entry& replace(std::uint64_t key) {
    auto made = std::make_unique<Entry>();
    const std::scoped_lock guard(mutex_);
    std::unique_ptr<Entry>& entry = table_[key];
    entry = std::move(made);
    return *entry;
  }

  void leave(std::uint64_t key, Entry& entry) {
    const std::scoped_lock guard(mutex_);
    const int users = entry.users.fetch_sub(1, std::memory_order_relaxed) - 1;
    const bool unused = kFault == TableFault::kErasesAlways ||
                        users == (kFault == TableFault::kNeverReclaims ? -1 : 0);
    if (unused) table_.erase(slot_of(key));
  }

  void keep(std::uint64_t key) {
    const std::scoped_lock guard(mutex_);
    if (kFault == TableFault::kKeepsPerKey) used_[key] = true;
    if (kFault == TableFault::kKeepsPerHold) kept_.push_back(std::make_unique<Entry>());
    if (kFault == TableFault::kKeepsLog) log_.push_back(key);
  }

  mutable platform::Mutex mutex_;
  std::map<std::uint64_t, std::unique_ptr<Entry>> table_;
  std::vector<std::unique_ptr<Entry>> strays_;
  std::map<std::uint64_t, bool> used_;
  std::vector<std::unique_ptr<Entry>> kept_;
  std::vector<std::uint64_t> log_;
};

}  // namespace lockbench::mutants
