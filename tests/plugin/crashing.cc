// SPDX-License-Identifier: Apache-2.0

// Does not survive being loaded.
#include <cstdlib>

namespace {

const int kCrashed = [] {
  std::abort();
  return 0;
}();

}  // namespace

extern "C" __attribute__((visibility("default"))) int answer() {
  return kCrashed;
}
