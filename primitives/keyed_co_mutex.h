// SPDX-License-Identifier: Apache-2.0

// KeyedCoMutex: a mutex for every key in use, for C++20 coroutines: a coroutine that waits for a
// key is suspended, and no thread waits.
//
//   const auto post = [&](std::coroutine_handle<> waiter) { asio::post(pool, waiter); };
//   auto account = co_await accounts.lock(user, post);
//   co_await write(user);            // may go on in another thread
//   account.unlock();                // or at the end of the scope, in whatever thread that is
//
// Guarantees   at most one holder of a key; two different keys never share a lock, whatever their
//              hashes; a key is handed over in the order in which coroutines asked for it; nothing
//              is kept for an idle key. What a holder did is seen by the next one, whatever threads
//              they run in.
// Not offered  timeouts, cancellation, recursion, use by threads that are no coroutines, but for
//              try_lock().
// Requires     a coroutine that waits is not destroyed. `post` is copied and kept while the
//              coroutine waits. It resumes the coroutine elsewhere, not inside the call: else
//              holders that release one after the other use up the stack. It throws nothing: it is
//              called by unlock(). The primitive outlives its holds. A view as a key: the
//              characters outlive the hold.
// fork()       not while any key is held or waited for, if the child uses the primitive.
// Cost         lock and unlock: the bucket's mutex, a walk over the bucket's keys in use, and one
//              allocation for each key in use, which may throw std::bad_alloc from co_await.
//
// Invariants, all under the bucket's mutex
//   I1  A key has an entry in its bucket exactly while a hold of it exists, which owns the entry.
//
//   I2  A suspended coroutine is in the queue of its key's entry until the entry is handed to it.
//
//   I3  After its coroutine was posted, a Wait is touched by that coroutine only.
#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "primitives/concepts.h"
#include "primitives/futex_mutex.h"
#include "primitives/internal/misuse.h"
#include "primitives/internal/table_size.h"
#include "primitives/key.h"
#include "primitives/platform/layout.h"

namespace lockbench {

// A function that resumes a coroutine elsewhere: in a thread pool, or an event loop.
template <class Post>
concept PostsCoroutines =
    std::move_constructible<Post> && std::invocable<Post&, std::coroutine_handle<>>;

template <class K = std::uint64_t, HashOf<K> Hash = DefaultKeyHash<K>>
class KeyedCoMutex {
 public:
  static constexpr std::size_t kDefaultBuckets = 1024;

  class Hold;

  // `buckets`, at least 1, is rounded up to a power of two; about twice the keys held at once keeps
  // the walks short. 64 bytes each.
  explicit KeyedCoMutex(std::size_t buckets = kDefaultBuckets)
      : mask_(internal::table_mask(buckets)), buckets_(new Bucket[mask_ + 1]) {}
  KeyedCoMutex(const KeyedCoMutex&) = delete;
  KeyedCoMutex& operator=(const KeyedCoMutex&) = delete;
  ~KeyedCoMutex() {
    internal::check_use([this] { return keys_kept() == 0; },
                        "KeyedCoMutex: destroyed while a key is held");
  }

  // The object that a coroutine awaits; the result is a Hold.
  template <PostsCoroutines Post>
  [[nodiscard]] auto lock(K key, Post post) {
    return Awaiter<Post>(*this, std::move(key), std::move(post));
  }

  template <Fractional F, class Post>
  requires std::integral<K>
  void lock(F key, Post post) = delete;

  // Holds nothing if the key is held.
  [[nodiscard]] Hold try_lock(K key) {
    const std::uint64_t hash = spread_hash<Hash>(key);
    Bucket& bucket = buckets_[hash & mask_];
    std::scoped_lock guard(bucket.mutex);
    if (bucket.entry_of(hash, key) != nullptr) return Hold();
    return Hold(bucket, bucket.add(hash, std::move(key)));
  }

  template <Fractional F>
  requires std::integral<K>
  void try_lock(F key) = delete;

  // Keys that are held now. O(buckets).
  std::size_t keys_kept() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i <= mask_; ++i) {
      std::scoped_lock guard(buckets_[i].mutex);
      for (Entry* e = buckets_[i].entries; e != nullptr; e = e->next) ++count;
    }
    return count;
  }

 private:
  struct Wait;

  // A key in use.
  struct Entry {
    const std::uint64_t hash;
    const K key;
    Entry* next;
    Wait* first = nullptr;  // I2
    Wait* last = nullptr;
  };

  // A coroutine that waits.
  struct Wait {
    void (*resume_elsewhere)(Wait&);
    std::coroutine_handle<> coroutine;
    Entry* entry = nullptr;  // once it is handed over
    Wait* next = nullptr;
  };

  struct alignas(platform::kCacheLine) Bucket {
    Entry* entry_of(std::uint64_t hash, const K& key) const {
      Entry* e = entries;
      while (e != nullptr && !(e->hash == hash && KeyTraits<Hash>::equal(e->key, key))) e = e->next;
      return e;
    }

    Entry& add(std::uint64_t hash, K key) {
      entries = new Entry{.hash = hash, .key = std::move(key), .next = entries};
      return *entries;
    }

    std::unique_ptr<Entry> remove(Entry& entry) {
      Entry** link = &entries;
      while (*link != &entry) link = &(*link)->next;
      *link = entry.next;
      return std::unique_ptr<Entry>(&entry);
    }

    FutexMutex mutex;
    Entry* entries = nullptr;
  };

  template <class Post>
  class Awaiter;

  // Hands the key over, or forgets it.
  static void release(Bucket& bucket, Entry& entry) {
    std::unique_ptr<Entry> idle;  // freed without the mutex
    Wait* next = nullptr;
    {
      std::scoped_lock guard(bucket.mutex);
      next = entry.first;
      if (next == nullptr) {
        idle = bucket.remove(entry);
      } else {
        entry.first = next->next;
        next->entry = &entry;
      }
    }
    if (next != nullptr) next->resume_elsewhere(*next);
  }

  const std::size_t mask_;
  const std::unique_ptr<Bucket[]> buckets_;
};

// A key that is held, or nothing. It can be moved, and released in any thread.
template <class K, HashOf<K> Hash>
class [[nodiscard]] KeyedCoMutex<K, Hash>::Hold {
 public:
  Hold() = default;
  Hold(Hold&& other) noexcept
      : bucket_(other.bucket_), entry_(std::exchange(other.entry_, nullptr)) {}
  Hold& operator=(Hold&& other) noexcept {
    Hold before(std::move(*this));
    bucket_ = other.bucket_;
    entry_ = std::exchange(other.entry_, nullptr);
    return *this;
  }
  ~Hold() {
    if (owns_lock()) unlock();
  }

  bool owns_lock() const noexcept { return entry_ != nullptr; }
  explicit operator bool() const noexcept { return owns_lock(); }

  // Requires owns_lock().
  void unlock() {
    internal::check_use([this] { return owns_lock(); }, "KeyedCoMutex: unlock() of nothing");
    release(*bucket_, *std::exchange(entry_, nullptr));
  }

 private:
  friend class KeyedCoMutex;
  Hold(Bucket& bucket, Entry& entry) : bucket_(&bucket), entry_(&entry) {}

  Bucket* bucket_ = nullptr;
  Entry* entry_ = nullptr;
};

template <class K, HashOf<K> Hash>
template <class Post>
class KeyedCoMutex<K, Hash>::Awaiter : Wait {
 public:
  Awaiter(KeyedCoMutex& owner, K key, Post post)
      : hash_(spread_hash<Hash>(key)),
        bucket_(owner.buckets_[hash_ & owner.mask_]),
        key_(std::move(key)),
        post_(std::move(post)) {}
  Awaiter(const Awaiter&) = delete;
  Awaiter& operator=(const Awaiter&) = delete;

  bool await_ready() { return take_or_queue(nullptr); }

  // False: the coroutine holds the key and continues. As soon as the mutex is released, it may be
  // resumed elsewhere, and this object may be gone.
  bool await_suspend(std::coroutine_handle<> suspended) { return !take_or_queue(suspended); }

  Hold await_resume() { return Hold(bucket_, *this->entry); }

 private:
  // `suspended`: null if the coroutine still runs; then it is not queued.
  bool take_or_queue(std::coroutine_handle<> suspended) {
    std::scoped_lock guard(bucket_.mutex);
    Entry* const held = bucket_.entry_of(hash_, key_);
    if (held == nullptr) {
      this->entry = &bucket_.add(hash_, key_);
      return true;
    }
    if (suspended == nullptr) return false;
    this->coroutine = suspended;
    this->resume_elsewhere = [](Wait& wait) {
      auto& self = static_cast<Awaiter&>(wait);
      // Both are copied: the coroutine may end, and this object with it, before the call returns.
      Post own = std::move(self.post_);
      own(std::coroutine_handle<>(self.coroutine));
    };
    (held->first == nullptr ? held->first : held->last->next) = this;
    held->last = this;
    return false;
  }

  const std::uint64_t hash_;
  Bucket& bucket_;
  const K key_;
  Post post_;
};

}  // namespace lockbench
