// SPDX-License-Identifier: Apache-2.0

// EpochChecks: what an epoch checks besides the calls of its threads. Each fails the epoch if it
// finds a fault.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/stress/oracles/seen.h"
#include "harness/stress/threads/checked_thread.h"
#include "harness/stress/threads/epoch_context.h"
#include "harness/stress/threads/shared_state.h"

namespace lockbench::stress::threads {

// ---- before the threads of the program begin

// Many holds of one key; many refusals of a held key; many other keys; many holds at once. Each
// takes 0.1 s at most, the first one 0.4 s: a slow lock does not reach the point of overflow. Notes
// failures in `state`.
void warm_up(SharedState& state, LockUnderTest& lock, const LitmusProgram& program,
             const Abilities& abilities);

// ---- while they run

// Called while the threads of an epoch compete for one key. Returns when each thread that waited
// has got the key, which takes a few milliseconds as a rule, and after some seconds at most. Fails
// the lock if a thread got it in none of 20 pauses of 50 ms.
void check_starvation(EpochContext& context);

// ---- when they have ended

// Checks conservation, residue, that the lock is free, that some order of the calls explains the
// history, and that keys are independent. Returns if everything is correct; otherwise the epoch
// fails.
void check_quiescent_state(EpochContext& context,
                           const std::vector<std::unique_ptr<CheckedThread>>& threads);

// The parts of that, which require that no other thread uses the lock:

// The parent must hold the key as before: another of its threads is refused it. If the lock
// promises to survive a fork, the child must be able to release its copy of the hold and to acquire
// the key again. Requires: the lock has one holder.
void check_fork_while_held(EpochContext& context);

// Two threads use a lock for the last time, and the last of them destroys it: does so with many
// locks, for some milliseconds, while signals delay both threads. If there is an instrumented form
// of the lock, its accesses are delayed as `seed` says. An access of destroyed memory ends the
// process (guarded_memory.h). Requires Abilities::last_may_destroy.
void check_last_leaver(EpochContext& context, std::uint64_t seed);

// Checks whether threads are served in the order in which they arrive. Fails the epoch if a thread
// overtook another one. Decides nothing if the machine delays the threads for too long. `draw`: a
// random number, from which the number of waiters follows.
void check_arrival_order(EpochContext& context, std::uint64_t draw);

// Checks whether a thread that waits is passed more often than the lock promises. Decides nothing
// if the machine delays the threads for too long. `by_tries`: whether the one that passes calls
// try_lock(). Requires: Abilities::bypass_limit; one holder.
void check_bypass_limit(EpochContext& context, bool by_tries);

// As many readers as a count of 8 bits has values hold the lock together, one after the other; with
// each of them inside, a writer is refused. With fewer if the machine permits no more threads.
// Requires Abilities::keys_read. Takes 10 to 20 ms.
void check_crowd_of_readers(EpochContext& context);

// As many threads as a count of 8 bits has values sleep until a key is released, and are served one
// by one. The epoch fails if some are not: their process makes no progress. Only if the first of
// them sleep, and with fewer if the machine permits no more threads. Requires: the lock has one
// holder. Takes 30 ms.
void check_crowd_of_sleepers(EpochContext& context);

// The next two require a lock that is timed and has one holder.

// A thread waits with each of kTimeoutsOfMoreBits, and the key is released after a few
// milliseconds. It must not give up before. Takes 30 ms.
void check_timeouts_of_more_bits(EpochContext& context);

// A thread waits with a timeout, while the holder releases the key and takes it again each
// millisecond. A thread that is woken and begins its timeout anew, or waits without one from then
// on, comes late. Time in which it, or the whole machine, had no processor does not count. Takes 10
// ms; 1.5 s if the lock is late.
void check_timeout_of_a_woken_thread(EpochContext& context);

// Checks whether calls of one kind leave memory behind. Makes them in one thread, while another
// thread holds the keys that are tried. If the lock keeps nothing for unused keys, each call has a
// key of its own. Takes 40 ms at most, or 240 ms of timeouts; half as long again if the heap grows.
// Checks nothing if the calls take too long for that.
void check_memory_growth(EpochContext& context, Calls calls);

// Checks whether two keys share a lock. Requires: Abilities::lock_per_key and any_key; key set 0.
// Fails the epoch if it finds two keys of which one cannot be acquired while the other is held, and
// can be acquired while it is not.
void scan_keys(EpochContext& context, std::uint64_t seed);

}  // namespace lockbench::stress::threads
