// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/recorder/lock_orders.h"

#include "harness/observe/recorder/counters.h"

namespace lockbench::observe {
namespace {

constexpr std::size_t kMostProbes = 16;

std::uint64_t address_of(const void* lock) {
  return reinterpret_cast<std::uint64_t>(lock);
}

// The entry of the pair, a new one if it has none; nullptr: there is no room.
Order* entry_of(std::array<Order, Process::kOrders>& orders, std::uint64_t first,
                std::uint64_t second, std::uint64_t key, bool& is_new) {
  for (std::size_t i = 0; i < kMostProbes; ++i) {
    Order& order = orders[(key + i) % orders.size()];
    std::uint64_t seen = order.first.load(kRelaxed);
    if (seen == first && order.second.load(kRelaxed) == second) return &order;
    if (seen != 0 || !order.first.compare_exchange_strong(seen, first, kRelaxed)) continue;
    order.second.store(second, kRelaxed);
    is_new = true;
    return &order;
  }
  return nullptr;
}

bool is_around(const Thread& thread, std::uint32_t held, std::uint64_t lock) {
  for (std::uint32_t i = 0; i < held; ++i) {
    if (address_of(thread.held[i].lock) == lock) return true;
  }
  return false;
}

}  // namespace

void note_order(std::array<Order, Process::kOrders>& orders, Thread& thread, std::uint32_t held,
                const Request& request, Count& lost) {
  const Held& outer = thread.held[held];
  const std::uint64_t first = address_of(outer.lock);
  const std::uint64_t second = address_of(request.lock);
  const std::uint64_t key = (first * 0x9E3779B97F4A7C15U ^ second) * 0x9E3779B97F4A7C15U >> 20;
  std::uint64_t& known = thread.orders[key % thread.orders.size()];
  // Inside of fewer locks it is noted again.
  if (known == key + held) return;
  known = key + held;
  bool is_new = false;
  Order* const order = entry_of(orders, first, second, key, is_new);
  if (order == nullptr) {
    add(lost, 1);
    return;
  }
  const std::uint32_t shared =
      (outer.is_shared ? 1U : 0U) | (request.access == Access::kShared ? 2U : 0U);
  if (is_new) {
    order->thread.store(thread.number, kRelaxed);
    order->shared.store(shared, kRelaxed);
    for (std::uint32_t i = 0; i < std::min<std::uint32_t>(held, order->around.size()); ++i) {
      order->around[i].store(address_of(thread.held[i].lock), kRelaxed);
    }
    return;
  }
  if (order->thread.load(kRelaxed) != thread.number) order->other_threads.store(1, kRelaxed);
  order->shared.fetch_and(shared, kRelaxed);
  for (Count& around : order->around) {
    if (!is_around(thread, held, around.load(kRelaxed))) around.store(0, kRelaxed);
  }
}

}  // namespace lockbench::observe
