// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/recorder/lengthened.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "harness/observe/recorder/counters.h"
#include "harness/observe/recorder/mapped_recording.h"
#include "workloads/multiply_chain.h"

namespace lockbench::observe {

std::atomic<bool> internal::some_are_lengthened{false};

namespace {

// By the number of a place: 0, or the position of its entry in the header, plus 1.
std::array<std::atomic<std::uint8_t>, Layout::kPlaces + 1> chosen;
static_assert(Header::kLengthened < UINT8_MAX);

bool is_call(const Process& process, const CodeAddress& caller,
             const LengthenedPlace::Caller& wanted) {
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
bool is_place(const Process& process, const Place& place, const LengthenedPlace& wanted) {
  const std::uint32_t callers = wanted.callers.load(kRelaxed);
  for (std::uint32_t i = 0; i < callers; ++i) {
    if (!is_call(process, place.callers[i], wanted.code[i])) return false;
  }
  return callers != 0;
}

}  // namespace

void begin_lengthening(const Header& header) {
  if (header.lengthened[0].callers.load(kRelaxed) == 0) return;
  internal::some_are_lengthened.store(true, kRelaxed);
}

void choose_if_lengthened(const Process& process, std::uint32_t number, const Place& place) {
  const auto& wanted = MappedRecording::header()->lengthened;
  const auto* const found =
      std::find_if(wanted.begin(), wanted.end(),
                   [&](const LengthenedPlace& one) { return is_place(process, place, one); });
  // Places of a copied process have numbers of their own, so those of no interest are stored, too.
  const auto entry = found == wanted.end() ? 0 : found - wanted.begin() + 1;
  chosen[number].store(static_cast<std::uint8_t>(entry), kRelaxed);
}

void lengthen_hold(std::uint32_t number) {
  const std::uint8_t entry = chosen[number].load(kRelaxed);
  if (entry == 0) return;
  LengthenedPlace& place = MappedRecording::header()->lengthened[entry - 1];
  add(place.holds, 1);
  multiply_chain(place.steps.load(kRelaxed));
}

}  // namespace lockbench::observe
