// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/proc/board.h"

#include <cstdlib>
#include <new>

#include "primitives/platform/clock.h"
#include "primitives/platform/file.h"

namespace lockbench::stress::proc {

std::int64_t now_ns() {
  return platform::now().time_since_epoch().count();
}

SharedBoard::SharedBoard() {
  void* const memory = platform::map_shared({}, sizeof(Board));
  if (memory == nullptr) std::abort();
  board_ = new (memory) Board{};
}

SharedBoard::~SharedBoard() {
  platform::unmap_shared(board_, sizeof(Board));
}

}  // namespace lockbench::stress::proc
