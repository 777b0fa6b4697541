// SPDX-License-Identifier: Apache-2.0

// Connects the platform's hooks to the current world. Without a current world, each operation takes
// effect at once, as in a program with one thread.

#include "primitives/platform/simulated/hooks.h"

#include <cstring>
#include <utility>

#include "harness/stress/explore/world/world.h"

namespace lockbench::platform::simulated {
namespace {

using stress::explore::World;

std::uint64_t read(const void* word, unsigned bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, word, bytes);
  return bits;
}

}  // namespace

void constructed(const void* word, unsigned bytes) noexcept {
  if (World* const world = World::of_program()) world->constructed(word, bytes);
}

void destroyed(const void* word, unsigned) noexcept {
  if (World* const world = World::of_program()) world->destroyed(word);
}

std::uint64_t load(const void* word, unsigned bytes, std::memory_order order) noexcept {
  World* const world = World::current();
  if (world == nullptr) return read(word, bytes);
  world->at(__builtin_return_address(0));
  return world->load(word, bytes, order);
}

void store(void* word, unsigned bytes, std::uint64_t bits, std::memory_order order) noexcept {
  if (World* const world = World::current()) {
    world->at(__builtin_return_address(0));
    return world->store(word, bytes, bits, order);
  }
  std::memcpy(word, &bits, bytes);
}

std::uint64_t begin_update(const void* word, unsigned bytes, std::memory_order order) noexcept {
  World* const world = World::current();
  if (world == nullptr) return read(word, bytes);
  world->at(__builtin_return_address(0));
  return world->begin_update(word, bytes, order);
}

std::uint64_t begin_compare(const void* word, unsigned bytes, std::uint64_t expected,
                            std::memory_order success, std::memory_order failure) noexcept {
  World* const world = World::current();
  if (world == nullptr) return read(word, bytes);
  world->at(__builtin_return_address(0));
  return world->begin_compare(word, bytes, expected, success, failure);
}

void end_update(void* word, unsigned bytes, std::uint64_t bits, bool writes,
                std::memory_order order) noexcept {
  World* const world = World::current();
  if (world != nullptr) return world->end_update(word, bytes, bits, writes, order);
  if (writes) std::memcpy(word, &bits, bytes);
}

bool fails_spuriously() noexcept {
  World* const world = World::current();
  return world != nullptr && world->fails_spuriously();
}

void fence(std::memory_order order) noexcept {
  World* const world = World::current();
  if (world == nullptr) return;
  world->at(__builtin_return_address(0));
  world->fence(order);
}

void fence_all_threads() noexcept {
  if (World* const world = World::current()) world->fence_all();
}

bool wait(const void* word, std::uint32_t expected, std::int64_t deadline_ns) noexcept {
  World* const world = World::current();
  if (world == nullptr) return true;
  world->at(__builtin_return_address(0));
  return world->wait(word, expected, deadline_ns) != World::WaitEnd::kTimedOut;
}

void wake(const void* word, int count) noexcept {
  if (World* const world = World::current()) world->wake(word, count);
}

void note_mutex(const void* word, bool acquired) noexcept {
  if (World* const world = World::current()) world->note_mutex(word, acquired);
}

std::int64_t now_ns() noexcept {
  World* const world = World::current();
  return world != nullptr ? world->now() : 0;
}

void sleep_until_ns(std::int64_t deadline_ns) noexcept {
  if (World* const world = World::current()) world->sleep_until(deadline_ns);
}

void pause() noexcept {
  if (World* const world = World::current()) world->pause();
}

std::uint32_t thread_number() noexcept {
  const World* const world = World::current();
  return world != nullptr ? world->thread() + 1 : 0;
}

std::uint32_t start(std::function<void()> body) {
  World* const world = World::current();
  if (world != nullptr) return world->start(std::move(body));
  body();
  return 0;
}

void join(std::uint32_t thread) noexcept {
  if (World* const world = World::current()) world->join(thread);
}

void* of_this_thread(Maker maker) {
  World* const world = World::current();
  return world != nullptr ? world->own_of(world->thread(), maker) : maker();
}

void* of_this_process(Maker maker) {
  World* const world = World::current();
  return world != nullptr ? world->own_of(World::kProcess, maker) : maker();
}

}  // namespace lockbench::platform::simulated
