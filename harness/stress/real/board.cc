// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/real/board.h"

#include <unistd.h>

namespace lockbench::stress::real {

void convict(Board& board, const Charge& charge) {
  std::uint32_t expected = Board::kNot;
  // relaxed, and release: the process that reads it does so after this one has ended.
  if (board.charged.compare_exchange_strong(expected, Board::kBeing, std::memory_order_relaxed)) {
    board.charge = charge;
    board.charged.store(Board::kIs, std::memory_order_release);
    _exit(0);
  }
  for (;;) pause();
}

}  // namespace lockbench::stress::real
