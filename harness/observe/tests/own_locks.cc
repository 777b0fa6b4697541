// SPDX-License-Identifier: Apache-2.0

// A program whose locks are not of the pthread library, and are observed by <lockbench/observed.h>:
// each of 2 threads acquires a mutex and two of 10 keys `number` times. With a word, one of them
// sleeps in a member of such a lock: see main().
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>

#include "harness/observe/primitives/observed.h"
#include "primitives/adaptive_mutex.h"
#include "primitives/keyed_mutex.h"

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

// True if a thread of this process sleeps.
bool sleeps(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return text.find(") S ") != std::string::npos;
}

// Each of its members waits for `part`, and lock() waits for `free`, too.
template <class Part, class Condition>
struct MadeOfOthers {
  void lock() {
    std::unique_lock guard(part);
    free.wait(guard, [this] { return !held; });
    held = true;
  }
  bool try_lock() {
    const std::scoped_lock guard(part);
    return !std::exchange(held, true);
  }
  void unlock() {
    const std::scoped_lock guard(part);
    held = false;
    free.notify_one();
  }

  Part part;
  Condition free;
  bool held = false;
};

lockbench::Observed<MadeOfOthers<std::mutex, std::condition_variable>> of_the_library;
lockbench::Observed<MadeOfOthers<lockbench::AdaptiveMutex, std::condition_variable_any>> of_futexes;

// A thread calls `member` while `blocker` is held, which is released 20 ms after it slept. Prints
// for how many seconds it slept at least.
template <class Lockable, class Member>
void sleep_in(Lockable& blocker, Member member) {
  using Clock = std::chrono::steady_clock;
  std::atomic<pid_t> waiter{0};
  blocker.lock();
  std::thread other([&] {
    waiter.store(gettid());
    member();
  });
  while (waiter.load() == 0 || !sleeps(waiter.load())) std::this_thread::yield();
  const Clock::time_point asleep = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::printf("%.6f\n", std::chrono::duration<double>(Clock::now() - asleep).count());
  blocker.unlock();
  other.join();
}

template <class Lockable>
void use(Lockable& lock) {
  const std::scoped_lock guard(lock);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  if (word == "asleep") {
    sleep_in(mutex, use_mutex);
    return 0;
  }
  if (word == "asleep_for_a_condition") {
    sleep_in(of_the_library, [] { use(of_the_library); });
    return 0;
  }
  if (word == "asleep_in_try_lock") {
    sleep_in(of_futexes.inner().part, [] {
      if (of_futexes.try_lock()) of_futexes.unlock();
    });
    return 0;
  }
  if (word == "asleep_in_unlock") {
    of_futexes.lock();
    sleep_in(of_futexes.inner().part, [] { of_futexes.unlock(); });
    return 0;
  }
  const long number = argc > 1 ? std::atol(argv[1]) : 1000;
  std::thread other(work, number);
  work(number);
  other.join();
  long sum = 0;
  for (const long count : counts) sum += count;
  std::printf("%ld\n", sum);
}
