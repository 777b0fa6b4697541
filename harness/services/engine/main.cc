// SPDX-License-Identifier: Apache-2.0

// lockbench-services-engine: the engine of locks at services of `lockbench stress`. All of them are
// in plug-ins.

#include "harness/services/engine/engine.h"
#include "harness/stress/engines/engine_main.h"

int main(int count, char** words) {
  using namespace lockbench::stress;
  const auto none = [] { return std::vector<RegisteredLock>(); };
  return lockbench::engine_main(
      {words, static_cast<std::size_t>(count)},
      {.registry = none, .test_lock = services::test_lock, .tests = lockbench::tests_at_services});
}
