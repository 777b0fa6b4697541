// SPDX-License-Identifier: Apache-2.0

// KeyBucket: the keys of one bucket of a KeyedMutex, and the threads that wait for them.
//
// A cell has room for one holder: a word that has the address of the node that holds its key, and
// 16 bits of that key's hash. The bucket has one cell. A thread that finds another key's word there
// holds its own key by an overflow node, in a table under the mutex; a thread that finds its own
// key's word there waits. When kSplitThreshold overflow nodes hold keys, the bucket is split: it
// gets an overflow table of cells, one for each part of its keys, and its first cell is closed: it
// accepts no new holder. Nodes lie in the handles. A node's storage is changed by its own thread
// and, while that thread waits, under the mutex.
//
// Guarantees   mutual exclusion between threads per key; the bucket keeps nothing for an idle key,
//              except its overflow table. Where a larger table of nodes cannot be allocated,
//              acquire() throws std::bad_alloc; without memory for an overflow table the bucket is
//              not split. A node that holds its key already is refused.
// Cost         lock: a compare-and-swap and a load; unlock: a store and two loads. After a split:
//              two loads more in lock, one more in unlock. In slow release mode, which lasts from a
//              wait for a key of the cell until 2,000 releases in a row met no waiter, and on
//              kernels without membarrier: a read-modify-write in the place of the store. Under the
//              mutex: O(1), except for searches among the bucket's waiters, and O(keys) once, for
//              the split.
//
// Invariants
//   I1  a cell's holder is 0, or the word of a node whose thread holds its key, or has just stored
//       the word and checks whether an overflow node holds the key, or the cell is closed.
//   I2  under the mutex: `overflow_nodes_` has exactly the nodes that hold keys in no cell; the
//       pressure of the cell that their keys belong to counts at least these.
//   I3  under the mutex: the pressure of each cell that a waiter's key may be held in counts at
//       least the waiters. A node is among the waiters only while its key is held, or while a
//       wake-up for it is in flight.
//   I4  while a thread waits for the key of a cell's holder, kSlow is set there, and was set before
//       a heavy barrier, after which that holder was read.
//   I5  a thread that holds the mutex, has counted itself as a waiter of a cell, and has then read
//       a node's word there under kSlow without kOnTheWay may read that node: its release will need
//       the mutex.
//   I6  from the moment when the overflow table is visible, the pressure of the first cell counts
//       an overflow node permanently. So the cell is closed: a thread that stores its word there
//       looks under the mutex where its key belongs, and only a handoff makes a key's holder there.
//   I7  while kOnTheWay is set in a cell whose holder's key has waiters, a thread has yet to take
//       that key, or to clear the bit and then to read the holder under the mutex: a woken waiter,
//       or a thread that spins. A thread that reads a node (I5) clears the bit before. It is set
//       only while all waiters of the bucket wait for one key.
//   docs/design/keyed.md has the argument.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>

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
#include "primitives/platform/stop.h"
#include "primitives/platform/thread.h"

namespace lockbench::internal {

// The bucket is split when kSplitThreshold overflow nodes hold keys.
template <class K, class Hash, class Barriers, std::size_t kSplitThreshold>
class alignas(platform::kCacheLine) KeyBucket {
 public:
  // Where a node holds its key. While it holds none: where it looks first, in the overflow table if
  // there is one, or in the first cell.
  enum class Storage : std::uint8_t { kFirstCell, kOverflowTable, kOverflowNode };

  // A claim on a key.
  struct Node : Waiter {
    Node(K k, std::uint64_t hash)
        : tag(static_cast<std::uint16_t>(hash >> kTagAt)), key(std::move(k)) {
      require_address(reinterpret_cast<std::uintptr_t>(this));
    }

    // Throws std::system_error(not_supported) where word() has no room for the address.
    static void require_address(std::uint64_t address) {
      if (address >> kTagAt != 0) [[unlikely]]
        throw_address_too_long();
    }

    // The word that cells and the table of overflow nodes store: 16 bits of the hash above the
    // address.
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

    Storage storage = Storage::kFirstCell;
    const std::uint16_t tag;
    const K key;
  };

  KeyBucket() = default;
  KeyBucket(const KeyBucket&) = delete;
  KeyBucket& operator=(const KeyBucket&) = delete;
  // relaxed: no other thread is left.
  ~KeyBucket() { delete overflow_.load(std::memory_order_relaxed); }

  // Called before anything else: the flag to set when the bucket is split.
  void set_split_flag(platform::Atomic<bool>& any_split) { any_split_ = &any_split; }

  bool acquire(Node& node, platform::Time deadline) {
    const bool has_word = node.storage == Storage::kFirstCell && put(first_, node);
    if (has_word && no_overflow_nodes(first_)) [[likely]]
      return true;
    return acquire_slow(node, has_word, deadline);
  }

#if LOCKBENCH_HAS_STOP_TOKEN
  // As acquire(); false if a stop was requested and the key is held.
  [[gnu::noinline]] bool acquire(Node& node, const platform::StopToken& stop) {
    const bool has_word = node.storage == Storage::kFirstCell && put(first_, node);
    if (has_word && no_overflow_nodes(first_)) [[likely]]
      return true;
    if (take_or_queue(node, has_word, platform::kForever)) return true;
    // Made and destroyed without the mutex, which wake_stopped() takes.
    const auto wake = platform::on_stop(stop, [this, &node] { wake_stopped(node); });
    return wait_for_key(node, platform::kForever, [&stop] { return stop.stop_requested(); });
  }
#endif

  bool try_acquire(Node& node) {
    if (node.storage != Storage::kOverflowNode && take(node)) return true;
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
    // A hint: a thread that has begun to wait since is seen below, or sees the store.
    if (node.storage != Storage::kFirstCell || has_waiters_or_slow(first_)) [[unlikely]] {
      release_slow(node);
      return;
    }
    release_by_store(first_, node);
  }

  // True if the node's own thread, which asks, holds the key by it. Not asked between put() and
  // keep(). O(1).
  bool is_held_by(const Node& node) const {
    if (node.storage == Storage::kOverflowNode) return true;
    // relaxed: a thread sees its own store, or the word that was handed over to it.
    const std::uint64_t word = node.word();
    if (first_.holder.load(std::memory_order_relaxed) == word) return true;
    OverflowTable* const table = overflow_.load(std::memory_order_acquire);
    return table != nullptr && table->of(node.tag).holder.load(std::memory_order_relaxed) == word;
  }

  // Keys that are held now, and bytes allocated in addition to the bucket itself. O(cells).
  std::size_t keys() const {
    std::scoped_lock guard(mutex_);
    std::size_t count = overflow_nodes_.size();
    // relaxed, here and below: the overflow table is made under the mutex; the count may be out of
    // date when it is returned.
    const auto held = [](const Cell& cell) {
      return cell.holder.load(std::memory_order_relaxed) != 0 ? 1U : 0U;
    };
    count += held(first_);
    const OverflowTable* const table = overflow_.load(std::memory_order_relaxed);
    if (table == nullptr) return count;
    for (const Cell& cell : table->cells) count += held(cell);
    return count;
  }

  // The following are for the inspection of a program. Each may set cells to slow release mode.

  // True if a thread holds the key of `probe`, which is no claim. True for a moment while a thread
  // finds out that it cannot have the key.
  bool has_holder_of(const Node& probe) {
    std::scoped_lock guard(mutex_);
    // relaxed: the overflow table is made under the mutex.
    OverflowTable* const table = overflow_.load(std::memory_order_relaxed);
    return overflow_nodes_.has_key_of(probe) || shows_key_of(first_, probe) ||
           (table != nullptr && shows_key_of(table->of(probe.tag), probe));
  }

  // Threads that sleep or are about to sleep until the key of `probe` is released. O(waiters).
  std::size_t waiters_for(const Node& probe) const {
    std::scoped_lock guard(mutex_);
    std::size_t count = 0;
    for (Waiter* w = waiters_.first(); w != nullptr; w = w->next) {
      if (static_cast<Node*>(w)->same_key(probe)) ++count;
    }
    return count;
  }

  // Calls visit(key) for each key that is held, under the mutex. O(cells and keys).
  template <class Visit>
  void for_each_held(const Visit& visit) {
    std::scoped_lock guard(mutex_);
    overflow_nodes_.for_each_word([&visit](std::uint64_t word) { visit(Node::at(word).key); });
    visit_holder(first_, visit);
    // relaxed: the overflow table is made under the mutex.
    OverflowTable* const table = overflow_.load(std::memory_order_relaxed);
    if (table == nullptr) return;
    for (Cell& cell : table->cells) visit_holder(cell, visit);
  }

  std::size_t bytes_beside() const {
    std::scoped_lock guard(mutex_);
    // relaxed: the overflow table is made under the mutex.
    const bool has_table = overflow_.load(std::memory_order_relaxed) != nullptr;
    return overflow_nodes_.table_bytes() + (has_table ? sizeof(OverflowTable) : 0);
  }

 private:
  static constexpr int kTagAt = 48;
  static constexpr std::uint64_t kAddress = (std::uint64_t{1} << kTagAt) - 1;

  // The parts of pressure. kSlow: slow release mode, in which releases are read-modify-writes.
  // kOnTheWay: a thread is on its way to the key of all waiters, releases need not wake one.
  // kWaiters: the number of waiters. kOverflowNodes: the number of overflow nodes.
  static constexpr std::uint64_t kSlow = 1;
  static constexpr std::uint64_t kOnTheWay = 2;
  static constexpr std::uint64_t kWaiter = 4;
  static constexpr std::uint64_t kOverflowNodeUnit = std::uint64_t{1} << 32;
  static constexpr std::uint64_t kWaiters = (kOverflowNodeUnit - 1) & ~(kSlow | kOnTheWay);
  static constexpr std::uint64_t kOverflowNodes = ~(kOverflowNodeUnit - 1);

  static constexpr std::size_t kCells = platform::table_size(256);

  struct Cell {
    platform::Atomic<std::uint64_t> holder{0};
    platform::Atomic<std::uint64_t> pressure{Barriers::available() ? 0 : kSlow};
  };

  struct alignas(platform::kCacheLine) OverflowTable {
    // Chosen by other bits than HolderTable begins with.
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

  // Lock without the mutex.
  bool take(Node& node) {
    Cell* const cell = cell_to_try(node);
    return cell != nullptr && put(*cell, node) && keep(*cell, node);
  }

  // The cell that the key belongs to, or null if the key may be held in the closed cell.
  Cell* cell_to_try(Node& node) {
    if (node.storage == Storage::kFirstCell) return &first_;
    // (7) seq_cst: after the first cell was closed (8).
    OverflowTable* const table = overflow_.load(std::memory_order_seq_cst);
    if (table == nullptr) {
      node.storage = Storage::kFirstCell;
      return &first_;
    }
    // seq_cst: a holder there stored its word before the cell was closed. Its word is seen, or what
    // it did before its release is.
    if (node.may_be(first_.holder.load(std::memory_order_seq_cst))) return nullptr;
    return &table->of(node.tag);
  }

  static bool put(Cell& cell, const Node& node) {
    std::uint64_t expected = 0;
    // (1) seq_cst: acquires from (2), (3) and (4); publishes the node; and is in one order with the
    // load that follows: an overflow node is counted before its thread reads that the key is not
    // here (5), and a thread that looks for the key in the overflow table found this cell closed
    // before (7). relaxed on failure: nothing that was published is read.
    return cell.holder.compare_exchange_strong(expected, node.word(), std::memory_order_seq_cst,
                                               std::memory_order_relaxed);
  }

  static bool no_overflow_nodes(const Cell& cell) {
    return (cell.pressure.load(std::memory_order_seq_cst) & kOverflowNodes) == 0;
  }

  // After put(). Leaves the cell again if it is closed, or if an overflow node holds the key.
  bool keep(Cell& cell, Node& node) {
    return no_overflow_nodes(cell) || keep_if_free(cell, node);
  }

  [[gnu::noinline, gnu::cold]] bool keep_if_free(Cell& cell, Node& node) {
    std::scoped_lock guard(mutex_);
    if (&cell != &home_of(node)) return move_home(cell, node);
    if (!overflow_nodes_.has_key_of(node)) return true;
    // Waiters for the key wait for the overflow node that holds it: no thread needs a wake-up.
    leave(cell);
    return false;
  }

  // Under the mutex: takes the key where it belongs, and not in the closed cell, unless another
  // thread holds it. Threads that found the key held in the closed cell are counted where it
  // belongs, too, and so they wait for its next holder. May throw std::bad_alloc.
  bool move_home(Cell& closed, Node& node) {
    node.storage = Storage::kOverflowTable;
    Rollback left([&closed] { leave(closed); });  // in each case
    const bool taken = take_or_count(node);
    if (!taken) stop_counting(node);
    return taken;
  }

  static void leave(Cell& cell) {
    cell.holder.store(0, std::memory_order_release);  // (2) release: publishes what (1) acquired
  }

  // Under the mutex: the cell that the key belongs to.
  Cell& home_of(const Node& node) {
    // relaxed: the overflow table is made under the mutex.
    OverflowTable* const table = overflow_.load(std::memory_order_relaxed);
    return table == nullptr ? first_ : table->of(node.tag);
  }

  Storage storage_of(const Cell& cell) const {
    return &cell == &first_ ? Storage::kFirstCell : Storage::kOverflowTable;
  }

  // Under the mutex: takes the key for `node`, or counts it as a waiter and returns false. May
  // throw std::bad_alloc.
  bool take_or_count(Node& node) {
    if (overflow_nodes_.has_key_of(node)) {
      start_counting(node);
      return false;
    }
    Cell& home = home_of(node);
    if (&home != &first_ && look(first_, node) == Sight::kSameKey) return false;
    Sight sight = look_and_put(home, node);
    if (sight == Sight::kAnotherKey) {
      // (5) seq_cst: see (1).
      home.pressure.fetch_add(kOverflowNodeUnit, std::memory_order_seq_cst);
      sight = look_and_put(home, node);
      if (sight == Sight::kAnotherKey) {
        add_overflow_node(home, node);
        return true;
      }
      // relaxed: a count that is too high only leads others to the mutex.
      home.pressure.fetch_sub(kOverflowNodeUnit, std::memory_order_relaxed);
    }
    if (sight == Sight::kFree) node.storage = storage_of(home);
    return sight == Sight::kFree;
  }

  // Under the mutex: as look(); a free cell is taken.
  Sight look_and_put(Cell& cell, const Node& node) {
    for (;;) {
      const Sight sight = look(cell, node);
      if (sight != Sight::kFree || put(cell, node)) return sight;
    }
  }

  // Under the mutex: whose word is in the cell. If it is the key's, the node is counted as a
  // waiter. The node's own word, in a cell that it is about to leave, counts as none.
  Sight look(Cell& cell, const Node& node) {
    // acquire, here and below: what the last holder of the key did.
    const std::uint64_t word = cell.holder.load(std::memory_order_seq_cst);
    if (word == 0 || word == node.word()) return Sight::kFree;
    if (!node.may_be(word)) return Sight::kAnotherKey;
    start_counting(node);
    const Sight sight = compare(cell, node);
    if (sight != Sight::kSameKey) stop_counting(node);
    return sight;
  }

  // Under the mutex, counted as a waiter: from here on, releases of the cell are read-modify-writes
  // and take the mutex.
  static void switch_to_slow(Cell& cell) {
    // relaxed, here and below: changes under the mutex.
    const std::uint64_t before = cell.pressure.load(std::memory_order_relaxed);
    // (9) seq_cst: before the load of the holder; see (4).
    if ((before & kOnTheWay) != 0) cell.pressure.fetch_and(~kOnTheWay, std::memory_order_seq_cst);
    if ((before & kSlow) != 0) return;
    cell.pressure.fetch_or(kSlow, std::memory_order_seq_cst);
    Barriers::heavy();
  }

  // Under the mutex: whether the cell's holder has the key of `probe`.
  bool shows_key_of(Cell& cell, const Node& probe) {
    // seq_cst: as in look().
    if (!probe.may_be(cell.holder.load(std::memory_order_seq_cst))) return false;
    start_counting(probe);
    const bool shown = compare(cell, probe) == Sight::kSameKey;
    stop_counting(probe);
    return shown;
  }

  // Under the mutex.
  template <class Visit>
  static void visit_holder(Cell& cell, const Visit& visit) {
    // relaxed: a hint; a holder that comes now is not shown.
    if (cell.holder.load(std::memory_order_relaxed) == 0) return;
    // (5) seq_cst: counted as a waiter of this cell, so that the node may be read (I5).
    cell.pressure.fetch_add(kWaiter, std::memory_order_seq_cst);
    // (6) release, even if visit() throws.
    Rollback counted([&cell] { cell.pressure.fetch_sub(kWaiter, std::memory_order_release); });
    switch_to_slow(cell);
    const std::uint64_t word = cell.holder.load(std::memory_order_seq_cst);
    if (word != 0) visit(Node::at(word).key);
  }

  // Under the mutex, counted as a waiter.
  Sight compare(Cell& cell, const Node& node) {
    switch_to_slow(cell);
    // One load decides.
    const std::uint64_t word = cell.holder.load(std::memory_order_seq_cst);
    if (word == 0) return Sight::kFree;
    return node.may_be(word) && Node::at(word).same_key(node) ? Sight::kSameKey  // I5
                                                              : Sight::kAnotherKey;
  }

  // Under the mutex, counted as an overflow node. May throw std::bad_alloc.
  void add_overflow_node(Cell& home, Node& node) {
    Rollback counted([this, &home, &node] {
      // relaxed: a count that is too high only leads others to the mutex.
      home.pressure.fetch_sub(kOverflowNodeUnit, std::memory_order_relaxed);
      // If this thread was woken, the wake-up goes to the next waiter.
      PendingWake wake;
      wake_first_waiter_of(node, wake);
      wake.deliver();
    });
    overflow_nodes_.reserve();
    counted.complete();
    overflow_nodes_.add(node);
    node.storage = Storage::kOverflowNode;
    // relaxed: the overflow table is made under the mutex.
    if (overflow_nodes_.size() >= kSplitThreshold &&
        overflow_.load(std::memory_order_relaxed) == nullptr)
      split();
  }

  // Under the mutex. Present holders stay where they are.
  [[gnu::noinline, gnu::cold]] void split() {
    OverflowTable* const table = new (std::nothrow) OverflowTable;
    if (table == nullptr) return;
    // relaxed, here and below: no other thread sees the table yet.
    const auto count = [table](std::uint16_t tag, std::uint64_t unit) {
      table->of(tag).pressure.fetch_add(unit, std::memory_order_relaxed);
    };
    overflow_nodes_.for_each_word(
        [&count](std::uint64_t word) { count(Node::tag_of(word), kOverflowNodeUnit); });
    for (Waiter* w = waiters_.first(); w != nullptr; w = w->next) {
      count(static_cast<Node*>(w)->tag, kWaiter);
    }
    // (8) seq_cst: after the counts that keep the first cell closed (I6), and before (7): see (1).
    overflow_.store(table, std::memory_order_seq_cst);
    // relaxed: a hint.
    any_split_->store(true, std::memory_order_relaxed);
  }

  // `has_word`: put() into the first cell was done, and overflow nodes are counted there.
  [[gnu::noinline]] bool acquire_slow(Node& node, bool has_word, platform::Time deadline) {
    return take_or_queue(node, has_word, deadline) ||
           wait_for_key(node, deadline, [deadline] { return platform::now() >= deadline; });
  }

  // False: the node is among the waiters.
  bool take_or_queue(Node& node, bool has_word, platform::Time deadline) {
    if (has_word ? keep(first_, node) : node.storage == Storage::kOverflowTable && take(node))
      return true;
    if (!has_word && is_held_by(node)) [[unlikely]]
      throw_held_already();
    platform::Time since{};
    if (spin(node, deadline, since)) return true;
    std::scoped_lock guard(mutex_);
    if (take_or_count(node)) return true;
    note_key(node);
    waiters_.push_back(node, since);
    return false;
  }

  // Returns whether the key was released soon. Does not wait for the release of another key. A
  // thread that comes too late for a release spins on: with the mutex, all threads of the key would
  // be slower. `since`: see AdaptiveSpin. `late`: the thread was woken before; then it also sleeps.
  bool spin(Node& node, platform::Time deadline, platform::Time& since, bool late = false) {
    Cell* const cell = cell_to_try(node);
    if (cell == nullptr) return false;
    bool is_in = false;
    bool on_the_way = false;
    const auto look = [&] {
      // relaxed: a hint when to try.
      const std::uint64_t seen = cell->holder.load(std::memory_order_relaxed);
      if (seen == 0) return is_in = put(*cell, node);
      if (!node.may_be(seen)) return true;
      // relaxed: a hint; the mutex decides.
      if (!on_the_way && has_sleeper_to_wake(cell->pressure.load(std::memory_order_relaxed)) &&
          (late || !Handovers::of_process().wake_due(this, platform::now()))) {
        on_the_way = set_on_the_way_if_alone(*cell, node);
      }
      return false;
    };
    AdaptiveSpin& spin_state = AdaptiveSpin::of_thread();
    const bool ended =
        spin_state.should_spin() && spin_state.note(spin_state.spin_until(look, deadline, since));
    if (late && !ended) Handovers::of_process().sleep_until_due(this, node.since, deadline, look);
    // Without the mutex. relaxed: the next release is this thread's, or it reads the holder under
    // the mutex.
    if (on_the_way) cell->pressure.fetch_and(~kOnTheWay, std::memory_order_relaxed);
    return is_in && keep(*cell, node);
  }

  static bool has_sleeper_to_wake(std::uint64_t pressure) {
    return (pressure & kWaiters) != 0 && (pressure & kOnTheWay) == 0;
  }

  // Under the mutex: releases of the cell need not wake waiters (I7).
  void set_on_the_way(Cell& cell) {
    // (9) release: a release that reads it does not take the mutex, and its node may be destroyed
    // after it. What waiters read of that node (I5) was read before.
    if (!mixed_) cell.pressure.fetch_or(kOnTheWay, std::memory_order_release);
  }

  // By a thread that spins, if all waiters wait for its key.
  bool set_on_the_way_if_alone(Cell& cell, const Node& node) {
    if (!mutex_.try_lock()) return false;
    std::scoped_lock guard(std::adopt_lock, mutex_);
    if (mixed_ || waiters_.empty() || !first_waiter().same_key(node)) return false;
    set_on_the_way(cell);
    return true;
  }

  // Under the mutex, before `node` enters the queue.
  void note_key(const Node& node) {
    if (!waiters_.empty() && !first_waiter().same_key(node)) mixed_ = true;
  }

  Node& first_waiter() const {
    return static_cast<Node&>(*waiters_.first());
  }

  // `gives_up()`: whether the thread waits no longer. What makes it true wakes the thread, too.
  template <class GivesUp>
  [[gnu::noinline, gnu::cold]] bool wait_for_key(Node& node, platform::Time deadline,
                                                 const GivesUp& gives_up) {
    for (Spun spun = Spun::kYes;;) {
      if (await_signal(node, deadline, spun)) return note_taken(node);
      std::unique_lock guard(mutex_);
      // relaxed: signals are sent under the mutex, which this thread holds.
      if (node.signal.load(std::memory_order_relaxed) == Waiter::kGranted) return note_taken(node);
      stop_waiting(node);
      bool taken = take_or_count(node);
      if (!taken && !gives_up()) {
        stop_counting(node);
        guard.unlock();
        platform::Time again{};
        if (spin(node, deadline, again, true)) return true;
        guard.lock();
        taken = take_or_count(node);
      }
      if (taken) return true;
      // The key is held, and its holder's release will look for waiters: no wake-up is lost.
      if (gives_up()) {
        stop_counting(node);
        return false;
      }
      if (platform::now() - node.since > WaitQueue::kPatienceAwake) {
        Handovers::of_process().note_late(this);
        spun = Spun::kYesAndDue;
      }
      note_key(node);
      waiters_.push_front(node);
    }
  }

  bool note_taken(const Node& node) {
    Handovers::of_process().taken(this, node.since, platform::now());
    return true;
  }

  // In the thread that requested the stop: the waiter looks again. It may have left the queue, or
  // hold the key; then the signal has no effect.
  [[gnu::noinline, gnu::cold]] void wake_stopped(Node& node) {
    PendingWake wake;
    {
      std::scoped_lock guard(mutex_);
      // relaxed: signals are sent under the mutex, which this thread holds.
      if (node.signal.load(std::memory_order_relaxed) != Waiter::kGranted) {
        wake.signal(node, Waiter::kWoken);
      }
    }
    wake.deliver();
  }

  // Under the mutex.
  void stop_waiting(Node& waiter) {
    waiters_.remove(waiter);
    if (waiters_.empty()) mixed_ = false;
    clear_on_the_way(waiter);
    stop_counting(waiter);
  }

  // Under the mutex: releases of the cells that may have the waiter's key wake the first waiter.
  void clear_on_the_way(const Node& waiter) {
    // (9) seq_cst: before the load of the holder; see (4).
    Cell& home = home_of(waiter);
    home.pressure.fetch_and(~kOnTheWay, std::memory_order_seq_cst);
    if (&home != &first_) first_.pressure.fetch_and(~kOnTheWay, std::memory_order_seq_cst);
  }

  // Under the mutex: the node of a word that is read after this may be read (I5).
  void start_counting(const Node& node) {
    // Whoever is on its way to the other waiters' key does not take this node's.
    if (!waiters_.empty() && !mixed_ && !first_waiter().same_key(node)) {
      clear_on_the_way(first_waiter());
    }
    Cell& home = home_of(node);
    // (5) seq_cst: a release under kSlow either sees the count or is seen.
    home.pressure.fetch_add(kWaiter, std::memory_order_seq_cst);
    if (&home != &first_) first_.pressure.fetch_add(kWaiter, std::memory_order_seq_cst);
  }

  // Under the mutex, counted as a waiter: after this, only nodes that need the mutex for their
  // release may be read.
  void stop_counting(const Node& node) {
    // (6) release: a release of the key that reads no waiters does not take the mutex, and its node
    // may be destroyed after it. What was read of that node (I5) was read before.
    Cell& home = home_of(node);
    home.pressure.fetch_sub(kWaiter, std::memory_order_release);
    if (&home != &first_) first_.pressure.fetch_sub(kWaiter, std::memory_order_release);
  }

  static bool has_waiters_or_slow(const Cell& cell) {
    // acquire: from (6). The barriers order it with the store.
    return (cell.pressure.load(std::memory_order_acquire) & (kWaiters | kSlow)) != 0;
  }

  // In fast release mode, where no waiters were counted.
  void release_by_store(Cell& cell, const Node& node) {
    // (3) release: publishes the critical section to (1) and (5).
    cell.holder.store(0, std::memory_order_release);
    Barriers::light();
    if (has_waiters_or_slow(cell)) [[unlikely]]
      wake_waiter(node);
  }

  [[gnu::noinline]] void release_slow(Node& node) {
    if (node.storage == Storage::kOverflowNode) {
      pass_on(node);
      return;
    }
    // relaxed: a node in the overflow table has read it.
    Cell& cell = node.storage == Storage::kFirstCell
                     ? first_
                     : overflow_.load(std::memory_order_relaxed)->of(node.tag);
    if (!has_waiters_or_slow(cell)) {
      release_by_store(cell, node);
      return;
    }
    // relaxed: a hint; both ways out look again, (4) with an acquire of (6).
    const std::uint64_t before = cell.pressure.load(std::memory_order_relaxed);
    if (has_sleeper_to_wake(before) || ((before & kOnTheWay) != 0 && is_overdue())) {
      pass_on(node);
      return;
    }
    // (4) seq_cst: as (3), and in one order with the load: see (5).
    cell.holder.exchange(0, std::memory_order_seq_cst);
    const std::uint64_t pressure = cell.pressure.load(std::memory_order_seq_cst);
    const bool quiet = (pressure & kWaiters) == 0;
    if (has_sleeper_to_wake(pressure)) wake_waiter(node);
    if (platform::of_this_thread<UncontendedReleases>().note(quiet)) switch_to_fast(cell);
  }

  // True if the thread on its way to the key should have come by now. Asked now and then.
  bool is_overdue() {
    return platform::of_this_thread<UncontendedReleases>().now_and_then() &&
           Handovers::of_process().wake_due(this, platform::now());
  }

  // After a release of a cell's word: wakes the first waiter for the key.
  [[gnu::noinline, gnu::cold]] void wake_waiter(const Node& node) {
    PendingWake wake;
    {
      std::scoped_lock guard(mutex_);
      wake_first_waiter_of(node, wake);
    }
    wake.deliver();
  }

  void wake_first_waiter_of(const Node& node, PendingWake& wake) {
    Node* const waiter = first_waiter_for(node);
    if (waiter != nullptr) wake_up(*waiter, platform::now(), wake);
  }

  // Under the mutex. Does nothing if another thread is on its way to the key (I7).
  void wake_up(Node& waiter, platform::Time now, PendingWake& wake) {
    Cell& home = home_of(waiter);
    // relaxed, here and below: a thread that clears the bit looks at the key afterwards. While
    // there are waiters for several keys, the bit says nothing about this one.
    const bool on_the_way =
        !mixed_ && (home.pressure.load(std::memory_order_relaxed) & kOnTheWay) != 0;
    if (on_the_way && waiter.signal.load(std::memory_order_relaxed) != Waiter::kWoken) return;
    Handovers::of_process().note_wake(this, waiter, now);
    wake.signal(waiter, Waiter::kWoken);
    set_on_the_way(home);
  }

  // The waiter for the same key that came first, or null. O(waiters in the bucket).
  Node* first_waiter_for(const Node& node) const {
    for (Waiter* w = waiters_.first(); w != nullptr; w = w->next) {
      if (static_cast<Node*>(w)->same_key(node)) return static_cast<Node*>(w);
    }
    return nullptr;
  }

  // Releases the key and wakes its first waiter, or hands the key over to it.
  [[gnu::noinline, gnu::cold]] void pass_on(Node& node) {
    PendingWake wake;
    {
      std::scoped_lock guard(mutex_);
      Node* const waiter = first_waiter_for(node);
      const platform::Time now = platform::now();
      const bool hand_over = waiter != nullptr && Handovers::of_process().due(this, *waiter, now);
      if (hand_over) stop_waiting(*waiter);
      give_up(node, hand_over ? waiter : nullptr);
      if (waiter != nullptr) {
        if (hand_over) {
          wake.signal(*waiter, Waiter::kGranted);
        } else {
          wake_up(*waiter, now, wake);
        }
      }
    }
    wake.deliver();
  }

  // Under the mutex: puts `successor`, or nothing if it is null, into the place of `node`.
  void give_up(Node& node, Node* successor) {
    if (successor != nullptr) successor->storage = node.storage;
    Cell& home = home_of(node);
    if (node.storage != Storage::kOverflowNode) {
      Cell& cell = node.storage == Storage::kFirstCell ? first_ : home;
      // release: as (3); publishes the successor to (5).
      cell.holder.store(successor != nullptr ? successor->word() : 0, std::memory_order_release);
      return;
    }
    node.storage = storage_of(home);
    if (successor != nullptr) {
      overflow_nodes_.replace(node, *successor);
    } else {
      overflow_nodes_.remove(node);
      // release: a thread that reads no overflow nodes after (1) acquires it.
      home.pressure.fetch_sub(kOverflowNodeUnit, std::memory_order_release);
    }
  }

  // Back to fast release mode, unless a thread waits.
  [[gnu::noinline, gnu::cold]] void switch_to_fast(Cell& cell) {
    std::scoped_lock guard(mutex_);
    // relaxed: counts change under the mutex.
    const bool waited_for = (cell.pressure.load(std::memory_order_relaxed) & kWaiters) != 0;
    if (waited_for || !Barriers::available()) return;
    cell.pressure.fetch_and(~kSlow, std::memory_order_relaxed);
  }

  Cell first_;
  mutable FutexMutex mutex_;  // over all that follows, and each change of a pressure but one
  bool mixed_ = false;        // whether the waiters wait for several keys
  WaitQueue waiters_;
  HolderTable<Node> overflow_nodes_;
  platform::Atomic<OverflowTable*> overflow_{nullptr};
  platform::Atomic<bool>* any_split_ = nullptr;
};

}  // namespace lockbench::internal
