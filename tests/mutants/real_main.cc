// SPDX-License-Identifier: Apache-2.0

// lockbench-real-mutants: the real engine with the broken locks before it.

#include "harness/stress/engine_program.h"
#include "harness/stress/threads/engine.h"
#include "tests/mutants/registry.h"

int main(int count, char** words) {
  using namespace lockbench;
  std::vector<stress::RegisteredLock> locks = mutants::for_real();
  for (stress::RegisteredLock& lock : locks) lock.make_instrumented = lock.make;
  return stress::run_engine_program({words, static_cast<std::size_t>(count)}, locks,
                                    stress::threads::test_lock);
}
