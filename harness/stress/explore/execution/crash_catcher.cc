// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/execution/crash_catcher.h"

#include <csignal>
#include <cstdint>
#include <ucontext.h>

#include "harness/stress/explore/world/world.h"

namespace lockbench::stress::explore {
namespace {

// The stack of a fibre may have no room left, so the handler has its own.
constexpr std::size_t kStackBytes = std::size_t{1} << 16;

const char* code_at(const void* context) {
#if defined(__x86_64__)
  return reinterpret_cast<const char*>(
      static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const char*>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
#error "say where this processor's program counter is"
#endif
}

// Leaves the stack of the handler for good. The signal is not blocked while it runs (SA_NODEFER).
extern "C" void end_execution(int number, siginfo_t*, void* context) {
  World* const world = World::current();
  // abort() is deep in the system's library when it raises its signal. Elsewhere, the next byte
  // counts as one to which a call returns.
  const char* const code = number == SIGABRT ? nullptr : code_at(context) + 1;
  if (world != nullptr) world->crash(number, code);
  std::signal(number, SIG_DFL);
  std::raise(number);
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
CrashCatcher::CrashCatcher() = default;  // sanitizers have their own handlers
CrashCatcher::~CrashCatcher() = default;
#else
CrashCatcher::CrashCatcher() : stack_(std::make_unique<std::byte[]>(kStackBytes)) {
  stack_t stack{};
  stack.ss_sp = stack_.get();
  stack.ss_size = kStackBytes;
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = end_execution;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
}

CrashCatcher::~CrashCatcher() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
}
#endif

}  // namespace lockbench::stress::explore
