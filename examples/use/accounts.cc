// SPDX-License-Identifier: Apache-2.0

// Two threads pay into one account, whose key is its owner's name.
#include <cstdio>
#include <lockbench/keyed_mutex.h>
#include <string_view>
#include <thread>

namespace {

lockbench::KeyedMutex<std::string_view> accounts;
long balance = 0;  // of ada

void pay_in(std::string_view owner, long amount) {
  for (int i = 0; i < 1000; ++i) {
    auto account = accounts.lock(owner);
    balance += amount;
  }
}

}  // namespace

int main() {
  std::thread other([] { pay_in("ada", 2); });
  pay_in("ada", 1);
  other.join();
  std::printf("ada has %ld\n", balance);
  return balance == 3000 ? 0 : 1;
}
