// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/recorder/callers.h"

#include <algorithm>
#include <atomic>
#include <features.h>
#include <unwind.h>

#include "harness/observe/recorder/counters.h"
#include "harness/observe/recorder/loaded_code.h"

namespace lockbench::observe {
namespace {

// Wrappers of wrappers are few. A function that both an acquisition and a release have far above
// them is the program's main loop.
constexpr std::size_t kMostDepth = 5;

constexpr std::size_t kDeepest = 32;

struct Walk {
  std::array<const void*, kDeepest> addresses{};
  std::size_t count = 1;
  std::size_t wanted = 1;
  bool is_past_first = false;
};

_Unwind_Reason_Code add_caller(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  const auto* const address = reinterpret_cast<const void*>(_Unwind_GetIP(context));
  // The frames of this library come first, then the known caller.
  if (walk.is_past_first) {
    walk.addresses[walk.count++] = address;
  } else {
    walk.is_past_first = address == walk.addresses[0];
  }
  return walk.count == walk.wanted ? _URC_END_OF_STACK : _URC_NO_REASON;
}

Walk walk_from(const void* caller, std::size_t wanted) {
  Walk walk{.wanted = wanted};
  walk.addresses[0] = caller;
#if __GLIBC_PREREQ(2, 35)
  if (wanted > 1) _Unwind_Backtrace(add_caller, &walk);
#endif
  return walk;
}

// The known facts of a call: its address, and the depth in the lowest bits of a second word. Two
// calls in one entry take turns, which costs time only.
struct Site {
  std::atomic<const void*> caller;
  std::atomic<std::size_t> depth;
};
constexpr std::size_t kSites = 4096;
Site the_sites[kSites];

Site& site_of(const void* caller) {
  return the_sites[hashed(caller) >> 52];
}
static_assert(kSites == std::size_t{1} << (64 - 52));

const void* function_of(const void* address) {
  return _Unwind_FindEnclosingFunction(const_cast<void*>(address));
}

std::size_t common_depth(const Callers& acquires, const Callers& releases) {
  std::array<const void*, Place::kMostCallers> releasing{};
  for (std::size_t i = 0; i < releases.count; ++i) {
    releasing[i] = function_of(releases.addresses[i]);
  }
  for (std::size_t i = 0; i < std::min(acquires.count, kMostDepth); ++i) {
    const void* const function = function_of(acquires.addresses[i]);
    if (function == nullptr) break;
    for (std::size_t k = 0; k < releases.count; ++k) {
      if (releasing[k] == function) return i + 1;
    }
  }
  return 1;
}

}  // namespace

Callers callers_of(const void* caller, std::size_t wanted) {
  const Walk walk = walk_from(caller, std::min(wanted, Place::kMostCallers));
  Callers callers{.count = walk.count};
  std::copy_n(walk.addresses.begin(), walk.count, callers.addresses.begin());
  return callers;
}

Callers callers_of_futex(const void* caller) {
  const Walk walk = walk_from(caller, kDeepest);
  const char* const library = code_at(caller).library;
  const bool is_library = library != nullptr && library[0] != '\0';
  std::size_t last = 0;
  while (last + 1 < walk.count && code_at(walk.addresses[last + 1]).library == library) ++last;
  const bool leaves_library = is_library && last + 1 < walk.count && last > 0;
  Callers callers;
  callers.addresses[0] = caller;
  for (std::size_t i = leaves_library ? last : 1;
       i < walk.count && callers.count < callers.addresses.size(); ++i) {
    callers.addresses[callers.count++] = walk.addresses[i];
  }
  return callers;
}

std::size_t depth_at(const void* caller) {
  const Site& site = site_of(caller);
  // acquire: with learn_depth(), so that the depth belongs to the caller.
  return site.caller.load(std::memory_order_acquire) == caller ? site.depth.load(kRelaxed) : 0;
}

std::size_t learn_depth(const Callers& first, const void* caller) {
#if __GLIBC_PREREQ(2, 35)
  if (const std::size_t known = depth_at(first.addresses[0])) return known;
  const std::size_t depth = common_depth(first, callers_of(caller, Place::kMostCallers));
  Site& site = site_of(first.addresses[0]);
  site.caller.store(nullptr, kRelaxed);
  site.depth.store(depth, std::memory_order_release);  // no later than the caller below
  site.caller.store(first.addresses[0], std::memory_order_release);
  return depth;
#else
  static_cast<void>(caller);
  static_cast<void>(first);
  return 1;
#endif
}

}  // namespace lockbench::observe
