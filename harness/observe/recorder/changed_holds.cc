// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/recorder/changed_holds.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "harness/observe/recorder/counters.h"
#include "harness/observe/recorder/mapped_recording.h"
#include "harness/observe/recorder/pauses.h"
#include "workloads/multiply_chain.h"

namespace lockbench::observe {

std::atomic<bool> internal::some_are_changed{false};

namespace {

// By the number of a place: 0, or the position of its entry in the header, plus 1.
std::array<std::atomic<std::uint8_t>, Layout::kPlaces + 1> chosen;
static_assert(Header::kChangedPlaces < UINT8_MAX);

// The chosen locks by their addresses, in a table with open addressing. It is written before the
// program's first thread begins.
struct ChosenLock {
  std::uint64_t address;  // 0: free
  std::uint8_t entry;     // as in `chosen`
};
constexpr std::size_t kTable = 2 * Header::kChangedPlaces * ChangedPlace::kMostLocks;
static_assert(kTable == std::size_t{1} << (64 - 54));
std::array<ChosenLock, kTable> chosen_locks;

// The free entry for this address, or the one that has it. Half of the table is always free.
ChosenLock& lock_at(std::uint64_t address) {
  std::size_t at = hashed(reinterpret_cast<const void*>(address)) >> 54;
  while (chosen_locks[at].address != 0 && chosen_locks[at].address != address) {
    at = (at + 1) % kTable;
  }
  return chosen_locks[at];
}

bool is_call(const Process& process, const CodeAddress& caller,
             const ChangedPlace::Caller& wanted) {
  const std::uint32_t number = caller.module.load(kRelaxed);
  if (number == 0) return false;
  const Module& module = process.modules[number - 1];
  // The call is before its return address.
  const std::uint64_t offset = caller.address.load(kRelaxed) - 1 - module.bias.load(kRelaxed);
  return offset == wanted.offset.load(kRelaxed) &&
         std::strcmp(module.path.data(), wanted.path.data()) == 0;
}

// True if the place's innermost callers are the wanted ones. It may have more: those of the first
// locks are recorded before it is known which of them are wrappers.
bool is_place(const Process& process, const Place& place, const ChangedPlace& wanted) {
  const std::uint32_t callers = wanted.callers.load(kRelaxed);
  for (std::uint32_t i = 0; i < callers; ++i) {
    if (!is_call(process, place.callers[i], wanted.code[i])) return false;
  }
  return callers != 0;
}

// Adds a hold of this thread to those of all.
void count_hold(ChangedPlace& place, std::uint32_t& of_thread) {
  constexpr std::uint32_t kExact = 1024;
  constexpr std::uint32_t kTogether = 64;
  ++of_thread;
  if (of_thread <= kExact) {
    add(place.holds, 1);
  } else if (of_thread % kTogether == 0) {
    add(place.holds, kTogether);
  }
}

}  // namespace

void begin_changing(const Header& header, const char* program) {
  if (header.changed[0].callers.load(kRelaxed) == 0) return;
  for (std::size_t i = 0; i < header.changed.size(); ++i) {
    const ChangedPlace& place = header.changed[i];
    if (std::strcmp(place.program.data(), program) != 0) continue;
    for (std::uint32_t k = 0; k < place.lock_count.load(kRelaxed); ++k) {
      const std::uint64_t address = place.locks[k].load(kRelaxed);
      lock_at(address) = {.address = address, .entry = static_cast<std::uint8_t>(i + 1)};
    }
  }
  internal::some_are_changed.store(true, kRelaxed);
  begin_pauses(header);
}

void choose_if_changed(const Process& process, std::uint32_t number, const Place& place) {
  const auto& wanted = MappedRecording::header()->changed;
  const auto* const found =
      std::find_if(wanted.begin(), wanted.end(),
                   [&](const ChangedPlace& one) { return is_place(process, place, one); });
  // Places of a copied process have numbers of their own, so those of no interest are stored, too.
  const auto entry = found == wanted.end() ? 0 : found - wanted.begin() + 1;
  chosen[number].store(static_cast<std::uint8_t>(entry), kRelaxed);
}

void change_hold(Thread& thread, const Held& held) {
  const std::uint8_t by_address = lock_at(reinterpret_cast<std::uint64_t>(held.lock)).entry;
  const std::uint8_t entry = by_address != 0 ? by_address : chosen[held.place].load(kRelaxed);
  if (entry == 0) return;
  ChangedPlace& place = MappedRecording::header()->changed[entry - 1];
  count_hold(place, thread.changed[entry - 1]);
  const std::uint64_t steps = place.steps.load(kRelaxed);
  if (steps != 0) multiply_chain(steps);
  if (some_pause()) let_others_pause(thread, held, place.shorter_by.load(kRelaxed));
}

}  // namespace lockbench::observe
