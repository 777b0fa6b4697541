// SPDX-License-Identifier: Apache-2.0

// A program whose locks are not of the pthread library, and are observed by <lockbench/observed.h>:
// each of 2 threads acquires a mutex and two of 10 keys `number` times.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "primitives/adaptive_mutex.h"
#include "primitives/keyed_mutex.h"
#include "primitives/observed.h"

namespace {

lockbench::Observed<lockbench::AdaptiveMutex> mutex;
lockbench::ObservedKeys<lockbench::KeyedMutex<>> keys;
long counts[11] = {};

[[gnu::noinline]] void use_mutex() {
  const std::scoped_lock guard(mutex);
  ++counts[10];
}

[[gnu::noinline]] void use_key(std::uint64_t key) {
  const auto guard = keys.lock(key);
  ++counts[key];
}

void work(long number) {
  for (long i = 0; i < number; ++i) {
    use_mutex();
    use_key(static_cast<std::uint64_t>(i % 10));
    use_key(0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const long number = argc > 1 ? std::atol(argv[1]) : 1000;
  std::thread other(work, number);
  work(number);
  other.join();
  long sum = 0;
  for (const long count : counts) sum += count;
  std::printf("%ld\n", sum);
}
