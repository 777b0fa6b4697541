// SPDX-License-Identifier: Apache-2.0

// KeepingTable: an entry for every key in use, which is freed when no thread uses it. The
// faults keep memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "primitives/concepts.h"
#include "primitives/platform/mutex.h"

namespace lockbench::mutants {

enum class KeepingFault {
  kNone,
  kPerKey,   // keeps an object for each key that was ever used
  kPerHold,  // keeps an object for each hold
  kLogs,     // keeps a word for each hold, in an array that grows
};

template <KeepingFault kFault>
class KeepingTable {
 public:
  static constexpr Promises kPromises{.lock_per_key = true};

  class Handle {
   public:
    Handle(KeepingTable& table, std::uint64_t key) : table_(table), key_(key) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() { table_.use(key_).mutex.lock(); }
    bool try_lock() {
      if (table_.use(key_).mutex.try_lock()) return true;
      table_.leave(key_, false);
      return false;
    }
    void unlock() { table_.leave(key_, true); }

   private:
    KeepingTable& table_;
    const std::uint64_t key_;
  };

  Handle handle(std::uint64_t key) { return Handle(*this, key); }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }
  std::size_t keys_kept() const { return entries_.size(); }

 private:
  struct Entry {
    platform::Mutex mutex;
    std::uint32_t users = 0;
  };

  Entry& use(std::uint64_t key) {
    const std::scoped_lock guard(mutex_);
    Entry& entry = entries_[key];
    ++entry.users;
    return entry;
  }

  void leave(std::uint64_t key, bool holds) {
    const std::scoped_lock guard(mutex_);
    const auto found = entries_.find(key);
    if (holds) found->second.mutex.unlock();
    if (holds && kFault == KeepingFault::kPerHold) kept_.push_back(std::make_unique<Entry>());
    if (holds && kFault == KeepingFault::kLogs) log_.push_back(key);
    if (--found->second.users != 0) return;
    entries_.erase(found);
    if (kFault == KeepingFault::kPerKey) used_[key] = true;
  }

  platform::Mutex mutex_;
  std::map<std::uint64_t, Entry> entries_;
  std::map<std::uint64_t, bool> used_;
  std::vector<std::unique_ptr<Entry>> kept_;
  std::vector<std::uint64_t> log_;
};

}  // namespace lockbench::mutants
