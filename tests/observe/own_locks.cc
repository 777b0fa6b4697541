// SPDX-License-Identifier: Apache-2.0

// A program whose locks are not of the pthread library, and are observed by <lockbench/observed.h>:
// each of 2 threads acquires a mutex and two of 10 keys `number` times. With `asleep`, one of them
// sleeps in lock().
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>

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

// Whether a thread of this process sleeps.
bool sleeps(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return text.find(") S ") != std::string::npos;
}

// One thread sleeps in lock() while the other one holds the mutex. Prints for how many seconds it
// slept at least.
int one_sleeps() {
  using Clock = std::chrono::steady_clock;
  std::atomic<pid_t> waiter{0};
  mutex.lock();
  std::thread other([&] {
    waiter.store(gettid());
    use_mutex();
  });
  while (waiter.load() == 0 || !sleeps(waiter.load())) std::this_thread::yield();
  const Clock::time_point asleep = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::printf("%.6f\n", std::chrono::duration<double>(Clock::now() - asleep).count());
  mutex.unlock();
  other.join();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "asleep") return one_sleeps();
  const long number = argc > 1 ? std::atol(argv[1]) : 1000;
  std::thread other(work, number);
  work(number);
  other.join();
  long sum = 0;
  for (const long count : counts) sum += count;
  std::printf("%ld\n", sum);
}
