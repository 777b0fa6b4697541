// SPDX-License-Identifier: Apache-2.0

// Connects the hooks of the simulated platform to the simulation on a machine. Before and after it,
// each operation takes effect at once, as in a program with one thread.

#include "primitives/platform/simulated/hooks.h"

#include <cstring>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "harness/predict/machine/simulation.h"
#include "harness/predict/trial/threads_of_locks.h"
#include "primitives/platform/failure.h"
#include "primitives/platform/simulated/machine_hooks.h"

namespace lockbench::platform::simulated {
namespace {

using machine::Simulation;

std::uint64_t read(const void* word, unsigned bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, word, bytes);
  return bits;
}

// An object that belongs to a thread or to the process.
struct Own {
  Maker maker;
  void* object;
};

void* own_of(std::vector<Own>& owns, Maker maker) {
  for (const Own& own : owns) {
    if (own.maker == maker) return own.object;
  }
  void* const made = maker();
  owns.push_back({maker, made});
  return made;
}

// x86 orders stores, so each that is not sequentially consistent may wait in the buffer.
bool is_buffered(std::memory_order order) {
  return order != std::memory_order_seq_cst;
}

}  // namespace

void constructed(const void*, unsigned) noexcept {}

void destroyed(const void* word, unsigned bytes) noexcept {
  if (Simulation* const simulation = Simulation::current()) simulation->forget_stores(word, bytes);
}

std::uint64_t load(const void* word, unsigned bytes, std::memory_order) noexcept {
  Simulation* const simulation = Simulation::current();
  return simulation == nullptr ? read(word, bytes) : simulation->load(word, bytes);
}

void store(void* word, unsigned bytes, std::uint64_t bits, std::memory_order order) noexcept {
  Simulation* const simulation = Simulation::current();
  if (simulation != nullptr) return simulation->store(word, bytes, bits, is_buffered(order));
  std::memcpy(word, &bits, bytes);
}

std::uint64_t begin_update(const void* word, unsigned bytes, std::memory_order) noexcept {
  Simulation* const simulation = Simulation::current();
  return simulation == nullptr ? read(word, bytes) : simulation->begin_update(word, bytes);
}

std::uint64_t begin_compare(const void* word, unsigned bytes, std::uint64_t,
                            std::memory_order success, std::memory_order) noexcept {
  return begin_update(word, bytes, success);
}

void end_update(void* word, unsigned bytes, std::uint64_t bits, bool writes,
                std::memory_order) noexcept {
  Simulation* const simulation = Simulation::current();
  if (simulation != nullptr) return simulation->end_update(word, bytes, bits, writes);
  if (writes) std::memcpy(word, &bits, bytes);
}

bool fails_spuriously() noexcept {
  return false;
}

void fence(std::memory_order order) noexcept {
  Simulation* const simulation = Simulation::current();
  if (simulation != nullptr && order == std::memory_order_seq_cst) simulation->fence();
}

void fence_all_threads() noexcept {
  if (Simulation* const simulation = Simulation::current()) simulation->membarrier();
}

bool wait(const void* word, std::uint32_t expected, std::int64_t deadline_ns) noexcept {
  Simulation* const simulation = Simulation::current();
  return simulation == nullptr || simulation->wait(word, expected, deadline_ns);
}

void wake(const void* word, int count) noexcept {
  if (Simulation* const simulation = Simulation::current()) simulation->wake(word, count);
}

void note_mutex(const void*, bool) noexcept {}

std::int64_t now_ns() noexcept {
  Simulation* const simulation = Simulation::current();
  return simulation == nullptr ? 0 : simulation->now_ns();
}

std::uint64_t ticks() noexcept {
  Simulation* const simulation = Simulation::current();
  return simulation == nullptr ? 0 : simulation->ticks();
}

void sleep_until_ns(std::int64_t deadline_ns) noexcept {
  if (Simulation* const simulation = Simulation::current()) simulation->sleep_until_ns(deadline_ns);
}

void pause() noexcept {
  if (Simulation* const simulation = Simulation::current()) simulation->pause();
}

void yield() noexcept {
  if (Simulation* const simulation = Simulation::current()) simulation->yield();
}

unsigned processors() noexcept {
  const Simulation* const simulation = Simulation::current();
  return simulation == nullptr ? 1 : simulation->model().processors();
}

std::uint32_t thread_number() noexcept {
  const Simulation* const simulation = Simulation::current();
  return simulation == nullptr ? 0 : simulation->thread() + 1;
}

std::uint32_t start(std::function<void()> body) {
  if (Simulation::current() != nullptr) {
    abort_with("a lock that starts threads while others use it cannot be predicted");
  }
  std::vector<std::function<void()>>& threads = predict::threads_of_locks();
  threads.push_back(std::move(body));
  return static_cast<std::uint32_t>(threads.size());
}

void join(std::uint32_t) noexcept {}

void* of_this_thread(Maker maker) {
  // By number of the thread. A deque: while one thread makes its object, others may run and enlarge
  // it, and the thread's own part must stay where it is.
  static std::deque<std::vector<Own>> owns;
  const std::uint32_t number = thread_number();
  if (owns.size() <= number) owns.resize(number + 1);
  return own_of(owns[number], maker);
}

void* of_this_process(Maker maker) {
  static std::vector<Own> owns;
  return own_of(owns, maker);
}

}  // namespace lockbench::platform::simulated

std::vector<std::function<void()>>& lockbench::predict::threads_of_locks() {
  static std::vector<std::function<void()>> threads;
  return threads;
}
