// SPDX-License-Identifier: Apache-2.0

// Data that clang checks to be used under its mutex only:
//   clang++ -std=c++20 -Wthread-safety -fsyntax-only guarded.cc
#include <cstdint>
#include <iostream>
#include <lockbench/adaptive_mutex.h>
#include <lockbench/thread_safety.h>

class Account {
 public:
  void deposit(std::int64_t amount) {
    lockbench::MutexGuard guard(mutex_);
    add(amount);
  }

  bool try_deposit(std::int64_t amount) {
    if (!mutex_.try_lock()) return false;
    add(amount);
    mutex_.unlock();
    return true;
  }

  std::int64_t balance() {
    lockbench::MutexGuard guard(mutex_);
    return balance_;
  }

 private:
  void add(std::int64_t amount) LOCKBENCH_REQUIRES(mutex_) { balance_ += amount; }

  lockbench::AdaptiveMutex mutex_;
  std::int64_t balance_ LOCKBENCH_GUARDED_BY(mutex_) = 0;
};

int main() {
  Account account;
  account.deposit(2);
  while (!account.try_deposit(1)) {
  }
  std::cout << "the balance is " << account.balance() << '\n';
}
