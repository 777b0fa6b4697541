// SPDX-License-Identifier: Apache-2.0

// A lock that prefers threads of the same NUMA node (D. Dice, V. Marathe, N. Shavit, "Lock
// Cohorting", 2012), and a broken one that takes a thread to be where it was.
#include <array>
#include <atomic>
#include <lockbench/plugin.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" int numa_node_of_cpu(int processor);  // of libnuma, to which no test is linked

namespace {

int node_by_getcpu() {
  unsigned processor = 0;
  unsigned node = 0;
  return getcpu(&processor, &node) == 0 ? static_cast<int>(node % 2) : 0;
}
int node_by_call() {
  unsigned node = 0;
  return syscall(SYS_getcpu, nullptr, &node, nullptr) == 0 ? static_cast<int>(node % 2) : 0;
}
#if defined(LOCKBENCH_SIMULATE)
int node_by_library() {
  return numa_node_of_cpu(sched_getcpu()) % 2;
}
#else
int node_by_library() {
  return sched_getcpu() % 2;
}
#endif

class Word {
 public:
  void lock() {
    ++waiting_;
    while (held_.exchange(true, std::memory_order_acquire)) sched_yield();
    --waiting_;
  }
  bool try_lock() { return !held_.exchange(true, std::memory_order_acquire); }
  void unlock() { held_.store(false, std::memory_order_release); }
  bool is_wanted() const { return waiting_.load(std::memory_order_relaxed) != 0; }

 private:
  std::atomic<bool> held_{false};
  std::atomic<int> waiting_{0};
};

// Who holds the word of its node may be left the global one by the holder before it.
template <int node_of_this_thread(), bool kAsksAgain>
class Cohort {
 public:
  void lock() {
    const int node = node_of_this_thread();
    locals_[node].lock();
    if (!std::exchange(left_[node], false)) global_.lock();
    node_ = node;
  }
  bool try_lock() {
    const int node = node_of_this_thread();
    if (!locals_[node].try_lock()) return false;
    if (!std::exchange(left_[node], false) && !global_.try_lock()) {
      locals_[node].unlock();
      return false;
    }
    node_ = node;
    return true;
  }
  void unlock() {
    const int node = kAsksAgain ? node_of_this_thread() : node_;
    left_[node] = locals_[node].is_wanted() && ++in_a_row_ < kMostInARow;
    if (!left_[node]) {
      in_a_row_ = 0;
      global_.unlock();
    }
    locals_[node].unlock();
  }

 private:
  static constexpr int kMostInARow = 3;

  std::array<Word, 2> locals_;
  std::array<bool, 2> left_{};  // of the holder of the local word
  Word global_;
  int node_ = 0;
  int in_a_row_ = 0;
};

}  // namespace

LOCKBENCH_PLUGIN(locks) {
  locks.add_alone<Cohort<node_by_getcpu, false>>("cohort", "keeps the node in mind");
  locks.add_alone<Cohort<node_by_call, false>>("cohort_by_call", "by a system call");
  locks.add_alone<Cohort<node_by_library, false>>("cohort_by_library", "as libnuma says");
  locks.add_alone<Cohort<node_by_getcpu, true>>(
      "cohort_asks_again", "releases what belongs to the node where it is now");
}
