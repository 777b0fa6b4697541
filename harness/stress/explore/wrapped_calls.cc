// SPDX-License-Identifier: Apache-2.0

// Calls of the system's library by a lock that is built for simulation. Its plug-in is linked with
// --wrap for each of them (cmake/lockbench_add_plugin.cmake), so they arrive here: what the world
// can decide, it decides; at anything else the execution ends, and says who called what.

#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <link.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

#include <absl/strings/str_cat.h>
#include <climits>

#include "harness/stress/explore/simulated_waits.h"
#include "harness/stress/explore/world.h"
#include "harness/stress/instrumentation/function_names.h"
#include "primitives/platform/simulated/hooks.h"

namespace lockbench::stress::explore::waits {

void refuse(World& world, const char* what, const void* caller) {
  const World::UntrackedScope untracked(world);
  world.refuse(
      absl::StrCat(function_at(caller), " calls ", what, ", which a simulation cannot decide"));
}

}  // namespace lockbench::stress::explore::waits

namespace {

using lockbench::stress::explore::World;
namespace simulated = lockbench::platform::simulated;
using namespace lockbench::stress::explore::waits;

bool is_plain(const pthread_mutex_t* mutex) {
  const int kind = mutex->__data.__kind;
  return kind == PTHREAD_MUTEX_TIMED_NP || kind == PTHREAD_MUTEX_ADAPTIVE_NP ||
         kind == PTHREAD_MUTEX_ERRORCHECK_NP;
}

bool is_recursive(const pthread_mutex_t* mutex) {
  return mutex->__data.__kind == PTHREAD_MUTEX_RECURSIVE_NP;
}

bool owns(pthread_mutex_t* mutex) {
  const auto self = static_cast<std::uint64_t>(task_of(simulated::thread_number()));
  return simulated::load(met(&mutex->__data.__owner), 4, std::memory_order_relaxed) == self;
}

void set_owner(pthread_mutex_t* mutex, int task) {
  simulated::store(met(&mutex->__data.__owner), 4, static_cast<std::uint64_t>(task),
                   std::memory_order_relaxed);
}

// One more level for the owner, or the first one if `take` gets the mutex.
template <class Take>
bool lock_level(pthread_mutex_t* mutex, const Take& take) {
  if (owns(mutex)) {
    ++mutex->__data.__count;
    return true;
  }
  if (!take()) return false;
  set_owner(mutex, task_of(simulated::thread_number()));
  mutex->__data.__count = 1;
  return true;
}

void check_kind(const pthread_mutex_t* mutex, const void* caller) {
  if (is_plain(mutex) || is_recursive(mutex)) return;
  refuse(*World::of_program(), "a function of a mutex of a kind of its own", caller);
}

int lock_mutex(pthread_mutex_t* mutex, std::int64_t deadline_ns, const void* caller) {
  check_kind(mutex, caller);
  const auto take = [&] { return lock_until(mutex, deadline_ns); };
  return (is_recursive(mutex) ? lock_level(mutex, take) : take()) ? 0 : ETIMEDOUT;
}

int try_lock_mutex(pthread_mutex_t* mutex, const void* caller) {
  check_kind(mutex, caller);
  const auto take = [&] { return try_lock(mutex); };
  return (is_recursive(mutex) ? lock_level(mutex, take) : take()) ? 0 : EBUSY;
}

void unlock_mutex(pthread_mutex_t* mutex) {
  if (is_recursive(mutex)) {
    if (--mutex->__data.__count != 0) return;
    set_owner(mutex, 0);
  }
  unlock(mutex);
}

// ---- a condition variable: a count of notices, in its first four bytes

bool wait_for_notice(void* condition, void* mutex, std::int64_t deadline_ns) {
  const std::uint64_t seen = simulated::load(met(condition), 4, std::memory_order_relaxed);
  unlock(mutex);
  const bool in_time = simulated::wait(condition, static_cast<std::uint32_t>(seen), deadline_ns);
  lock(mutex);
  return in_time;
}

void notify(void* condition, int count) {
  constexpr auto kOrder = std::memory_order_relaxed;
  const std::uint64_t old = simulated::begin_update(met(condition), 4, kOrder);
  simulated::end_update(condition, 4, static_cast<std::uint32_t>(old + 1), true, kOrder);
  simulated::wake(condition, count);
}

// ---- variables of a thread

struct ThreadVariables {
  std::size_t module = 0;
  const void* initial = nullptr;
  std::size_t initial_bytes = 0;
  std::size_t bytes = 0;
};

int find_module(dl_phdr_info* info, std::size_t, void* wanted) {
  auto& found = *static_cast<ThreadVariables*>(wanted);
  if (info->dlpi_tls_modid != found.module) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_TLS) continue;
    found.initial = reinterpret_cast<const void*>(info->dlpi_addr + header.p_vaddr);
    found.initial_bytes = header.p_filesz;
    found.bytes = header.p_memsz;
  }
  return 1;
}

struct TlsIndex {
  unsigned long module;
  unsigned long offset;
};

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#pragma GCC visibility push(default)
extern "C" {

void* __tls_get_addr(TlsIndex*);

// The variables of a simulated thread lie in the program's memory.
void* __wrap___tls_get_addr(TlsIndex* index) {
  World* const world = World::of_program();
  if (world == nullptr) return __tls_get_addr(index);
  std::byte* block = world->thread_block(index->module);
  if (block == nullptr) {
    ThreadVariables found{.module = index->module};
    dl_iterate_phdr(find_module, &found);
    block = world->add_thread_block(index->module, found.bytes);
    std::memcpy(block, found.initial, found.initial_bytes);
  }
  return block + index->offset;
}

// Destructors of a thread's variables are not run: the simulation ends with its memory.
int __wrap___cxa_thread_atexit(void (*)(void*), void*, void*) {
  return 0;
}

int __real_guard_acquire(std::int64_t*) asm("__cxa_guard_acquire");
void __real_guard_release(std::int64_t*) asm("__cxa_guard_release");

int __wrap___cxa_guard_acquire(std::int64_t* guard) {
  World* const world = World::of_program();
  const int makes = __real_guard_acquire(guard);
  if (world != nullptr && makes != 0) world->begin_static();
  return makes;
}
void __wrap___cxa_guard_release(std::int64_t* guard) {
  __real_guard_release(guard);
  if (World* const world = World::current()) world->end_static(guard);
}

int __wrap_sched_yield() {
  if (World::of_program() == nullptr) return sched_yield();
  simulated::pause();
  return 0;
}

int __wrap_nanosleep(const timespec* time, timespec* left) {
  if (World::of_program() == nullptr) return nanosleep(time, left);
  simulated::sleep_until_ns(simulated::now_ns() + ns_of(time));
  return 0;
}

int __wrap_clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  if (World::of_program() == nullptr) return clock_nanosleep(clock, flags, time, left);
  const std::int64_t begin = (flags & TIMER_ABSTIME) != 0 ? 0 : simulated::now_ns();
  simulated::sleep_until_ns(begin + ns_of(time));
  return 0;
}

int __wrap_usleep(useconds_t us) {
  if (World::of_program() == nullptr) return usleep(us);
  simulated::sleep_until_ns(simulated::now_ns() + std::int64_t{us} * 1000);
  return 0;
}

int __wrap_clock_gettime(clockid_t clock, timespec* time) {
  if (World::of_program() == nullptr) return clock_gettime(clock, time);
  const std::int64_t now = simulated::now_ns();
  *time = {.tv_sec = now / kSecond, .tv_nsec = now % kSecond};
  return 0;
}

// std::chrono::steady_clock::now() and system_clock::now(), whose result is one number.
std::int64_t __wrap__ZNSt6chrono3_V212steady_clock3nowEv() {
  if (World::of_program() != nullptr) return simulated::now_ns();
  return std::chrono::steady_clock::now().time_since_epoch().count();
}
std::int64_t __wrap__ZNSt6chrono3_V212system_clock3nowEv() {
  if (World::of_program() != nullptr) return simulated::now_ns();
  return std::chrono::system_clock::now().time_since_epoch().count();
}

int __wrap_pthread_mutex_lock(pthread_mutex_t* mutex) {
  if (World::of_program() == nullptr) return pthread_mutex_lock(mutex);
  return lock_mutex(mutex, kNever, __builtin_return_address(0));
}
int __wrap_pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) {
  if (World::of_program() == nullptr) return pthread_mutex_timedlock(mutex, until);
  return lock_mutex(mutex, ns_of(until), __builtin_return_address(0));
}
int __wrap_pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  if (World::of_program() == nullptr) return pthread_mutex_clocklock(mutex, clock, until);
  return lock_mutex(mutex, ns_of(until), __builtin_return_address(0));
}
int __wrap_pthread_mutex_trylock(pthread_mutex_t* mutex) {
  if (World::of_program() == nullptr) return pthread_mutex_trylock(mutex);
  return try_lock_mutex(mutex, __builtin_return_address(0));
}
int __wrap_pthread_mutex_unlock(pthread_mutex_t* mutex) {
  if (World::of_program() == nullptr) return pthread_mutex_unlock(mutex);
  unlock_mutex(mutex);
  return 0;
}

int __wrap_pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (World::of_program() == nullptr) return pthread_cond_wait(condition, mutex);
  wait_for_notice(condition, mutex, kNever);
  return 0;
}
int __wrap_pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                  const timespec* until) {
  if (World::of_program() == nullptr) return pthread_cond_timedwait(condition, mutex, until);
  return wait_for_notice(condition, mutex, ns_of(until)) ? 0 : ETIMEDOUT;
}
int __wrap_pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                  clockid_t clock, const timespec* until) {
  if (World::of_program() == nullptr) return pthread_cond_clockwait(condition, mutex, clock, until);
  return wait_for_notice(condition, mutex, ns_of(until)) ? 0 : ETIMEDOUT;
}
int __wrap_pthread_cond_signal(pthread_cond_t* condition) {
  if (World::of_program() == nullptr) return pthread_cond_signal(condition);
  notify(condition, 1);
  return 0;
}
int __wrap_pthread_cond_broadcast(pthread_cond_t* condition) {
  if (World::of_program() == nullptr) return pthread_cond_broadcast(condition);
  notify(condition, INT_MAX);
  return 0;
}

// std::condition_variable's functions that lie in the library.
void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(
    void* condition, std::unique_lock<std::mutex>* guard) {
  __wrap_pthread_cond_wait(static_cast<pthread_cond_t*>(condition),
                           guard->mutex()->native_handle());
}
void __wrap__ZNSt18condition_variable10notify_oneEv(void* condition) {
  __wrap_pthread_cond_signal(static_cast<pthread_cond_t*>(condition));
}
void __wrap__ZNSt18condition_variable10notify_allEv(void* condition) {
  __wrap_pthread_cond_broadcast(static_cast<pthread_cond_t*>(condition));
}

// The futex, and the thread's number: what locks use it for.
long __wrap_syscall(long number, ...) {
  long words[6];
  va_list list;
  va_start(list, number);
  for (long& word : words) word = va_arg(list, long);
  va_end(list);
  World* const world = World::of_program();
  if (world == nullptr) {
    return syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
  }
  if (number == SYS_gettid) return task_of(simulated::thread_number());
  if (number == SYS_sched_yield) return __wrap_sched_yield();
  if (number == SYS_membarrier) {
    simulated::fence_all_threads();
    return 0;
  }
  if (number != SYS_futex) {
    refuse(*world, ("syscall(" + std::to_string(number) + ")").c_str(),
           __builtin_return_address(0));
  }
  auto* const word = reinterpret_cast<void*>(words[0]);
  const long operation = words[1] & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
  const auto value = static_cast<std::uint32_t>(words[2]);
  if (operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET) {
    simulated::wake(word, static_cast<int>(value));
    return 1;
  }
  if (operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET) {
    refuse(*world, "a futex operation beside waiting and waking", __builtin_return_address(0));
  }
  std::int64_t deadline = kNever;
  if (const auto* const time = reinterpret_cast<const timespec*>(words[3])) {
    deadline = ns_of(time) + (operation == FUTEX_WAIT ? simulated::now_ns() : 0);
  }
  if (simulated::load(met(word), 4, std::memory_order_relaxed) != value) {
    errno = EAGAIN;
    return -1;
  }
  if (simulated::wait(word, value, deadline)) return 0;
  errno = ETIMEDOUT;
  return -1;
}

// What is left to the engine of native threads.
#define LOCKBENCH_REFUSED(name)                                               \
  long __wrap_##name() {                                                      \
    World* const world = World::of_program();                                 \
    if (world != nullptr) refuse(*world, #name, __builtin_return_address(0)); \
    std::abort();                                                             \
  }

LOCKBENCH_REFUSED(pthread_barrier_wait)
LOCKBENCH_REFUSED(poll)
LOCKBENCH_REFUSED(select)
#undef LOCKBENCH_REFUSED

}  // extern "C"
#pragma GCC visibility pop
#pragma GCC diagnostic pop
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
