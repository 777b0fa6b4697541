// SPDX-License-Identifier: Apache-2.0

// The functions by which the simulated platform asks the scheduler that explores interleavings. The
// names are declared here and defined by programs that run simulations; a normal build never sees
// them.
//
// Every function but the queries and note_mutex() is a point of choice: the scheduler may let other
// simulated threads go first, for as long as it likes. Words are 1, 2, 4 or 8 bytes and travel as
// the low bytes of a std::uint64_t. Outside of a simulation all this happens at once and alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace lockbench::platform::simulated {

// A shared word begins and ends its life. Using one that is not alive is found out.
void constructed(const void* word, unsigned bytes) noexcept;
void destroyed(const void* word, unsigned bytes) noexcept;

std::uint64_t load(const void* word, unsigned bytes, std::memory_order order) noexcept;
void store(void* word, unsigned bytes, std::uint64_t bits, std::memory_order order) noexcept;

// An atomic read-modify-write: nothing happens between the two calls. begin_update() returns the
// value that it reads, and it writes; begin_compare() the same, for an update that writes if the
// value is `expected` and is a load of the order `failure` if not. end_update() writes `bits` if
// `writes`, else the update is a load of `order`.
std::uint64_t begin_update(const void* word, unsigned bytes, std::memory_order order) noexcept;
std::uint64_t begin_compare(const void* word, unsigned bytes, std::uint64_t expected,
                            std::memory_order success, std::memory_order failure) noexcept;
void end_update(void* word, unsigned bytes, std::uint64_t bits, bool writes,
                std::memory_order order) noexcept;

// True if a compare-exchange that may fail spuriously, and would succeed, does fail. Between
// begin_update() and end_update().
bool fails_spuriously() noexcept;

void fence(std::memory_order order) noexcept;
// The barrier that one thread imposes on all (membarrier).
void fence_all_threads() noexcept;

// As futex_wait() and futex_wake(). Times are nanoseconds of virtual time.
bool wait(const void* word, std::uint32_t expected, std::int64_t deadline_ns) noexcept;
void wake(const void* word, int count) noexcept;

// The thread has acquired the mutex whose waiters sleep at `word`, or is about to release it. So a
// cycle of mutexes can be named.
void note_mutex(const void* word, bool acquired) noexcept;

std::int64_t now_ns() noexcept;
void sleep_until_ns(std::int64_t deadline_ns) noexcept;

// The thread has nothing to do until another has done something.
void pause() noexcept;

// The running thread: 0 outside of a simulation, then 1, 2, …
std::uint32_t thread_number() noexcept;

// Starts a thread and returns its number; waits for a thread to end.
std::uint32_t start(std::function<void()> body);
void join(std::uint32_t thread) noexcept;

// The object that `maker` makes once per simulated thread, or once per simulation; `maker` says
// which. It is never destroyed: its memory ends with the simulation.
using Maker = void* (*)();
void* of_this_thread(Maker maker);
void* of_this_process(Maker maker);

}  // namespace lockbench::platform::simulated
