// SPDX-License-Identifier: Apache-2.0

// Calls of the system's library that wait, other than those of mutexes and condition variables:
// semaphores, read-write locks, spin locks, threads; also thread-specific values. As in
// wrapped_calls.cc, outside of a simulation each call goes to the library.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <map>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <climits>

#include "harness/stress/simulated/simulated_program.h"
#include "harness/stress/simulated/simulated_waits.h"
#include "primitives/platform/simulated/hooks.h"

namespace lockbench::stress::explore {

// The object that a std::thread runs. The library's class (std::thread::_State) is private from g++
// 14 on; this one has the same virtual functions in the same order, which is part of the library's
// ABI. Not in the namespace without a name: the compiler would know that no class is derived from
// this one, and that the pure function is therefore all that a call can reach.
class ThreadBody {
 public:
  virtual ~ThreadBody();  // never called but by its slot in the table
  virtual void run() = 0;
};

}  // namespace lockbench::stress::explore

namespace {

using lockbench::stress::in_program;
using lockbench::stress::SimulatedProgram;
using lockbench::stress::explore::ThreadBody;
namespace simulated = lockbench::platform::simulated;
using namespace lockbench::stress::explore::waits;

// Acquires a free spin lock outside of an execution, where there is one thread.
int hold_alone(pthread_spinlock_t* lock) {
  *lock = 1;
  return 0;
}

// ---- a semaphore: its count in the first four bytes

bool try_take(void* semaphore) {
  return update(semaphore, std::memory_order_acquire,
                [](std::uint32_t count) { return count == 0 ? 0 : count - 1; }) != 0;
}

int take_until(void* semaphore, std::int64_t deadline_ns) {
  using End = SimulatedProgram::WaitEnd;
  constexpr SimulatedProgram::Channels kAll = ~SimulatedProgram::Channels{0};
  SimulatedProgram& program = *SimulatedProgram::running();
  while (!try_take(semaphore)) {
    const End end = program.wait(semaphore, 0, deadline_ns, kAll);
    if (end == End::kWoken || end == End::kChanged) continue;
    errno = end == End::kInterrupted ? EINTR : ETIMEDOUT;
    return -1;
  }
  return 0;
}

int take_until(void* semaphore, clockid_t clock, const timespec* until) {
  if (has_nanoseconds(until)) return take_until(semaphore, deadline_of(clock, until));
  errno = EINVAL;
  return -1;
}

// ---- a read-write lock: the number of readers, or kWritten; in its first four bytes

constexpr std::uint32_t kWritten = UINT32_MAX;

bool try_read(void* word) {
  return update(word, std::memory_order_acquire,
                [](std::uint32_t old) { return old == kWritten ? old : old + 1; }) != kWritten;
}

bool try_write(void* word) {
  return update(word, std::memory_order_acquire,
                [](std::uint32_t old) { return old == 0 ? kWritten : old; }) == 0;
}

int read_until(void* word, std::int64_t deadline_ns) {
  while (!try_read(word)) {
    if (!simulated::wait(word, kWritten, deadline_ns)) return ETIMEDOUT;
  }
  return 0;
}

int write_until(void* word, std::int64_t deadline_ns) {
  while (!try_write(word)) {
    const std::uint32_t seen = load(word);
    if (seen != 0 && !simulated::wait(word, seen, deadline_ns)) return ETIMEDOUT;
  }
  return 0;
}

int read_until(void* word, clockid_t clock, const timespec* until) {
  return has_nanoseconds(until) ? read_until(word, deadline_of(clock, until)) : EINVAL;
}

int write_until(void* word, clockid_t clock, const timespec* until) {
  return has_nanoseconds(until) ? write_until(word, deadline_of(clock, until)) : EINVAL;
}

void leave(void* word) {
  const std::uint32_t old = update(word, std::memory_order_release, [](std::uint32_t seen) {
    return seen == kWritten ? 0 : seen - 1;
  });
  if (old == kWritten || old == 1) simulated::wake(word, INT_MAX);
}

// ---- once: 0 not begun | 1 in progress | 2 done; in its first four bytes

#if defined(__GLIBCXX__) && defined(_GLIBCXX_HAVE_TLS)

// The thread-local variables of the library that has the one at `wanted`.
struct LibraryVariables {
  const std::byte* wanted;
  std::size_t module = 0;
  std::size_t offset = 0;  // of `wanted`
};

int find_library(dl_phdr_info* info, std::size_t, void* found) {
  auto& variables = *static_cast<LibraryVariables*>(found);
  const auto* const first = static_cast<const std::byte*>(info->dlpi_tls_data);
  for (int i = 0; first != nullptr && i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const bool has = header.p_type == PT_TLS && variables.wanted >= first &&
                     variables.wanted < first + header.p_memsz;
    if (!has) continue;
    variables.module = info->dlpi_tls_modid;
    variables.offset = static_cast<std::size_t>(variables.wanted - first);
    return 1;
  }
  return 0;
}

// Gives a variable of the library the value of the simulated thread's copy, if there is one.
template <class T>
void hand_over(T& variable) {
  LibraryVariables location{.wanted = reinterpret_cast<const std::byte*>(&variable)};
  if (dl_iterate_phdr(find_library, &location) == 0) return;
  const std::byte* const copy = SimulatedProgram::running()->thread_block(location.module);
  if (copy != nullptr) std::memcpy(&variable, copy + location.offset, sizeof variable);
}

// std::call_once() names its function in two thread-local variables of the library, which then
// calls it. The caller is instrumented, so it has written to the simulated thread's copies; the
// library reads its own.
void hand_over_once_call() {
  hand_over(std::__once_callable);
  hand_over(std::__once_call);
}

#else

void hand_over_once_call() {}

#endif

int do_once(void* control, void (*make)()) {
  const auto begin = [](std::uint32_t old) { return old == 0 ? 1 : old; };
  std::uint32_t seen = update(control, std::memory_order_acquire, begin);
  if (seen == 0) {
    hand_over_once_call();
    make();
    simulated::store(shared_word(control), 4, 2, std::memory_order_release);
    simulated::wake(control, INT_MAX);
    return 0;
  }
  for (; seen != 2; seen = load(control)) simulated::wait(control, 1, kNever);
  return 0;
}

// ---- a future

// Outside of a simulation nobody else runs who could change the word: as if the sleep had ended
// without a reason. Returns false when the deadline passed.
bool wait_of_future(unsigned* word, unsigned expected, bool has_deadline, clockid_t clock,
                    long seconds, long nanoseconds) {
  const timespec deadline{.tv_sec = seconds, .tv_nsec = nanoseconds};
  if (!in_program()) return true;
  return simulated::wait(shared_word(word), expected,
                         has_deadline ? deadline_of(clock, &deadline) : kNever);
}

// ---- a barrier: how many threads have arrived, how often all had arrived, and how many must
// arrive, in the library's layout

struct Barrier {
  std::uint32_t came;
  std::uint32_t round;
  std::uint32_t count;
};

int wait_at(Barrier& barrier) {
  const std::uint32_t round = load(&barrier.round);
  const auto more = [](std::uint32_t old) { return old + 1; };
  if (update(&barrier.came, std::memory_order_acq_rel, more) + 1 == barrier.count) {
    simulated::store(&barrier.came, 4, 0, std::memory_order_relaxed);
    update(&barrier.round, std::memory_order_release, more);
    simulated::wake(&barrier.round, INT_MAX);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  while (load(&barrier.round) == round) simulated::wait(&barrier.round, round, kNever);
  return 0;
}

// ---- thread-specific values. Keys that a simulation makes end with it. Their numbers begin after
// those of the system.

struct Keys {
  std::vector<void (*)(void*)> destroy;
};
constexpr pthread_key_t kFirstKey = 1 << 16;

Keys& keys() {
  return *static_cast<Keys*>(simulated::of_this_process([]() -> void* { return new Keys(); }));
}

using Values = std::map<pthread_key_t, void*>;

void end_values(void* values);

Values& values() {
  return *static_cast<Values*>(simulated::of_this_thread([]() -> void* {
    auto* const made = new Values();
    SimulatedProgram::running()->destroy_at_end_of_thread(end_values, made);
    return made;
  }));
}

// A destructor may set values again, so there are several rounds, as in the library.
void end_values(void* values) {
  auto& of_thread = *static_cast<Values*>(values);
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    bool any = false;
    for (auto& [key, value] : of_thread) {
      if (key < kFirstKey || keys().destroy.at(key - kFirstKey) == nullptr) continue;
      if (void* const old = std::exchange(value, nullptr)) {
        any = true;
        keys().destroy[key - kFirstKey](old);
      }
    }
    if (!any) return;
  }
}

// ---- the return values of threads

using Results = std::map<std::uint32_t, void*>;

Results& results() {
  return *static_cast<Results*>(
      simulated::of_this_process([]() -> void* { return new Results(); }));
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)

// A private function of std::thread, which its constructor calls. Its second argument is a
// std::unique_ptr that is passed by value; in this ABI that means by the address of its pointer.
extern "C" void start_of_library(std::thread*, ThreadBody**, void (*)()) asm(
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE");

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#pragma GCC visibility push(default)
extern "C" {

int __wrap_sem_wait(sem_t* semaphore) {
  return in_program() ? take_until(semaphore, kNever) : sem_wait(semaphore);
}
int __wrap_sem_trywait(sem_t* semaphore) {
  if (!in_program()) return sem_trywait(semaphore);
  if (try_take(semaphore)) return 0;
  errno = EAGAIN;
  return -1;
}
int __wrap_sem_timedwait(sem_t* semaphore, const timespec* until) {
  return in_program() ? take_until(semaphore, CLOCK_REALTIME, until)
                      : sem_timedwait(semaphore, until);
}
int __wrap_sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  return in_program() ? take_until(semaphore, clock, until)
                      : sem_clockwait(semaphore, clock, until);
}
int __wrap_sem_post(sem_t* semaphore) {
  if (!in_program()) return sem_post(semaphore);
  update(semaphore, std::memory_order_release, [](std::uint32_t count) { return count + 1; });
  simulated::wake(semaphore, 1);
  return 0;
}
int __wrap_sem_getvalue(sem_t* semaphore, int* value) {
  if (!in_program()) return sem_getvalue(semaphore, value);
  *value = static_cast<int>(load(semaphore));
  return 0;
}

int __wrap_pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  return in_program() ? read_until(lock, kNever) : pthread_rwlock_rdlock(lock);
}
int __wrap_pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  return in_program() ? write_until(lock, kNever) : pthread_rwlock_wrlock(lock);
}
int __wrap_pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  if (!in_program()) return pthread_rwlock_tryrdlock(lock);
  return try_read(lock) ? 0 : EBUSY;
}
int __wrap_pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  if (!in_program()) return pthread_rwlock_trywrlock(lock);
  return try_write(lock) ? 0 : EBUSY;
}
int __wrap_pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* until) {
  return in_program() ? read_until(lock, CLOCK_REALTIME, until)
                      : pthread_rwlock_timedrdlock(lock, until);
}
int __wrap_pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* until) {
  return in_program() ? write_until(lock, CLOCK_REALTIME, until)
                      : pthread_rwlock_timedwrlock(lock, until);
}
int __wrap_pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                      const timespec* until) {
  return in_program() ? read_until(lock, clock, until)
                      : pthread_rwlock_clockrdlock(lock, clock, until);
}
int __wrap_pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                      const timespec* until) {
  return in_program() ? write_until(lock, clock, until)
                      : pthread_rwlock_clockwrlock(lock, clock, until);
}
int __wrap_pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  if (!in_program()) return pthread_rwlock_unlock(lock);
  leave(lock);
  return 0;
}

// A simulated spin lock is 0 if it is free. What the C library writes into a free one depends on
// the processor, so none of its functions sees the word.
int __wrap_pthread_spin_init(pthread_spinlock_t* lock, int) {
  *lock = 0;
  return 0;
}
int __wrap_pthread_spin_lock(pthread_spinlock_t* lock) {
  SimulatedProgram* const program = SimulatedProgram::running();
  if (program == nullptr) return hold_alone(lock);
  int* const word = const_cast<int*>(lock);
  while (!try_lock(word)) program->spin_while_held(word);
  return 0;
}
int __wrap_pthread_spin_trylock(pthread_spinlock_t* lock) {
  if (!in_program()) return *lock != 0 ? EBUSY : hold_alone(lock);
  return try_lock(const_cast<int*>(lock)) ? 0 : EBUSY;
}
int __wrap_pthread_spin_unlock(pthread_spinlock_t* lock) {
  if (!in_program()) {
    *lock = 0;
    return 0;
  }
  simulated::store(shared_word(const_cast<int*>(lock)), 4, 0, std::memory_order_release);
  return 0;
}

// ---- threads

pthread_t __wrap_pthread_self() {
  return in_program() ? handle_of(simulated::thread_number()) : pthread_self();
}
pid_t __wrap_gettid() {
  return in_program() ? task_of(simulated::thread_number()) : gettid();
}
int __wrap_sched_getcpu() {
  SimulatedProgram* const program = SimulatedProgram::running();
  return program == nullptr ? sched_getcpu() : program->processor();
}
// A function of libnuma, which a lock may be built against without being linked to it here.
int __wrap_numa_node_of_cpu(int processor) {
  SimulatedProgram* const program = SimulatedProgram::running();
  return program == nullptr ? 0 : program->node_of(processor);
}

// All simulated threads have the same parameters.
int __wrap_pthread_getschedparam(pthread_t thread, int* policy, sched_param* parameters) {
  if (!in_program()) return pthread_getschedparam(thread, policy, parameters);
  *policy = SCHED_OTHER;
  *parameters = {};
  return 0;
}

int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                          void* argument) {
  if (!in_program()) return pthread_create(thread, attributes, body, argument);
  const std::uint32_t number = simulated::start([=] {
    void* const result = body(argument);
    results()[simulated::thread_number()] = result;
  });
  *thread = handle_of(number + 1);
  return 0;
}
int __wrap_pthread_join(pthread_t thread, void** result) {
  if (!in_program()) return pthread_join(thread, result);
  const std::uint32_t number = number_of_handle(thread);
  simulated::join(number - 1);
  if (result != nullptr) *result = results()[number];
  return 0;
}
int __wrap_pthread_detach(pthread_t thread) {
  return in_program() ? 0 : pthread_detach(thread);
}

// The functions of std::thread that are not inline. Its only member is the library's handle.
void __wrap__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
    std::thread* thread, ThreadBody** state, void (*depend)()) {
  if (!in_program()) return start_of_library(thread, state, depend);
  ThreadBody* const body = std::exchange(*state, nullptr);
  const std::uint32_t number = simulated::start([body] {
    body->run();
    delete body;
  });
  *reinterpret_cast<pthread_t*>(thread) = handle_of(number + 1);
}
void __wrap__ZNSt6thread4joinEv(std::thread* thread) {
  if (!in_program()) return thread->join();
  simulated::join(number_of_handle(thread->native_handle()) - 1);
  *reinterpret_cast<pthread_t*>(thread) = 0;
}
void __wrap__ZNSt6thread6detachEv(std::thread* thread) {
  if (!in_program()) return thread->detach();
  *reinterpret_cast<pthread_t*>(thread) = 0;
}

int __wrap_pthread_once(pthread_once_t* control, void (*make)()) {
  return in_program() ? do_once(control, make) : pthread_once(control, make);
}

// The functions that std::future waits with. The seconds and nanoseconds of the deadline are passed
// as numbers.
bool __wrap__ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE(
    void*, unsigned* word, unsigned expected, bool has_deadline, long seconds, long nanoseconds) {
  return wait_of_future(word, expected, has_deadline, CLOCK_REALTIME, seconds, nanoseconds);
}
bool __wrap__ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE(
    void*, unsigned* word, unsigned expected, bool has_deadline, long seconds, long nanoseconds) {
  return wait_of_future(word, expected, has_deadline, CLOCK_MONOTONIC, seconds, nanoseconds);
}
void __wrap__ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj(unsigned* word) {
  if (in_program()) simulated::wake(word, INT_MAX);
}

int __wrap_pthread_barrier_wait(pthread_barrier_t* barrier) {
  if (!in_program()) return pthread_barrier_wait(barrier);
  return wait_at(*reinterpret_cast<Barrier*>(barrier));
}

int __wrap_pthread_key_create(pthread_key_t* key, void (*destroy)(void*)) {
  if (!in_program()) return pthread_key_create(key, destroy);
  keys().destroy.push_back(destroy);
  *key = kFirstKey + static_cast<pthread_key_t>(keys().destroy.size() - 1);
  return 0;
}
int __wrap_pthread_key_delete(pthread_key_t key) {
  if (key < kFirstKey) return pthread_key_delete(key);
  if (in_program()) keys().destroy.at(key - kFirstKey) = nullptr;
  return 0;
}
void* __wrap_pthread_getspecific(pthread_key_t key) {
  if (!in_program()) return pthread_getspecific(key);
  return values()[key];
}
int __wrap_pthread_setspecific(pthread_key_t key, const void* value) {
  if (!in_program()) return pthread_setspecific(key, value);
  values()[key] = const_cast<void*>(value);
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
#pragma GCC diagnostic pop
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
