// SPDX-License-Identifier: Apache-2.0

// Concurrency Kit's ticket, MCS and CLH locks before lockbench's workloads.
//
//   lockbench run --plugin ./ck_locks.so --primitive global:lock=ck_mcs --primitive global
//   lockbench stress --plugin ./ck_locks.so
//   lockbench predict --plugin ./ck_locks.so --primitive global:lock=ck_mcs --machine graviton3
#if defined(CK_USE_CC_BUILTINS) && defined(__x86_64__)
// Its builtins do nothing where its assembly pauses, and a machine's model charges for pauses.
#define ck_pr_stall ck_pr_no_stall
#include <ck_pr.h>
#undef ck_pr_stall
static inline void ck_pr_stall() {
  __builtin_ia32_pause();
}
#endif
#include <ck_spinlock.h>
#include <lockbench/plugin.h>
#include <memory>
#include <mutex>
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

// Nodes without a place of their own. A thread keeps some at hand; what it has when it ends goes to
// the others. None is freed before all locks and threads are gone: who asks whether a lock is held
// reads a node that may be somebody else's by then.
class SpareNodes {
 public:
  using Node = ck_spinlock_clh_t;

  static Node* take() {
    std::vector<Node*>& mine = at_hand().nodes;
    if (mine.empty()) return make();
    Node* const node = mine.back();
    mine.pop_back();
    return node;
  }
  static void give(Node* node) { at_hand().nodes.push_back(node); }

 private:
  struct AtHand {
    std::vector<Node*> nodes;
    ~AtHand() {
      std::scoped_lock guard(all().mutex);
      all().left.insert(all().left.end(), nodes.begin(), nodes.end());
    }
  };
  struct All {
    std::mutex mutex;
    std::vector<std::unique_ptr<Node>> made;
    std::vector<Node*> left;  // by threads that ended
  };

  static AtHand& at_hand() {
    all();  // made before, so that it is there when the thread ends
    static thread_local AtHand at_hand;
    return at_hand;
  }
  static All& all() {
    static All all;
    return all;
  }
  static Node* make() {
    std::scoped_lock guard(all().mutex);
    if (all().left.empty()) return all().made.emplace_back(std::make_unique<Node>()).get();
    Node* const node = all().left.back();
    all().left.pop_back();
    return node;
  }
};

// Each waiter spins on the node of the one before it, and leaves with that one: so nodes wander
// between threads and locks.
class Clh {
 public:
  struct Node {
    ck_spinlock_clh_t* own = nullptr;
  };

  Clh() { ck_spinlock_clh_init(&queue_, SpareNodes::take()); }
  ~Clh() { SpareNodes::give(queue_); }
  Clh(const Clh&) = delete;
  Clh& operator=(const Clh&) = delete;

  void lock(Node& node) {
    node.own = SpareNodes::take();
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
    SpareNodes::give(node.own);
  }

 private:
  ck_spinlock_clh_t* queue_ = nullptr;
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add<Ticket>("ck_ticket", "first come, first served", "Concurrency Kit");
  locks.add<Mcs>("ck_mcs", "a queue; each waiter spins on its own node", "Concurrency Kit");
  locks.add<Clh>("ck_clh", "a queue; each waiter spins on the node before", "Concurrency Kit");
}
