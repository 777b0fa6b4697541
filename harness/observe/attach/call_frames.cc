// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/attach/call_frames.h"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>

#if defined(LOCKBENCH_HAS_LIBDW) && defined(__x86_64__)
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#endif

namespace lockbench::stress {

#if defined(LOCKBENCH_HAS_LIBDW) && defined(__x86_64__)

namespace {

constexpr std::size_t kMostFrames = 32;

// As DWARF numbers the registers of x86-64.
constexpr unsigned kFramePointer = 6;
constexpr unsigned kStackPointer = 7;

constexpr Dwfl_Callbacks kCallbacks{.find_elf = dwfl_build_id_find_elf,
                                    .find_debuginfo = dwfl_standard_find_debuginfo,
                                    .section_address = dwfl_offline_section_address,
                                    .debuginfo_path = nullptr};

using Word = std::optional<std::uint64_t>;  // absent: unknown

// The known registers of a frame.
struct Registers {
  Word instruction;
  Word stack_pointer;
  Word frame_pointer;

  Word number(std::uint64_t which) const {
    if (which == kStackPointer) return stack_pointer;
    return which == kFramePointer ? frame_pointer : std::nullopt;
  }
};

Word word_at(const StackCopy& stack, Word address) {
  if (!address || *address < stack.stack_pointer || (*address - stack.stack_pointer) % 8 != 0) {
    return std::nullopt;
  }
  const std::uint64_t index = (*address - stack.stack_pointer) / 8;
  return index < stack.words.size() ? Word(stack.words[index]) : std::nullopt;
}

Word sum(Word a, std::uint64_t b) {
  return a ? Word(*a + b) : std::nullopt;
}

// The value of an expression as compilers write them for frames: a register or the frame's address,
// and an offset. Unknown for all others.
Word value_of(const Dwarf_Op* operations, std::size_t count, const Registers& registers,
              Word frame_address, const StackCopy& stack) {
  Word value;
  for (std::size_t i = 0; i < count; ++i) {
    const Dwarf_Op& operation = operations[i];
    if (operation.atom >= DW_OP_breg0 && operation.atom <= DW_OP_breg31) {
      value = sum(registers.number(operation.atom - DW_OP_breg0), operation.number);
    } else if (operation.atom == DW_OP_bregx) {
      value = sum(registers.number(operation.number), operation.number2);
    } else if (operation.atom == DW_OP_call_frame_cfa) {
      value = frame_address;
    } else if (operation.atom == DW_OP_plus_uconst) {
      value = sum(value, operation.number);
    } else if (operation.atom == DW_OP_deref) {
      value = word_at(stack, value);
    } else {
      return std::nullopt;
    }
  }
  return value;
}

// The caller's value of a register.
Word register_of_caller(Dwarf_Frame* frame, unsigned which, const Registers& registers,
                        Word frame_address, const StackCopy& stack) {
  std::array<Dwarf_Op, 3> memory{};
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_frame_register(frame, static_cast<int>(which), memory.data(), &operations, &count) !=
      0) {
    return std::nullopt;
  }
  if (count == 0) return operations == nullptr ? registers.number(which) : std::nullopt;
  if (operations[count - 1].atom == DW_OP_stack_value) {
    return value_of(operations, count - 1, registers, frame_address, stack);
  }
  return word_at(stack, value_of(operations, count, registers, frame_address, stack));
}

// As code with frame pointers leaves them.
Registers caller_by_frame_pointer(const Registers& registers, const StackCopy& stack) {
  return {.instruction = word_at(stack, sum(registers.frame_pointer, 8)),
          .stack_pointer = sum(registers.frame_pointer, 16),
          .frame_pointer = word_at(stack, registers.frame_pointer)};
}

Registers caller_by_table(Dwarf_Frame* frame, const Registers& registers, const StackCopy& stack) {
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  bool is_signal = false;
  const int return_register = dwarf_frame_info(frame, &begin, &end, &is_signal);
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (return_register < 0 || dwarf_frame_cfa(frame, &operations, &count) != 0) return {};
  const Word frame_address = value_of(operations, count, registers, std::nullopt, stack);
  const auto of_caller = [&](unsigned which) {
    return register_of_caller(frame, which, registers, frame_address, stack);
  };
  return {.instruction = of_caller(static_cast<unsigned>(return_register)),
          .stack_pointer = frame_address,
          .frame_pointer = of_caller(kFramePointer)};
}

}  // namespace

struct CallFrames::Session {
  Dwfl* files = nullptr;

  // `address`: within the instruction that runs, or within the call.
  Dwarf_Frame* table_at(std::uint64_t address) const {
    Dwfl_Module* const module = files == nullptr ? nullptr : dwfl_addrmodule(files, address);
    if (module == nullptr) return nullptr;
    for (const auto get : {dwfl_module_eh_cfi, dwfl_module_dwarf_cfi}) {
      Dwarf_Addr bias = 0;
      Dwarf_CFI* const tables = get(module, &bias);
      Dwarf_Frame* frame = nullptr;
      if (tables != nullptr && dwarf_cfi_addrframe(tables, address - bias, &frame) == 0) {
        return frame;
      }
    }
    return nullptr;
  }
};

CallFrames::CallFrames(std::span<const LoadedFile> files) : session_(new Session()) {
  session_->files = dwfl_begin(&kCallbacks);
  if (session_->files == nullptr) return;
  dwfl_report_begin(session_->files);
  for (const LoadedFile& file : files) {
    dwfl_report_elf(session_->files, file.path.c_str(), file.path.c_str(), -1, file.bias, true);
  }
  dwfl_report_end(session_->files, nullptr, nullptr);
}

CallFrames::~CallFrames() {
  dwfl_end(session_->files);
}

std::vector<std::uint64_t> CallFrames::of(const StackCopy& stack) const {
  std::vector<std::uint64_t> frames{stack.instruction};
  Registers registers{.instruction = stack.instruction,
                      .stack_pointer = stack.stack_pointer,
                      .frame_pointer = stack.frame_pointer};
  while (frames.size() < kMostFrames) {
    // A return address is behind its call, which may be the last instruction of its function.
    const std::uint64_t at = *registers.instruction - (frames.size() == 1 ? 0 : 1);
    Dwarf_Frame* const table = session_->table_at(at);
    registers = table == nullptr ? caller_by_frame_pointer(registers, stack)
                                 : caller_by_table(table, registers, stack);
    std::free(table);
    if (!registers.instruction || *registers.instruction == 0) break;
    frames.push_back(*registers.instruction);
  }
  return frames;
}

#else

struct CallFrames::Session {};

CallFrames::CallFrames(std::span<const LoadedFile>) {}
CallFrames::~CallFrames() = default;

std::vector<std::uint64_t> CallFrames::of(const StackCopy& stack) const {
  return {stack.instruction};
}

#endif

}  // namespace lockbench::stress
