// SPDX-License-Identifier: Apache-2.0

// Ends the process when it is loaded.
#include <cstdlib>

#if !defined(LOCKBENCH_TEST_END)
#define LOCKBENCH_TEST_END std::abort()
#endif

namespace {

const int kCrashed = [] {
  LOCKBENCH_TEST_END;
  return 0;
}();

}  // namespace

extern "C" __attribute__((visibility("default"))) int answer() {
  return kCrashed;
}
