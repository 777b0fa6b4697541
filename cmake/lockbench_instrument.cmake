# SPDX-License-Identifier: Apache-2.0
# LOCKBENCH_INSTRUMENT: options by which the compiler makes calls of the accesses of a lock, so that
# an engine of `stress` can decide or delay them. Nothing of a sanitizer is linked.
set(LOCKBENCH_INSTRUMENT -fsanitize=thread -DLOCKBENCH_INSTRUMENTED)
set(compiler ${CMAKE_CXX_COMPILER_ID})
if(NOT compiler)  # of a project in C alone
  set(compiler ${CMAKE_C_COMPILER_ID})
endif()
# LOCKBENCH_FRAMES_SEEN, LOCKBENCH_FRAMES_UNSEEN: whether the end of each function becomes a call, too.
# Only the simulated engine needs it, to know how long local variables live: so each has a slot of its
# own on the stack until the function ends. For its traces, callers stay on the stack, and equal calls
# of two lines are not made one of them.
if(compiler STREQUAL GNU)
  # A fence is handled here, though not by the sanitizer.
  list(APPEND LOCKBENCH_INSTRUMENT -Wno-tsan --param=tsan-distinguish-volatile=1)
  set(LOCKBENCH_FRAMES_SEEN
      --param=tsan-instrument-func-entry-exit=1 -fno-omit-frame-pointer -fstack-reuse=none
      -fno-optimize-sibling-calls -fno-crossjumping -fno-tree-tail-merge)
  set(LOCKBENCH_FRAMES_UNSEEN --param=tsan-instrument-func-entry-exit=0)
else()
  list(APPEND LOCKBENCH_INSTRUMENT "SHELL:-mllvm -tsan-distinguish-volatile=1")
  set(LOCKBENCH_FRAMES_SEEN -fno-omit-frame-pointer -fno-optimize-sibling-calls)
  set(LOCKBENCH_FRAMES_UNSEEN "SHELL:-mllvm -tsan-instrument-func-entry-exit=0")
endif()

# LOCKBENCH_THREAD_VARIABLES: options by which thread-local variables are found by calls of
# __tls_get_addr(), so that each simulated thread has its own. The default of aarch64 are descriptors,
# which call another function.
set(LOCKBENCH_THREAD_VARIABLES -ftls-model=global-dynamic)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  if(compiler STREQUAL GNU)
    list(APPEND LOCKBENCH_THREAD_VARIABLES -mtls-dialect=trad)
  else()
    message(STATUS "lockbench: the engine sim shares thread_local variables between simulated threads "
                   "in plug-ins of this compiler; use g++")
  endif()
endif()

# LOCKBENCH_WRAPPED: calls of the system's library that the simulated engine decides, or refuses.
set(LOCKBENCH_WRAPPED
    __tls_get_addr __cxa_thread_atexit __cxa_guard_acquire __cxa_guard_release
    __cxa_guard_abort __cxa_atexit sched_yield
    pthread_self nanosleep clock_nanosleep usleep
    clock_gettime gettimeofday _ZNSt6chrono3_V212steady_clock3nowEv _ZNSt6chrono3_V212system_clock3nowEv
    pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock pthread_cond_wait
    pthread_cond_timedwait pthread_cond_clockwait pthread_cond_signal pthread_cond_broadcast
    _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE
    _ZNSt18condition_variable10notify_oneEv _ZNSt18condition_variable10notify_allEv syscall
    pthread_create pthread_join pthread_detach pthread_getschedparam gettid sched_getcpu getcpu numa_node_of_cpu
    pthread_getspecific
    pthread_setspecific _ZNSt6thread4joinEv _ZNSt6thread6detachEv
    _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE
    pthread_mutex_timedlock pthread_mutex_clocklock pthread_rwlock_rdlock pthread_rwlock_wrlock
    pthread_rwlock_tryrdlock pthread_rwlock_trywrlock pthread_rwlock_timedrdlock
    pthread_rwlock_timedwrlock pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock
    pthread_rwlock_unlock pthread_spin_init pthread_spin_lock pthread_spin_trylock pthread_spin_unlock
    pthread_barrier_wait pthread_once pthread_key_create
    pthread_key_delete sem_wait sem_trywait sem_timedwait sem_clockwait sem_post sem_getvalue poll
    _ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE
    _ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE
    _ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj
    select mmap munmap malloc calloc realloc free aligned_alloc posix_memalign
    memcpy memmove memset memcmp bcmp __memcpy_chk __memmove_chk __memset_chk strlen strcmp strncmp)
list(TRANSFORM LOCKBENCH_WRAPPED PREPEND -Wl,--wrap=)
