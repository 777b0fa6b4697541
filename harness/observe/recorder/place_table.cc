// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/recorder/place_table.h"

#include <cstring>

#include "harness/observe/recorder/changed_holds.h"
#include "harness/observe/recorder/counters.h"
#include "harness/observe/recorder/loaded_code.h"
#include "harness/observe/recorder/mapped_recording.h"

namespace lockbench::observe {
namespace {

// The callers of a place as it stores them.
struct Code {
  std::array<std::uint64_t, Place::kMostCallers> addresses{};
  std::array<std::uint32_t, Place::kMostCallers> modules{};
  std::size_t count = 0;
};

bool is_path_of(const Module& module, const char* path) {
  return std::strncmp(module.path.data(), path, module.path.size() - 1) == 0;
}

// The index + 1 of the program or library that contains the address.
std::uint32_t module_of(Process& process, const void* address) {
  const LoadedCode code = code_at(address);
  if (code.library == nullptr) return 0;
  if (code.library[0] == '\0') {
    process.modules[0].bias.store(code.bias, kRelaxed);
    return 1;
  }
  for (std::size_t i = 1; i < process.modules.size(); ++i) {
    Module& module = process.modules[i];
    if (module.path[0] == '\0') {
      // Two threads may list one module twice, which costs an entry only.
      module.bias.store(code.bias, kRelaxed);
      std::strncpy(module.path.data(), code.library, module.path.size() - 1);
      return static_cast<std::uint32_t>(i + 1);
    }
    if (module.bias.load(kRelaxed) == code.bias && is_path_of(module, code.library)) {
      return static_cast<std::uint32_t>(i + 1);
    }
  }
  return 0;
}

std::uint64_t key_of(const Code& code, LockKind kind) {
  std::uint64_t key = static_cast<std::uint64_t>(kind) + 1;
  for (std::size_t i = 0; i < code.count; ++i) {
    key = key * 31 + code.modules[i];
    key = (key ^ code.addresses[i]) * 0x9E3779B97F4A7C15U;
    key ^= key >> 29;
  }
  return key == 0 ? 1 : key;
}

std::uint32_t find(std::uint32_t from, std::uint64_t key) {
  for (std::uint32_t number = from; number != 0;) {
    const Place* const place = place_at(number);
    if (place == nullptr) return 0;
    if (place->key.load(kRelaxed) == key) return number;
    number = place->next.load(kRelaxed);
  }
  return 0;
}

// The number of a place that nobody knows yet; 0: there is no room.
std::uint32_t new_place(Process& process) {
  std::uint32_t places = process.places.load(kRelaxed);
  do {
    if (places == Layout::kPlaces || place_at(places + 1) == nullptr) return 0;
  } while (!process.places.compare_exchange_weak(places, places + 1, kRelaxed));
  return places + 1;
}

std::uint32_t find_or_add(Process& process, const Code& code, LockKind kind) {
  const std::uint64_t key = key_of(code, kind);
  Number& head = process.place_heads[key % Process::kPlaceHeads];
  // acquire: with the exchange below, which publishes the place.
  std::uint32_t first = head.load(std::memory_order_acquire);
  if (const std::uint32_t known = find(first, key)) return known;
  const std::uint32_t number = new_place(process);
  if (number == 0) return 0;
  Place& place = *place_at(number);
  place.kind.store(static_cast<std::uint32_t>(kind), kRelaxed);
  for (std::size_t i = 0; i < code.count; ++i) {
    place.callers[i].address.store(code.addresses[i], kRelaxed);
    place.callers[i].module.store(code.modules[i], kRelaxed);
  }
  place.key.store(key, kRelaxed);
  if (changes_holds()) choose_if_changed(process, number, place);
  do {
    // Another thread may have added it. Then this number stays without a use.
    if (const std::uint32_t known = find(first, key)) return known;
    place.next.store(first, kRelaxed);
  } while (!head.compare_exchange_weak(first, number, std::memory_order_acq_rel));
  return number;
}

}  // namespace

std::uint32_t place_number(Process& process, const Callers& callers, LockKind kind) {
  Code code{.count = callers.count};
  for (std::size_t i = 0; i < callers.count; ++i) {
    code.addresses[i] = reinterpret_cast<std::uint64_t>(callers.addresses[i]);
    code.modules[i] = module_of(process, callers.addresses[i]);
  }
  return find_or_add(process, code, kind);
}

std::uint32_t place_number(Process& process, const Place& place, LockKind kind) {
  Code code;
  for (const CodeAddress& caller : place.callers) {
    const std::uint64_t address = caller.address.load(kRelaxed);
    if (address == 0) break;
    code.addresses[code.count] = address;
    code.modules[code.count++] = caller.module.load(kRelaxed);
  }
  return find_or_add(process, code, kind);
}

}  // namespace lockbench::observe
