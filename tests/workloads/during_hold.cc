// SPDX-License-Identifier: Apache-2.0

#include "tests/workloads/during_hold.h"

#include <ctime>

namespace lockbench {
namespace {

std::function<void()>& next_hold() {
  static std::function<void()> what;
  return what;
}

}  // namespace

void during_next_hold(std::function<void()> what) {
  next_hold() = std::move(what);
}

}  // namespace lockbench

extern "C" int clock_nanosleep(clockid_t, int, const timespec*, timespec*) {
  if (const auto what = std::exchange(lockbench::next_hold(), nullptr)) what();
  return 0;
}
