// SPDX-License-Identifier: Apache-2.0

// KeyBucket: the keys of one bucket of a KeyedMutex, and the threads that want them.
//
// A cell has room for one holder: a word that says which node holds its key, and 16 bits of that
// key's hash. The bucket has one cell. Who finds its word taken by another key holds its own apart,
// in a table; who finds it taken by its own, waits. When many hold apart, the bucket gets a row of
// cells, one for each part of its keys, and its first cell takes nobody any more. Nodes lie in the
// handles; their places are changed by their own threads, and, while those wait, under the mutex.
//
// Guarantees   mutual exclusion between threads per key; nothing is kept but the row. Where a
//              larger table cannot be had, acquire() throws std::bad_alloc; without a row the
//              bucket does.
// Cost         a compare-and-swap and a load; a store and two loads; in a row, two loads more on
//              the way in and one on the way out. A second read-modify-write in the place of the
//              store while the cell has been waited at lately, and on kernels without membarrier.
//              Under the mutex: O(1), but for walks over the bucket's waiters, and O(keys) once,
//              when the row is made.
//
// Invariants
//   I1  a cell's holder is 0, or the word of a node whose thread holds its key, or has just come
//       and looks whether the key is held apart, or the cell closed.
//   I2  under the mutex: `apart` has exactly the nodes that hold keys in no cell; the pressure of
//       the cell that their keys belong to counts them, or more.
//   I3  under the mutex: the pressure of each cell that a waiter's key may be held in counts it, or
//       more. A node is among the waiters only while its key is held, or a wake-up for it is in
//       flight.
//   I4  while somebody waits for the key of a cell's holder, kShared is set there, and was set
//       before a heavy barrier after which that holder was seen.
//   I5  whoever holds the mutex, has counted itself as a waiter of a cell, and has then seen a
//       node's word there under kShared may read that node: its release will want the mutex.
//   I6  from when the row can be seen, the pressure of the first cell counts somebody apart for
//       good: it is closed, for whoever comes there asks under the mutex, and nobody comes to hold
//       a key there but by handover.
//   docs/design/keyed.md has the argument.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <system_error>

#include "primitives/concepts.h"
#include "primitives/futex_mutex.h"
#include "primitives/internal/asymmetry.h"
#include "primitives/internal/handovers.h"
#include "primitives/internal/holder_table.h"
#include "primitives/internal/misuse.h"
#include "primitives/internal/rollback.h"
#include "primitives/internal/wait_queue.h"
#include "primitives/key.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/failure.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/spin.h"
#include "primitives/platform/thread.h"

namespace lockbench::internal {

// A row is made when kCrowd nodes hold apart.
template <Key K, class Hash, class Barriers, std::size_t kCrowd>
class alignas(platform::kCacheLine) KeyBucket {
 public:
  // Where a node holds its key. While it holds none: where it looks first, in the row, if there is
  // one, or in the first cell.
  enum class Place : std::uint8_t { kFirstCell, kRow, kApart };

  // A claim on a key.
  struct Node : Waiter {
    Node(K k, std::uint64_t hash) : tag(static_cast<std::uint16_t>(hash >> kTagAt)), key(k) {
      require_address(reinterpret_cast<std::uintptr_t>(this));
    }

    // Throws std::system_error(not_supported) where word() has no room for the address.
    static void require_address(std::uintptr_t address) {
      if (address >> kTagAt != 0) [[unlikely]]
        throw_address_too_long();
    }

    // What a cell and the table say of this node: 16 bits of the hash above its address.
    std::uint64_t word() const {
      const std::uint64_t address = reinterpret_cast<std::uintptr_t>(this);
      return (std::uint64_t{tag} << kTagAt) | address;
    }
    static std::uint16_t tag_of(std::uint64_t word) {
      return static_cast<std::uint16_t>(word >> kTagAt);
    }
    static const Node& at(std::uint64_t word) {
      return *reinterpret_cast<const Node*>(static_cast<std::uintptr_t>(word & kAddress));
    }
    bool may_be(std::uint64_t word) const { return word != 0 && tag_of(word) == tag; }
    bool same_key(const Node& other) const {
      return tag == other.tag && KeyTraits<Hash>::equal(key, other.key);
    }

    Place place = Place::kFirstCell;
    const std::uint16_t tag;
    const K key;
  };

  KeyBucket() = default;
  KeyBucket(const KeyBucket&) = delete;
  KeyBucket& operator=(const KeyBucket&) = delete;
  // relaxed: nobody else is left.
  ~KeyBucket() { delete row_.load(std::memory_order_relaxed); }

  // Before anything else: what to set when a row is made.
  void tell_of_row(platform::Atomic<bool>& some_has_row) { some_has_row_ = &some_has_row; }

  bool acquire(Node& node, platform::Time deadline) {
    const bool has_word = node.place == Place::kFirstCell && put(first_, node);
    if (has_word && nobody_apart(first_)) [[likely]]
      return true;
    return acquire_slow(node, has_word, deadline);
  }

  bool try_acquire(Node& node) {
    if (node.place != Place::kApart && take(node)) return true;
    if (is_held_by(node)) [[unlikely]] {
      check_use([] { return false; }, "KeyedMutex: try_lock() of a handle that holds its key");
      return false;
    }
    std::scoped_lock guard(mutex_);
    if (take_or_count(node)) return true;
    stop_counting(node);
    return false;
  }

  void release(Node& node) {
    check_use([&] { return is_held_by(node); },
              "KeyedMutex: unlock() of a handle that holds no key");
    // A hint: whoever came to wait since is seen below, or sees the store.
    if (node.place != Place::kFirstCell || somebody_to_see(first_)) [[unlikely]] {
      release_slow(node);
      return;
    }
    release_by_store(first_, node);
  }

  // Whether the node's own thread, which asks, holds the key by it. Not asked between put() and
  // keep(). O(1).
  bool is_held_by(const Node& node) const {
    if (node.place == Place::kApart) return true;
    // relaxed: a thread sees what it has stored, or what it was handed over.
    const std::uint64_t word = node.word();
    if (first_.holder.load(std::memory_order_relaxed) == word) return true;
    Row* const row = row_.load(std::memory_order_acquire);
    return row != nullptr && row->of(node.tag).holder.load(std::memory_order_relaxed) == word;
  }

  // Keys that somebody holds now, and bytes kept beside the bucket itself. O(cells).
  std::size_t keys() const {
    std::scoped_lock guard(mutex_);
    std::size_t count = apart_.size();
    // relaxed, here and below: the row comes under the mutex; a count of what changes meanwhile.
    const auto held = [](const Cell& cell) {
      return cell.holder.load(std::memory_order_relaxed) != 0 ? 1U : 0U;
    };
    count += held(first_);
    const Row* const row = row_.load(std::memory_order_relaxed);
    if (row == nullptr) return count;
    for (const Cell& cell : row->cells) count += held(cell);
    return count;
  }

  std::size_t bytes_beside() const {
    std::scoped_lock guard(mutex_);
    // relaxed: as above.
    const bool has_row = row_.load(std::memory_order_relaxed) != nullptr;
    return apart_.table_bytes() + (has_row ? sizeof(Row) : 0);
  }

 private:
  static constexpr int kTagAt = 48;
  static constexpr std::uint64_t kAddress = (std::uint64_t{1} << kTagAt) - 1;

  // The parts of pressure. kShared: releases are read-modify-writes. kWaiters: how many wait.
  // kApart: how many hold apart.
  static constexpr std::uint64_t kShared = 1;
  static constexpr std::uint64_t kWaiter = 2;
  static constexpr std::uint64_t kApartUnit = std::uint64_t{1} << 32;
  static constexpr std::uint64_t kWaiters = (kApartUnit - 1) & ~kShared;
  static constexpr std::uint64_t kApart = ~(kApartUnit - 1);

  static constexpr int kSpins = platform::spins(40);

  static constexpr std::size_t kCells = platform::places(256);

  struct Cell {
    platform::Atomic<std::uint64_t> holder{0};
    platform::Atomic<std::uint64_t> pressure{Barriers::available() ? 0 : kShared};
  };

  struct alignas(platform::kCacheLine) Row {
    // By the bits that HolderTable does not begin with.
    Cell& of(std::uint16_t tag) { return cells[tag % kCells]; }

    std::array<Cell, kCells> cells;
  };

  [[noreturn, gnu::noinline, gnu::cold]] static void throw_address_too_long() {
    platform::throw_error(
        std::system_error(std::make_error_code(std::errc::not_supported),
                          "KeyedMutex: the handle's address has more than 48 bits (a tagged "
                          "pointer, or memory that was mapped above them); put it elsewhere"));
  }

  [[noreturn, gnu::noinline, gnu::cold]] static void throw_held_already() {
    check_use([] { return false; }, "KeyedMutex: lock() of a handle that holds its key");
    platform::throw_error(
        std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                          "KeyedMutex: the handle holds its key already"));
  }

  enum class Sight : std::uint8_t { kFree, kAnotherKey, kSameKey };

  // The short way in.
  bool take(Node& node) {
    Cell* const cell = cell_to_try(node);
    return cell != nullptr && put(*cell, node) && keep(*cell, node);
  }

  // The cell that the key belongs to, or null if it may be held in the closed one.
  Cell* cell_to_try(Node& node) {
    if (node.place == Place::kFirstCell) return &first_;
    // (7) seq_cst: after the first cell was closed (8).
    Row* const row = row_.load(std::memory_order_seq_cst);
    if (row == nullptr) {
      node.place = Place::kFirstCell;
      return &first_;
    }
    // seq_cst: who holds a key there had come before it was closed, and is seen, or what it did is.
    if (node.may_be(first_.holder.load(std::memory_order_seq_cst))) return nullptr;
    return &row->of(node.tag);
  }

  static bool put(Cell& cell, const Node& node) {
    std::uint64_t expected = 0;
    // (1) seq_cst: acquires from (2), (3) and (4); publishes the node; and is in one order with the
    // load that follows: whoever holds apart counted itself before it saw that the key is not here
    // (5), and whoever looks for the key in the row found this cell closed before (7).
    // relaxed on failure: nothing is read on the strength of it.
    return cell.holder.compare_exchange_strong(expected, node.word(), std::memory_order_seq_cst,
                                               std::memory_order_relaxed);
  }

  static bool nobody_apart(const Cell& cell) {
    return (cell.pressure.load(std::memory_order_seq_cst) & kApart) == 0;
  }

  // Has the cell's word; leaves it again if the cell is closed, or another thread holds the key
  // apart.
  bool keep(Cell& cell, Node& node) { return nobody_apart(cell) || keep_if_free(cell, node); }

  [[gnu::noinline, gnu::cold]] bool keep_if_free(Cell& cell, Node& node) {
    std::scoped_lock guard(mutex_);
    if (&cell != &home_of(node)) return move_home(cell, node);
    if (!apart_.has_key_of(node)) return true;
    // Who waits for the key waits for the one that holds it apart: nobody is to be woken.
    leave(cell);
    return false;
  }

  // Under the mutex: takes the key where it belongs rather than in the closed cell, unless another
  // thread holds it. Who found it taken in the closed cell is counted where it belongs, too, and so
  // waits for whoever holds it then. May throw std::bad_alloc.
  bool move_home(Cell& closed, Node& node) {
    node.place = Place::kRow;
    Rollback leaves([&closed] { leave(closed); });  // whether it is taken or not
    const bool taken = take_or_count(node);
    if (!taken) stop_counting(node);
    return taken;
  }

  static void leave(Cell& cell) {
    cell.holder.store(0, std::memory_order_release);  // (2) release: hands on what (1) acquired
  }

  // Under the mutex: the cell where the key is to be held, if in any.
  Cell& home_of(const Node& node) {
    // relaxed: the row comes under the mutex.
    Row* const row = row_.load(std::memory_order_relaxed);
    return row == nullptr ? first_ : row->of(node.tag);
  }

  Place place_of(const Cell& cell) const {
    return &cell == &first_ ? Place::kFirstCell : Place::kRow;
  }

  // Under the mutex: takes the key for `node`, or counts it as a waiter and returns false. May
  // throw std::bad_alloc.
  bool take_or_count(Node& node) {
    if (apart_.has_key_of(node)) {
      start_counting(node);
      return false;
    }
    Cell& home = home_of(node);
    if (&home != &first_ && look(first_, node) == Sight::kSameKey) return false;
    Sight sight = look_and_put(home, node);
    if (sight == Sight::kAnotherKey) {
      // (5) seq_cst: see (1).
      home.pressure.fetch_add(kApartUnit, std::memory_order_seq_cst);
      sight = look_and_put(home, node);
      if (sight == Sight::kAnotherKey) {
        hold_apart(home, node);
        return true;
      }
      // relaxed: a count that is too high only leads others to the mutex.
      home.pressure.fetch_sub(kApartUnit, std::memory_order_relaxed);
    }
    if (sight == Sight::kFree) node.place = place_of(home);
    return sight == Sight::kFree;
  }

  // Under the mutex: as look(); a free cell is taken.
  Sight look_and_put(Cell& cell, const Node& node) {
    for (;;) {
      const Sight sight = look(cell, node);
      if (sight != Sight::kFree || put(cell, node)) return sight;
    }
  }

  // Under the mutex: whose the cell's word is. If it is the key's, the node is counted as a waiter.
  // The node's own, in a cell that it is about to leave, keeps nobody out.
  Sight look(Cell& cell, const Node& node) {
    // acquire, here and below, of what was done under the key: from whoever held it last.
    const std::uint64_t word = cell.holder.load(std::memory_order_seq_cst);
    if (word == 0 || word == node.word()) return Sight::kFree;
    if (!node.may_be(word)) return Sight::kAnotherKey;
    start_counting(node);
    const Sight sight = compare(cell, node);
    if (sight != Sight::kSameKey) stop_counting(node);
    return sight;
  }

  // Under the mutex, counted as a waiter.
  Sight compare(Cell& cell, const Node& node) {
    // relaxed: changes under the mutex.
    if ((cell.pressure.load(std::memory_order_relaxed) & kShared) == 0) {
      cell.pressure.fetch_or(kShared, std::memory_order_seq_cst);
      Barriers::heavy();
    }
    // One load decides.
    const std::uint64_t word = cell.holder.load(std::memory_order_seq_cst);
    if (word == 0) return Sight::kFree;
    return node.may_be(word) && Node::at(word).same_key(node) ? Sight::kSameKey  // I5
                                                              : Sight::kAnotherKey;
  }

  // Under the mutex, counted as one who holds apart. May throw std::bad_alloc.
  void hold_apart(Cell& home, Node& node) {
    Rollback counted([this, &home, &node] {
      // relaxed: as above.
      home.pressure.fetch_sub(kApartUnit, std::memory_order_relaxed);
      // A wake-up that this thread came by goes on to the next.
      PendingWake wake;
      tell_waiter(node, wake);
      wake.deliver();
    });
    apart_.reserve();
    counted.complete();
    apart_.add(node);
    node.place = Place::kApart;
    // relaxed: the row comes under the mutex.
    if (apart_.size() >= kCrowd && row_.load(std::memory_order_relaxed) == nullptr) add_row();
  }

  // Under the mutex. Who holds a key now goes on to hold it where it does.
  [[gnu::noinline, gnu::cold]] void add_row() {
    Row* const row = new (std::nothrow) Row;
    if (row == nullptr) return;
    // relaxed, here and below: nobody else sees the row yet.
    const auto count = [row](std::uint16_t tag, std::uint64_t unit) {
      row->of(tag).pressure.fetch_add(unit, std::memory_order_relaxed);
    };
    apart_.for_each_word([&count](std::uint64_t word) { count(Node::tag_of(word), kApartUnit); });
    for (Waiter* w = waiters_.first(); w != nullptr; w = w->next) {
      count(static_cast<Node*>(w)->tag, kWaiter);
    }
    // (8) seq_cst: after the counts that keep the first cell closed (I6), and before (7): see (1).
    row_.store(row, std::memory_order_seq_cst);
    // relaxed: a hint.
    some_has_row_->store(true, std::memory_order_relaxed);
  }

  // `has_word`: of the first cell, where somebody is counted as holding apart.
  [[gnu::noinline]] bool acquire_slow(Node& node, bool has_word, platform::Time deadline) {
    if (has_word ? keep(first_, node) : node.place == Place::kRow && take(node)) return true;
    if (!has_word && is_held_by(node)) [[unlikely]]
      throw_held_already();
    if (spin(node)) return true;
    {
      std::scoped_lock guard(mutex_);
      if (take_or_count(node)) return true;
      waiters_.push_back(node);
    }
    return wait_for_key(node, deadline);
  }

  // Whether the key came free soon. A word that is surely another key's is not waited for.
  bool spin(Node& node) {
    SpinLuck& luck = SpinLuck::of_thread();
    if (!luck.worth_a_try()) return false;
    const Cell* const cell = cell_to_try(node);
    if (cell == nullptr) return false;
    for (int i = 0; i < kSpins; ++i) {
      // relaxed: a hint when to try.
      const std::uint64_t seen = cell->holder.load(std::memory_order_relaxed);
      if (seen == 0) {
        luck.note(true);
        return take(node);
      }
      if (!node.may_be(seen)) return false;
      platform::pause();
    }
    return false;
  }

  [[gnu::noinline, gnu::cold]] bool wait_for_key(Node& node, platform::Time deadline) {
    for (;;) {
      if (await_signal(node, deadline)) {
        Handovers::of_process().taken(this, node.since, platform::now());
        return true;
      }
      std::scoped_lock guard(mutex_);
      // relaxed: signals are sent under the mutex, which this thread holds.
      if (node.signal.load(std::memory_order_relaxed) == Waiter::kGranted) return true;
      stop_waiting(node);
      if (take_or_count(node)) return true;
      // The key is held, and its holder's release will look at whoever still waits: leaving
      // swallows no wake-up.
      if (platform::now() >= deadline) {
        stop_counting(node);
        return false;
      }
      waiters_.push_front(node);
    }
  }

  // Under the mutex.
  void stop_waiting(Node& waiter) {
    waiters_.remove(waiter);
    stop_counting(waiter);
  }

  // Under the mutex: from here on the node of a word that was seen since may be read (I5).
  void start_counting(const Node& node) {
    Cell& home = home_of(node);
    // (5) seq_cst: a release under kShared either sees the count or is seen.
    home.pressure.fetch_add(kWaiter, std::memory_order_seq_cst);
    if (&home != &first_) first_.pressure.fetch_add(kWaiter, std::memory_order_seq_cst);
  }

  // Under the mutex, counted as a waiter: from here on no node may be read that is not of the
  // bucket's mutex.
  void stop_counting(const Node& node) {
    // (6) release: a release of the key that sees nobody counted leaves the mutex alone, and its
    // node may be gone after it. What was read of that node (I5) was read before.
    Cell& home = home_of(node);
    home.pressure.fetch_sub(kWaiter, std::memory_order_release);
    if (&home != &first_) first_.pressure.fetch_sub(kWaiter, std::memory_order_release);
  }

  static bool somebody_to_see(const Cell& cell) {
    // acquire: from (6). The barriers order it with the store.
    return (cell.pressure.load(std::memory_order_acquire) & (kWaiters | kShared)) != 0;
  }

  // Where nobody was to be seen.
  void release_by_store(Cell& cell, const Node& node) {
    // (3) release: publishes the critical section to (1) and (5).
    cell.holder.store(0, std::memory_order_release);
    Barriers::light();
    if (somebody_to_see(cell)) [[unlikely]]
      wake_waiter(node);
  }

  [[gnu::noinline]] void release_slow(Node& node) {
    if (node.place == Place::kApart) {
      pass_on(node);
      return;
    }
    // relaxed: a node in the row has seen it.
    Cell& cell = node.place == Place::kFirstCell
                     ? first_
                     : row_.load(std::memory_order_relaxed)->of(node.tag);
    if (!somebody_to_see(cell)) {
      release_by_store(cell, node);
      return;
    }
    // relaxed: a hint; both ways out look again, (4) with an acquire of (6).
    if ((cell.pressure.load(std::memory_order_relaxed) & kWaiters) != 0) {
      pass_on(node);
      return;
    }
    // (4) seq_cst: as (3), and in one order with the load: see (5).
    cell.holder.exchange(0, std::memory_order_seq_cst);
    const bool quiet = (cell.pressure.load(std::memory_order_seq_cst) & kWaiters) == 0;
    if (!quiet) wake_waiter(node);
    if (platform::of_this_thread<QuietReleases>().enough_with(quiet)) calm_down(cell);
  }

  // After a release of a cell's word: tells the first waiter for the key to look.
  [[gnu::noinline, gnu::cold]] void wake_waiter(const Node& node) {
    PendingWake wake;
    {
      std::scoped_lock guard(mutex_);
      tell_waiter(node, wake);
    }
    wake.deliver();
  }

  void tell_waiter(const Node& node, PendingWake& wake) {
    Node* const waiter = first_waiter_for(node);
    if (waiter != nullptr) wake.signal(*waiter, Waiter::kWoken);
  }

  // The waiter for the same key that came first, or null. O(waiters in the bucket).
  Node* first_waiter_for(const Node& node) const {
    for (Waiter* w = waiters_.first(); w != nullptr; w = w->next) {
      if (static_cast<Node*>(w)->same_key(node)) return static_cast<Node*>(w);
    }
    return nullptr;
  }

  // Releases the key and tells its first waiter to look, or hands the key to it.
  [[gnu::noinline, gnu::cold]] void pass_on(Node& node) {
    PendingWake wake;
    {
      std::scoped_lock guard(mutex_);
      Node* const waiter = first_waiter_for(node);
      const bool hand_over =
          waiter != nullptr && Handovers::of_process().due(this, *waiter, platform::now());
      if (hand_over) stop_waiting(*waiter);
      give_up(node, hand_over ? waiter : nullptr);
      if (waiter != nullptr) {
        wake.signal(*waiter, hand_over ? Waiter::kGranted : Waiter::kWoken);
      }
    }
    wake.deliver();
  }

  // Under the mutex: puts `heir`, or nobody, into the place of `node`.
  void give_up(Node& node, Node* heir) {
    if (heir != nullptr) heir->place = node.place;
    Cell& home = home_of(node);
    if (node.place != Place::kApart) {
      Cell& cell = node.place == Place::kFirstCell ? first_ : home;
      // release: as (3); publishes the heir to (5).
      cell.holder.store(heir != nullptr ? heir->word() : 0, std::memory_order_release);
      return;
    }
    node.place = place_of(home);
    if (heir != nullptr) {
      apart_.replace(node, *heir);
    } else {
      apart_.remove(node);
      // release: who finds nobody apart in (1) acquires it.
      home.pressure.fetch_sub(kApartUnit, std::memory_order_release);
    }
  }

  // Releases of the cell's word become stores again.
  [[gnu::noinline, gnu::cold]] void calm_down(Cell& cell) {
    std::scoped_lock guard(mutex_);
    // relaxed: counts change under the mutex.
    const bool waited_for = (cell.pressure.load(std::memory_order_relaxed) & kWaiters) != 0;
    if (waited_for || !Barriers::available()) return;
    cell.pressure.fetch_and(~kShared, std::memory_order_relaxed);
  }

  Cell first_;
  mutable FutexMutex mutex_;  // over all that follows, and over every change of a pressure
  WaitQueue waiters_;
  HolderTable<Node> apart_;
  platform::Atomic<Row*> row_{nullptr};
  platform::Atomic<bool>* some_has_row_ = nullptr;
};

}  // namespace lockbench::internal
