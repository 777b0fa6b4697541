// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/world/caller_state.h"

#include <cstring>
#include <unwind.h>

#include "harness/stress/mix.h"

// The linker defines these: the beginning and the end of the code of this program.
extern "C" const char __executable_start;  // NOLINT(bugprone-reserved-identifier)
extern "C" const char etext;

namespace lockbench::stress::explore {
namespace {

// The numbers that DWARF gives to the registers that a call must restore.
#if defined(__x86_64__)
constexpr int kKeptRegisters[] = {3, 6, 12, 13, 14, 15};
#elif defined(__aarch64__)
constexpr int kKeptRegisters[] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29};
#else
#error "Name the registers that a call must restore on this machine here"
#endif

struct Search {
  const std::byte* stack_end;
  std::optional<std::uint64_t> state;
};

bool is_in_program(_Unwind_Ptr code) {
  return code >= reinterpret_cast<_Unwind_Ptr>(&__executable_start) &&
         code < reinterpret_cast<_Unwind_Ptr>(&etext);
}

_Unwind_Reason_Code visit(_Unwind_Context* frame, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  const _Unwind_Ptr code = _Unwind_GetIP(frame);
  if (is_in_program(code)) return _URC_NO_REASON;
  const auto* const stack = reinterpret_cast<const std::byte*>(_Unwind_GetCFA(frame));
  if (stack >= search.stack_end) return _URC_END_OF_STACK;
  std::uint64_t state = mix(code);
  const auto add = [&](std::uint64_t word) { state = (state ^ word) * 0x9e3779b97f4a7c15ULL; };
  for (const int number : kKeptRegisters) {
    add(_Unwind_GetGR(frame, number));
    state ^= state >> 32;
  }
  std::uint64_t word = 0;
  for (const std::byte* at = stack; at + sizeof word <= search.stack_end; at += sizeof word) {
    std::memcpy(&word, at, sizeof word);
    add(word);
    state ^= state >> 32;
  }
  search.state = state;
  return _URC_END_OF_STACK;  // ends the walk
}

}  // namespace

std::optional<std::uint64_t> state_of_caller(const std::byte* stack_end) {
  Search search{.stack_end = stack_end, .state = std::nullopt};
  _Unwind_Backtrace(visit, &search);
  return search.state;
}

}  // namespace lockbench::stress::explore
