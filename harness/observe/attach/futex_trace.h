// SPDX-License-Identifier: Apache-2.0

// FutexTrace: the waits of a running process in the kernel's futexes, as bpftrace reports them.
//
// Guarantees   Every wait that begins and ends in the window, with its exact times, and every
// thread
//              that wakes another one: also of static programs and of languages without the C
//              library. What bpftrace lost is counted.
// Not offered  Acquisitions without a wait, holds, spinning. Waits that one thread begins while the
//              tracepoints are being removed.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/observe/attach/call_frames.h"

namespace lockbench {

struct FutexWait {
  static constexpr std::size_t kNoStack = ~std::size_t{0};

  std::uint32_t thread = 0;
  std::uint64_t address = 0;
  std::uint64_t begin_ns = 0;  // of CLOCK_MONOTONIC
  std::uint64_t end_ns = 0;
  std::uint32_t operation = 0;   // as in <linux/futex.h>
  std::size_t stack = kNoStack;  // the thread's latest at this address: an index of stacks
};

// True if the operation of a futex is a wait that the trace has.
bool is_futex_wait(std::uint32_t operation);

// A wait that lasted when the window ended.
struct OpenWait {
  std::uint64_t address = 0;
  std::uint64_t begin_ns = 0;
  std::uint32_t operation = 0;
  std::size_t stack = FutexWait::kNoStack;
};

// Where a thread was when it began a wait.
struct FutexStack {
  std::uint32_t thread = 0;
  std::uint64_t address = 0;
  std::uint32_t operation = 0;
  stress::StackCopy stack;
};

struct FutexTrace {
  std::uint64_t begin_ns = 0;  // the window; 0: bpftrace did not get as far
  std::uint64_t end_ns = 0;
  std::vector<FutexWait> waits;
  std::vector<FutexStack> stacks;          // of a thread's first waits at an address, and one in 64
  std::map<std::uint32_t, OpenWait> open;  // by thread
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> wakes;  // by address and thread
  // When a thread whose wait began before the window left it.
  std::map<std::uint32_t, std::uint64_t> left_ns;
  std::uint64_t lost = 0;  // reports for which there was no room
};

// The program for bpftrace. It ends after the time, or at SIGINT.
std::string futex_trace_program(std::uint32_t process, std::chrono::milliseconds time);

// Reads what the program printed. Lines that it does not print are left out. Pure.
FutexTrace read_futex_trace(std::string_view printed);

}  // namespace lockbench
