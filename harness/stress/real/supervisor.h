// SPDX-License-Identifier: Apache-2.0

// Supervisor: a suspect's threads in a process of their own, and somebody who watches over it. What
// crashes or hangs there costs that process and nothing else.
#pragma once

#include <functional>

#include "harness/stress/real/board.h"

namespace lockbench::stress::real {

// Runs `body` in a child process until it returns, crashes, ends the process or stands still; then
// the child is gone. True when `body` returned; else the board has a charge. The board is the
// child's alone meanwhile; `look` is called about ten times a second. Must be called while this
// process has one thread.
bool watch_over(Board& board, const std::function<void()>& body, const std::function<void()>& look);

}  // namespace lockbench::stress::real
