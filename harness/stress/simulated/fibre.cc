// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/simulated/fibre.h"

#include <cstdint>
#include <cstring>
#include <cxxabi.h>

extern "C" {

// Saves the registers that the calling convention requires a callee to restore, stores the stack
// pointer to *from, and continues with the stack pointer `to`, under which the same registers were
// saved.
void lockbench_fibre_jump(void** from, void* to);

// The first code on a new stack. Calls the function with the argument; prepare() left both in saved
// registers.
void lockbench_fibre_start();
}

#if defined(__x86_64__)

// The registers that the System V ABI requires a callee to restore: rbx, rbp, r12 to r15 and the
// control words of SSE and x87.
asm(R"(
.text
.globl lockbench_fibre_jump
.type lockbench_fibre_jump, @function
lockbench_fibre_jump:
  endbr64
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size lockbench_fibre_jump, . - lockbench_fibre_jump
.globl lockbench_fibre_start
.type lockbench_fibre_start, @function
lockbench_fibre_start:
  endbr64
  movq %r12, %rdi
  callq *%r13
  ud2
.size lockbench_fibre_start, . - lockbench_fibre_start
)");

namespace {

void* first_frame(std::byte* top, void (*begin)(void*), void* argument) {
  // From the top of the stack: two words that keep the stack aligned for the call in
  // lockbench_fibre_start, the address of that function, then the registers that
  // lockbench_fibre_jump restores.
  auto* word = reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::uintptr_t>(top) & ~15ULL);
  *--word = 0;
  *--word = 0;
  *--word = reinterpret_cast<std::uint64_t>(&lockbench_fibre_start);
  *--word = 0;                                          // rbp
  *--word = 0;                                          // rbx
  *--word = reinterpret_cast<std::uint64_t>(argument);  // r12
  *--word = reinterpret_cast<std::uint64_t>(begin);     // r13
  *--word = 0;                                          // r14
  *--word = 0;                                          // r15
  std::uint32_t sse = 0;
  std::uint16_t x87 = 0;
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(sse), "=m"(x87));
  *--word = sse | (std::uint64_t{x87} << 32);
  return word;
}

}  // namespace

#elif defined(__aarch64__)

// The registers that AAPCS64 requires a callee to restore: x19 to x30 and d8 to d15.
asm(R"(
.text
.globl lockbench_fibre_jump
.type lockbench_fibre_jump, %function
lockbench_fibre_jump:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size lockbench_fibre_jump, . - lockbench_fibre_jump
.globl lockbench_fibre_start
.type lockbench_fibre_start, %function
lockbench_fibre_start:
  mov x0, x19
  blr x20
  brk #0
.size lockbench_fibre_start, . - lockbench_fibre_start
)");

namespace {

void* first_frame(std::byte* top, void (*begin)(void*), void* argument) {
  auto* word = reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::uintptr_t>(top) & ~15ULL);
  word -= 20;
  std::memset(word, 0, 160);
  word[0] = reinterpret_cast<std::uint64_t>(argument);                 // x19
  word[1] = reinterpret_cast<std::uint64_t>(begin);                    // x20
  word[11] = reinterpret_cast<std::uint64_t>(&lockbench_fibre_start);  // x30
  return word;
}

}  // namespace

#else
#error "Fibres are written for x86-64 and aarch64: add a jump for this machine here"
#endif

namespace lockbench::stress::explore {

void Fibre::prepare(std::byte* stack, std::size_t bytes, Body body, void* argument) {
  exceptions_ = {};
  stack_pointer_ = first_frame(stack + bytes, body, argument);
}

void Fibre::jump(Fibre& from, Fibre& to) {
  void* const now = abi::__cxa_get_globals();
  std::memcpy(&from.exceptions_, now, sizeof(Exceptions));
  std::memcpy(now, &to.exceptions_, sizeof(Exceptions));
  lockbench_fibre_jump(&from.stack_pointer_, to.stack_pointer_);
}

}  // namespace lockbench::stress::explore
