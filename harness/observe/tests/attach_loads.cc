// SPDX-License-Identifier: Apache-2.0

// Programs that run until they are killed, for observers that come later. `attach_loads KIND`
// prints a line when its threads run:
//   mutex      four threads hold one std::mutex for a millisecond each
//   condition  three threads wait for a condition that comes every two milliseconds
//   herd       each condition wakes four threads that hold its mutex for a millisecond each
//   futex      as mutex, with a lock that the program makes of a futex; each thread pauses after
//   it,
//              so that each waits: one that never does would look like who calls for an event
//   absl       as mutex and condition, with absl::Mutex (not in the static program)
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <linux/futex.h>
#include <mutex>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

#if !defined(LOCKBENCH_STATIC)
#include "absl/synchronization/mutex.h"
#endif

namespace {

constexpr int kMillisecond = 1000;

template <class Body>
void run(int threads, Body body) {
  for (int i = 0; i < threads; ++i) std::thread(body).detach();
  std::puts("runs");
  std::fflush(stdout);
}

[[noreturn]] void for_ever() {
  for (;;) pause();
}

std::mutex served;
[[gnu::noinline]] void serve() {
  const std::lock_guard guard(served);
  usleep(kMillisecond);
}

std::mutex of_condition;
std::condition_variable condition;
long calls = 0;
[[gnu::noinline]] void idle() {
  std::unique_lock lock(of_condition);
  condition.wait(lock, [] { return calls > 0; });
  --calls;
}
[[gnu::noinline]] void join_herd() {
  std::unique_lock lock(of_condition);
  condition.wait(lock, [before = calls] { return calls != before; });
  usleep(kMillisecond);
}
[[noreturn]] void call(bool all) {
  for (;;) {
    usleep(2 * kMillisecond);
    {
      const std::lock_guard guard(of_condition);
      ++calls;
    }
    all ? condition.notify_all() : condition.notify_one();
  }
}

// 0 free | 1 held | 2 held, and others may wait
std::atomic<int> word{0};
long futex(int operation, int value) {
  return syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}
[[gnu::noinline]] void take_word() {
  int expected = 0;
  if (word.compare_exchange_strong(expected, 1)) return;
  while (word.exchange(2) != 0) futex(FUTEX_WAIT_PRIVATE, 2);
}
[[gnu::noinline]] void give_word() {
  if (word.exchange(0) == 2) futex(FUTEX_WAKE_PRIVATE, 1);
}

#if !defined(LOCKBENCH_STATIC)
absl::Mutex of_absl;
[[gnu::noinline]] void serve_absl() {
  const absl::MutexLock guard(&of_absl);
  usleep(kMillisecond);
}
absl::Mutex absl_calls_mutex;
bool absl_called = false;
[[gnu::noinline]] void idle_absl() {
  absl_calls_mutex.LockWhen(absl::Condition(&absl_called));
  absl_called = false;
  absl_calls_mutex.Unlock();
}
[[noreturn]] void run_absl() {
  run(4, [] {
    for (;;) serve_absl();
  });
  std::thread([] {
    for (;;) idle_absl();
  }).detach();
  for (;;) {
    usleep(2 * kMillisecond);
    const absl::MutexLock guard(&absl_calls_mutex);
    absl_called = true;
  }
}
#endif

}  // namespace

int main(int argc, char** argv) {
  const char* const kind = argc > 1 ? argv[1] : "";
  const auto is = [kind](const char* other) { return std::strcmp(kind, other) == 0; };
  if (is("mutex")) {
    run(4, [] {
      for (;;) serve();
    });
    for_ever();
  }
  if (is("condition")) {
    run(3, [] {
      for (;;) idle();
    });
    call(false);
  }
  if (is("herd")) {
    run(4, [] {
      for (;;) join_herd();
    });
    call(true);
  }
  if (is("futex")) {
    run(4, [] {
      for (;;) {
        take_word();
        usleep(kMillisecond);
        give_word();
        usleep(kMillisecond);
      }
    });
    for_ever();
  }
#if !defined(LOCKBENCH_STATIC)
  if (is("absl")) run_absl();
#endif
  return 2;
}
