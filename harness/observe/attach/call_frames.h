// SPDX-License-Identifier: Apache-2.0

// CallFrames: the callers on a stack of another process, from a copy of its innermost part.
//
// Guarantees   Pure. The frames are those that the files' tables for exceptions describe, so the
//              program may be compiled without frame pointers and stripped. Where there is no
//              table, the frame pointer is followed.
// Not offered  Frames beyond the end of the copy; other processors than x86-64, and nothing if
//              lockbench was built without libdw: of these, the first frame alone.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "harness/symbols/debug_information.h"

namespace lockbench::stress {

struct StackCopy {
  std::uint64_t instruction = 0;
  std::uint64_t stack_pointer = 0;
  std::uint64_t frame_pointer = 0;
  std::vector<std::uint64_t> words;  // from the stack pointer on
};

class CallFrames {
 public:
  explicit CallFrames(std::span<const LoadedFile> files);
  ~CallFrames();
  CallFrames(const CallFrames&) = delete;
  CallFrames& operator=(const CallFrames&) = delete;

  // Addresses of code, innermost first: the instruction, then the return address of each call.
  std::vector<std::uint64_t> of(const StackCopy& stack) const;

 private:
  struct Session;
  std::unique_ptr<Session> session_;
};

}  // namespace lockbench::stress
