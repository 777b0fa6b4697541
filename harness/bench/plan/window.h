// SPDX-License-Identifier: Apache-2.0

// WindowNeeds: how long the warm-up and the window of a timed cell have to be, so that its figures
// are those of all its threads together.
//
// A window ends when its time has passed and the last thread has ended its operation and the think
// time behind it. In this tail fewer and fewer threads work, so it has to be a small part of the
// window. It is as long as the longest of what is left of the threads' think times:
//
//   - of a random think time, at worst in one trial of a hundred, mean × (ln threads + 4.6), and
//     never more than 8 means, since no longer time is drawn;
//   - with more threads than processors, the processors do what is left of all: mean × threads /
//     processors is added;
//   - nothing of a sleep, because a thread that sleeps when the window closes leaves it then;
//   - and each thread that waits for the busiest key still holds it once.
//
// Besides, a thread needs some operations in the window, and some before it.
//
// Pure arithmetic on the fields of the cell.
#pragma once

#include "harness/bench/plan/cell.h"
#include "harness/bench/plan/limits.h"

namespace lockbench {

// Both are 0 for a cell that does not end by time, or whose durations are not known.
struct WindowNeeds {
  Nanoseconds warmup{0};
  Nanoseconds window{0};
};

// The needs of a cell whose think time is known. Not more than a third of the cell's time limit, if
// it has one: a longer window would end at the limit.
WindowNeeds window_needs(const Cell& cell, const CellTraits& traits);

// The longest that one such work takes, for each of its durations: as drawn, without the scheduler.
Nanoseconds longest_of(const Work& work);

}  // namespace lockbench
