// SPDX-License-Identifier: Apache-2.0

// Concurrency Kit's ticket, MCS and CLH locks before lockbench's workloads.
//
//   lockbench run --plugin ./ck_locks.so --primitive global:lock=ck_mcs --primitive global
//   lockbench stress --plugin ./ck_locks.so
#include <ck_spinlock.h>
#include <lockbench/plugin.h>
#include <memory>
#include <vector>

namespace {

class Ticket {
 public:
  void lock() { ck_spinlock_ticket_lock(&lock_); }
  bool try_lock() { return ck_spinlock_ticket_trylock(&lock_); }
  void unlock() { ck_spinlock_ticket_unlock(&lock_); }

 private:
  ck_spinlock_ticket_t lock_ = CK_SPINLOCK_TICKET_INITIALIZER;
};

// Each waiter spins on its own node, which lies in the handle.
class Mcs {
 public:
  using Node = struct ck_spinlock_mcs;

  void lock(Node& node) { ck_spinlock_mcs_lock(&queue_, &node); }
  bool try_lock(Node& node) { return ck_spinlock_mcs_trylock(&queue_, &node); }
  void unlock(Node& node) { ck_spinlock_mcs_unlock(&queue_, &node); }

 private:
  ck_spinlock_mcs_t queue_ = CK_SPINLOCK_MCS_INITIALIZER;
};

// Each waiter spins on the node of the one before it, and leaves with that one: so nodes wander
// between threads, and are kept by the thread that has one over.
class Clh {
 public:
  struct Node {
    ck_spinlock_clh_t* own = nullptr;
  };

  Clh() { ck_spinlock_clh_init(&queue_, new ck_spinlock_clh_t); }
  ~Clh() { delete queue_; }
  Clh(const Clh&) = delete;
  Clh& operator=(const Clh&) = delete;

  void lock(Node& node) {
    node.own = spare().take();
    ck_spinlock_clh_lock(&queue_, node.own);
  }

  // Concurrency Kit has none for this lock. Who finds it free queues, and may have to wait for
  // whoever came in between.
  bool try_lock(Node& node) {
    if (ck_spinlock_clh_locked(&queue_)) return false;
    lock(node);
    return true;
  }

  void unlock(Node& node) {
    ck_spinlock_clh_unlock(&node.own);
    spare().give(node.own);
  }

 private:
  class Spare {
   public:
    ck_spinlock_clh_t* take() {
      if (nodes_.empty()) return new ck_spinlock_clh_t;
      ck_spinlock_clh_t* const node = nodes_.back().release();
      nodes_.pop_back();
      return node;
    }
    void give(ck_spinlock_clh_t* node) { nodes_.emplace_back(node); }

   private:
    std::vector<std::unique_ptr<ck_spinlock_clh_t>> nodes_;
  };

  static Spare& spare() {
    static thread_local Spare spare;
    return spare;
  }

  ck_spinlock_clh_t* queue_ = nullptr;
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add<Ticket>("ck_ticket", "first come, first served", "Concurrency Kit");
  locks.add<Mcs>("ck_mcs", "a queue; each waiter spins on its own node", "Concurrency Kit");
  locks.add<Clh>("ck_clh", "a queue; each waiter spins on the node before", "Concurrency Kit");
}
