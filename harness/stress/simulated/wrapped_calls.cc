// SPDX-License-Identifier: Apache-2.0

// Calls of the system's library by a lock that is built for simulation. Its plug-in is linked with
// --wrap for each of these functions (cmake/lockbench_add_plugin.cmake), so the calls arrive here.
// The simulation decides the calls that it can simulate. Any other call ends the execution, with a
// message that names the function and its caller.

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
#include <optional>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <climits>

#include "harness/stress/simulated/program_memory.h"
#include "harness/stress/simulated/simulated_program.h"
#include "harness/stress/simulated/simulated_waits.h"
#include "primitives/platform/simulated/hooks.h"

namespace {

using lockbench::stress::SimulatedProgram;
namespace simulated = lockbench::platform::simulated;
using namespace lockbench::stress::explore::waits;

// ---- a mutex: as in simulated_waits.h, and its owner if its kind needs one

enum class Kind { kPlain, kRecursive, kErrorCheck };

// The library's bits for what makes no difference here: simulated threads have no priorities and
// share their memory, and a thread that ends while it holds a robust mutex leaves it held, which is
// a failure anyway.
constexpr int kRobust = 16;
constexpr int kInheritsPriority = 32;
constexpr int kShared = 128;

Kind kind_of(const pthread_mutex_t* mutex, const void* caller) {
  switch (mutex->__data.__kind & ~(kRobust | kInheritsPriority | kShared)) {
    case PTHREAD_MUTEX_TIMED_NP:
    case PTHREAD_MUTEX_ADAPTIVE_NP:
      return Kind::kPlain;
    case PTHREAD_MUTEX_RECURSIVE_NP:
      return Kind::kRecursive;
    case PTHREAD_MUTEX_ERRORCHECK_NP:
      return Kind::kErrorCheck;
    default:
      SimulatedProgram::running()->refuse_call("a function of a mutex of a kind of its own",
                                               caller);
  }
}

bool owns(pthread_mutex_t* mutex) {
  const auto self = static_cast<std::uint64_t>(task_of(simulated::thread_number()));
  return simulated::load(shared_word(&mutex->__data.__owner), 4, std::memory_order_relaxed) == self;
}

void set_owner(pthread_mutex_t* mutex, int task) {
  simulated::store(shared_word(&mutex->__data.__owner), 4, static_cast<std::uint64_t>(task),
                   std::memory_order_relaxed);
}

// `take` acquires the mutex and returns 0, or returns the error of the call. `again` is the error
// for the owner of an error-checking mutex that locks it again.
template <class Take>
int lock_kind(pthread_mutex_t* mutex, int again, const void* caller, const Take& take) {
  const Kind kind = kind_of(mutex, caller);
  const auto take_and_note = [&] {
    const int refused = take();
    if (refused == 0) SimulatedProgram::running()->note_mutex(mutex, true);
    return refused;
  };
  if (kind == Kind::kPlain) return take_and_note();
  if (owns(mutex)) {
    if (kind == Kind::kErrorCheck) return again;
    ++mutex->__data.__count;
    return 0;
  }
  if (const int refused = take_and_note(); refused != 0) return refused;
  set_owner(mutex, task_of(simulated::thread_number()));
  mutex->__data.__count = 1;
  return 0;
}

int lock_mutex(pthread_mutex_t* mutex, std::int64_t deadline_ns, const void* caller) {
  return lock_kind(mutex, EDEADLK, caller,
                   [&] { return lock_until(mutex, deadline_ns) ? 0 : ETIMEDOUT; });
}

// A mutex that is free is acquired without a look at the time, as in the library.
int lock_mutex_until(pthread_mutex_t* mutex, clockid_t clock, const timespec* until,
                     const void* caller) {
  return lock_kind(mutex, EDEADLK, caller, [&] {
    if (!has_nanoseconds(until)) return try_lock(mutex) ? 0 : EINVAL;
    return lock_until(mutex, deadline_of(clock, until)) ? 0 : ETIMEDOUT;
  });
}

int try_lock_mutex(pthread_mutex_t* mutex, const void* caller) {
  return lock_kind(mutex, EBUSY, caller, [&] { return try_lock(mutex) ? 0 : EBUSY; });
}

int unlock_mutex(pthread_mutex_t* mutex, const void* caller) {
  const Kind kind = kind_of(mutex, caller);
  if (kind != Kind::kPlain) {
    if (!owns(mutex)) return EPERM;
    if (--mutex->__data.__count != 0) return 0;
    set_owner(mutex, 0);
  }
  SimulatedProgram::running()->note_mutex(mutex, false);
  unlock(mutex);
  return 0;
}

// ---- a condition variable: a count of notifications in its first four bytes

// Returns what pthread_cond_wait() or pthread_cond_timedwait() has to return.
int wait_for_notice(void* condition, pthread_mutex_t* mutex, std::int64_t deadline_ns,
                    const void* caller) {
  const std::uint64_t seen = simulated::load(shared_word(condition), 4, std::memory_order_relaxed);
  if (const int refused = unlock_mutex(mutex, caller); refused != 0) return refused;
  const bool in_time = simulated::wait(condition, static_cast<std::uint32_t>(seen), deadline_ns);
  lock_mutex(mutex, kNever, caller);
  return in_time ? 0 : ETIMEDOUT;
}

// The clock of its deadlines, in the library's layout.
clockid_t clock_of(const pthread_cond_t* condition) {
  constexpr unsigned kMonotonic = 2;
  return (condition->__data.__wrefs & kMonotonic) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

void notify(void* condition, int count) {
  constexpr auto kOrder = std::memory_order_relaxed;
  const std::uint64_t old = simulated::begin_update(shared_word(condition), 4, kOrder);
  simulated::end_update(condition, 4, static_cast<std::uint32_t>(old + 1), true, kOrder);
  simulated::wake(condition, count);
}

// ---- the kernel's futex

long with_errno(int error) {
  errno = error;
  return -1;
}

long sleep_on(SimulatedProgram& program, void* word, const long (&words)[6], bool relative,
              SimulatedProgram::Channels channels) {
  std::int64_t deadline = kNever;
  if (const auto* const time = reinterpret_cast<const timespec*>(words[3])) {
    if (!is_time(time)) return with_errno(EINVAL);
    const clockid_t clock =
        (words[1] & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    deadline = relative ? after(ns_of(time)) : deadline_of(clock, time);
  }
  switch (program.wait(word, static_cast<std::uint32_t>(words[2]), deadline, channels)) {
    case SimulatedProgram::WaitEnd::kWoken:
      return 0;
    case SimulatedProgram::WaitEnd::kChanged:
      return with_errno(EAGAIN);
    case SimulatedProgram::WaitEnd::kInterrupted:
      return with_errno(EINTR);
    case SimulatedProgram::WaitEnd::kTimedOut:
      break;
  }
  return with_errno(ETIMEDOUT);
}

// The channels of a call, whose bits are those of its last argument or all.
SimulatedProgram::Channels channels_of(long operation, std::uint32_t bits) {
  constexpr int kBits = 32;
  const bool is_private = (operation & FUTEX_PRIVATE_FLAG) != 0;
  return is_private ? SimulatedProgram::Channels{bits} : SimulatedProgram::Channels{bits} << kBits;
}

// A number of threads in the form that the kernel reads.
int count_of(long word) {
  return static_cast<int>(static_cast<std::uint32_t>(word));
}

long futex(SimulatedProgram& program, const long (&words)[6], const void* caller) {
  // A wake-up uses only the address of the word, which may already have been destroyed.
  auto* const word = reinterpret_cast<void*>(words[0]);
  const auto last = static_cast<std::uint32_t>(words[5]);
  const SimulatedProgram::Channels all = channels_of(words[1], ~std::uint32_t{0});
  const SimulatedProgram::Channels channels = channels_of(words[1], last);
  program.at(caller);
  const int wakes = count_of(words[2]);
  switch (words[1] & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)) {
    case FUTEX_WAIT:
      return sleep_on(program, shared_word(word), words, true, all);
    case FUTEX_WAIT_BITSET:
      return channels == 0 ? with_errno(EINVAL)
                           : sleep_on(program, shared_word(word), words, false, channels);
    case FUTEX_WAKE:
      return program.wake(word, wakes, all);
    case FUTEX_WAKE_BITSET:
      return channels == 0 ? with_errno(EINVAL) : program.wake(word, wakes, channels);
    case FUTEX_REQUEUE:
      return program.requeue(shared_word(word), shared_word(reinterpret_cast<void*>(words[4])),
                             wakes, count_of(words[3]), std::nullopt, all);
    case FUTEX_CMP_REQUEUE: {
      const int moved =
          program.requeue(shared_word(word), shared_word(reinterpret_cast<void*>(words[4])), wakes,
                          count_of(words[3]), last, all);
      return moved < 0 ? with_errno(EAGAIN) : moved;
    }
    default:
      program.refuse_call("a futex operation beside waiting, waking and requeueing", caller);
  }
}

// Memory from the kernel is zero.
void* map_memory(std::size_t bytes, int flags, const void* caller) {
  if ((flags & MAP_ANONYMOUS) == 0 || (flags & MAP_FIXED) != 0) {
    SimulatedProgram::running()->refuse_call("mmap of a file or at an address", caller);
  }
  constexpr std::size_t kPage = 4096;
  void* const location = lockbench::stress::explore::allocate_for_program(bytes, kPage);
  return std::memset(location, 0, bytes);
}

// ---- thread-local variables

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

// The thread-local variables of a simulated thread lie in the program's memory.
void* __wrap___tls_get_addr(TlsIndex* index) {
  SimulatedProgram* const program = SimulatedProgram::running();
  if (program == nullptr) return __tls_get_addr(index);
  std::byte* block = program->thread_block(index->module);
  if (block == nullptr) {
    ThreadVariables found{.module = index->module};
    dl_iterate_phdr(find_module, &found);
    block = program->add_thread_block(index->module, found.bytes);
    std::memcpy(block, found.initial, found.initial_bytes);
  }
  return block + index->offset;
}

// These functions run when a simulated thread ends. They do not run for the first thread, because
// the arena releases its memory as a whole.
int __real_thread_atexit(void (*)(void*), void*, void*) asm("__cxa_thread_atexit");

int __wrap___cxa_thread_atexit(void (*destroy)(void*), void* object, void* library) {
  SimulatedProgram* const program = SimulatedProgram::running();
  if (program == nullptr) return __real_thread_atexit(destroy, object, library);
  program->destroy_at_end_of_thread(destroy, object);
  return 0;
}

// The guard of a function's variable with static storage. Its first byte says that the variable is
// initialised, the second that a thread initialises it. Each execution initialises it again.
int __real_guard_acquire(std::int64_t*) asm("__cxa_guard_acquire");
void __real_guard_release(std::int64_t*) asm("__cxa_guard_release");
void __real_guard_abort(std::int64_t*) asm("__cxa_guard_abort");
int __real_atexit(void (*)(void*), void*, void*) asm("__cxa_atexit");

int __wrap___cxa_guard_acquire(std::int64_t* guard) {
  SimulatedProgram* const program = SimulatedProgram::running();
  if (program == nullptr) return __real_guard_acquire(guard);
  auto* const made = reinterpret_cast<std::uint8_t*>(guard);
  program->add_unannounced_word(made, 1);
  program->add_unannounced_word(made + 1, 1);
  for (;;) {
    if (simulated::load(made, 1, std::memory_order_acquire) != 0) return 0;
    constexpr auto kOrder = std::memory_order_acquire;
    const bool free = simulated::begin_compare(made + 1, 1, 0, kOrder, kOrder) == 0;
    simulated::end_update(made + 1, 1, 1, free, kOrder);
    // Another thread may have initialised it between the load and the update.
    if (free && simulated::load(made, 1, kOrder) == 0) return 1;
    // Passes on what the thread that initialised it released.
    if (free) simulated::store(made + 1, 1, 0, std::memory_order_release);
    simulated::pause();
  }
}
void __wrap___cxa_guard_release(std::int64_t* guard) {
  if (SimulatedProgram::running() == nullptr) return __real_guard_release(guard);
  auto* const made = reinterpret_cast<std::uint8_t*>(guard);
  simulated::store(made, 1, 1, std::memory_order_release);
  simulated::store(made + 1, 1, 0, std::memory_order_release);
}
void __wrap___cxa_guard_abort(std::int64_t* guard) {
  if (SimulatedProgram::running() == nullptr) return __real_guard_abort(guard);
  simulated::store(reinterpret_cast<std::uint8_t*>(guard) + 1, 1, 0, std::memory_order_release);
}
// Objects that are made in a simulation are not destroyed; the arena releases their memory.
int __wrap___cxa_atexit(void (*destroy)(void*), void* object, void* library) {
  return SimulatedProgram::running() != nullptr ? 0 : __real_atexit(destroy, object, library);
}

int __wrap_sched_yield() {
  SimulatedProgram* const program = SimulatedProgram::running();
  if (program == nullptr) return sched_yield();
  program->yield();
  return 0;
}

int __wrap_nanosleep(const timespec* time, timespec* left) {
  if (SimulatedProgram::running() == nullptr) return nanosleep(time, left);
  if (!is_time(time)) return static_cast<int>(with_errno(EINVAL));
  simulated::sleep_until_ns(after(ns_of(time)));
  return 0;
}

int __wrap_clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  if (SimulatedProgram::running() == nullptr) return clock_nanosleep(clock, flags, time, left);
  if (!is_time(time)) return EINVAL;
  const bool absolute = (flags & TIMER_ABSTIME) != 0;
  simulated::sleep_until_ns(absolute ? deadline_of(clock, time) : after(ns_of(time)));
  return 0;
}

int __wrap_usleep(useconds_t us) {
  if (SimulatedProgram::running() == nullptr) return usleep(us);
  simulated::sleep_until_ns(simulated::now_ns() + std::int64_t{us} * 1000);
  return 0;
}

int __wrap_clock_gettime(clockid_t clock, timespec* time) {
  if (SimulatedProgram::running() == nullptr) return clock_gettime(clock, time);
  const std::int64_t now = now_of(clock);
  *time = {.tv_sec = now / kSecond, .tv_nsec = now % kSecond};
  return 0;
}

int __wrap_gettimeofday(timeval* time, void* zone) {
  if (SimulatedProgram::running() == nullptr) return gettimeofday(time, zone);
  const std::int64_t now = now_of(CLOCK_REALTIME);
  *time = {.tv_sec = now / kSecond, .tv_usec = now % kSecond / 1000};
  return 0;
}

// std::chrono::steady_clock::now() and system_clock::now(). Their result is one number.
std::int64_t __wrap__ZNSt6chrono3_V212steady_clock3nowEv() {
  if (SimulatedProgram::running() != nullptr) return simulated::now_ns();
  return std::chrono::steady_clock::now().time_since_epoch().count();
}
std::int64_t __wrap__ZNSt6chrono3_V212system_clock3nowEv() {
  if (SimulatedProgram::running() != nullptr) return now_of(CLOCK_REALTIME);
  return std::chrono::system_clock::now().time_since_epoch().count();
}

int __wrap_pthread_mutex_lock(pthread_mutex_t* mutex) {
  if (SimulatedProgram::running() == nullptr) return pthread_mutex_lock(mutex);
  return lock_mutex(mutex, kNever, __builtin_return_address(0));
}
int __wrap_pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) {
  if (SimulatedProgram::running() == nullptr) return pthread_mutex_timedlock(mutex, until);
  return lock_mutex_until(mutex, CLOCK_REALTIME, until, __builtin_return_address(0));
}
int __wrap_pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  if (SimulatedProgram::running() == nullptr) return pthread_mutex_clocklock(mutex, clock, until);
  return lock_mutex_until(mutex, clock, until, __builtin_return_address(0));
}
int __wrap_pthread_mutex_trylock(pthread_mutex_t* mutex) {
  if (SimulatedProgram::running() == nullptr) return pthread_mutex_trylock(mutex);
  return try_lock_mutex(mutex, __builtin_return_address(0));
}
int __wrap_pthread_mutex_unlock(pthread_mutex_t* mutex) {
  if (SimulatedProgram::running() == nullptr) return pthread_mutex_unlock(mutex);
  return unlock_mutex(mutex, __builtin_return_address(0));
}

int __wrap_pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (SimulatedProgram::running() == nullptr) return pthread_cond_wait(condition, mutex);
  return wait_for_notice(condition, mutex, kNever, __builtin_return_address(0));
}
int __wrap_pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                  const timespec* until) {
  if (SimulatedProgram::running() == nullptr)
    return pthread_cond_timedwait(condition, mutex, until);
  if (!has_nanoseconds(until)) return EINVAL;
  return wait_for_notice(condition, mutex, deadline_of(clock_of(condition), until),
                         __builtin_return_address(0));
}
int __wrap_pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                  clockid_t clock, const timespec* until) {
  if (SimulatedProgram::running() == nullptr)
    return pthread_cond_clockwait(condition, mutex, clock, until);
  if (!has_nanoseconds(until)) return EINVAL;
  return wait_for_notice(condition, mutex, deadline_of(clock, until), __builtin_return_address(0));
}
int __wrap_pthread_cond_signal(pthread_cond_t* condition) {
  if (SimulatedProgram::running() == nullptr) return pthread_cond_signal(condition);
  notify(condition, 1);
  return 0;
}
int __wrap_pthread_cond_broadcast(pthread_cond_t* condition) {
  if (SimulatedProgram::running() == nullptr) return pthread_cond_broadcast(condition);
  notify(condition, INT_MAX);
  return 0;
}

// The functions of std::condition_variable that are not inline.
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

int __wrap_getcpu(unsigned* processor, unsigned* node) {
  SimulatedProgram* const program = SimulatedProgram::running();
  if (program == nullptr) return getcpu(processor, node);
  const int here = program->processor();
  if (processor != nullptr) *processor = static_cast<unsigned>(here);
  if (node != nullptr) *node = static_cast<unsigned>(program->node_of(here));
  return 0;
}

// The system calls that locks use: futex, thread number, processor, yield, barrier and memory.
long __wrap_syscall(long number, ...) {
  long words[6];
  va_list list;
  va_start(list, number);
  for (long& word : words) word = va_arg(list, long);
  va_end(list);
  SimulatedProgram* const program = SimulatedProgram::running();
  if (program == nullptr) {
    return syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
  }
  switch (number) {
    case SYS_futex:
      return futex(*program, words, __builtin_return_address(0));
    case SYS_gettid:
      return task_of(simulated::thread_number());
    case SYS_getcpu:
      return __wrap_getcpu(reinterpret_cast<unsigned*>(words[0]),
                           reinterpret_cast<unsigned*>(words[1]));
    case SYS_sched_yield:
      return __wrap_sched_yield();
    case SYS_membarrier:
      simulated::fence_all_threads();
      return 0;
    case SYS_mmap:
      return reinterpret_cast<long>(map_memory(static_cast<std::size_t>(words[1]),
                                               static_cast<int>(words[3]),
                                               __builtin_return_address(0)));
    case SYS_munmap:
      lockbench::stress::explore::release_of_program(reinterpret_cast<void*>(words[0]));
      return 0;
    default:
      program->refuse_call(("syscall(" + std::to_string(number) + ")").c_str(),
                           __builtin_return_address(0));
  }
}

void* __wrap_mmap(void* location, std::size_t bytes, int protection, int flags, int file,
                  off_t offset) {
  if (SimulatedProgram::running() == nullptr)
    return mmap(location, bytes, protection, flags, file, offset);
  return map_memory(bytes, flags, __builtin_return_address(0));
}
int __wrap_munmap(void* location, std::size_t bytes) {
  if (!lockbench::stress::explore::is_of_program(location)) return munmap(location, bytes);
  lockbench::stress::explore::release_of_program(location);
  return 0;
}

// Calls that cannot be simulated. Only the engine `real` can test a lock that makes them.
#define LOCKBENCH_REFUSED(name)                                                       \
  long __wrap_##name() {                                                              \
    SimulatedProgram* const program = SimulatedProgram::running();                    \
    if (program != nullptr) program->refuse_call(#name, __builtin_return_address(0)); \
    std::abort();                                                                     \
  }

LOCKBENCH_REFUSED(poll)
LOCKBENCH_REFUSED(select)
#undef LOCKBENCH_REFUSED

}  // extern "C"
#pragma GCC visibility pop
#pragma GCC diagnostic pop
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
