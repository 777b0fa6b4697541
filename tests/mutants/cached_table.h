// SPDX-License-Identifier: Apache-2.0

// CachedTable: a table of mutexes that keeps a limited number of unused ones. The fault removes a
// mutex that is in use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "primitives/concepts.h"
#include "primitives/platform/mutex.h"

namespace lockbench::mutants {

enum class CacheFault {
  kNone,
  kEvictsUsed,  // does not check whether a thread uses the entry
};

template <std::size_t kMost, CacheFault kFault>
class CachedTable {
 public:
  static constexpr Promises kPromises{.lock_per_key = true};

  class Handle {
   public:
    Handle(CachedTable& owner, std::uint64_t key) : owner_(owner), key_(key) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() {
      entry_ = owner_.find(key_);
      entry_->lock();
    }
    bool try_lock() {
      entry_ = owner_.find(key_);
      if (entry_->try_lock()) return true;
      owner_.leave(entry_);
      return false;
    }
    void unlock() {
      entry_->unlock();
      owner_.leave(entry_);
    }

   private:
    CachedTable& owner_;
    const std::uint64_t key_;
    std::shared_ptr<platform::Mutex> entry_;
  };

  Handle handle(std::uint64_t key) { return Handle(*this, key); }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  using Entry = std::shared_ptr<platform::Mutex>;

  Entry find(std::uint64_t key) {
    const std::scoped_lock guard(mutex_);
    Entry& entry = table_[key];
    if (entry == nullptr) entry = std::make_shared<platform::Mutex>();
    const Entry mine = entry;
    if (table_.size() > kMost) evict(mine);
    return mine;
  }

  void leave(Entry& entry) {
    const std::scoped_lock guard(mutex_);
    entry.reset();
  }

  // Under the mutex.
  void evict(const Entry& but) {
    for (auto it = table_.begin(); it != table_.end(); ++it) {
      const bool used = it->second.use_count() > 1;
      if (it->second == but || (used && kFault != CacheFault::kEvictsUsed)) continue;
      table_.erase(it);
      return;
    }
  }

  platform::Mutex mutex_;
  std::map<std::uint64_t, Entry> table_;
};

}  // namespace lockbench::mutants
