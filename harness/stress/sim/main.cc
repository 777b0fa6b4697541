// lockbench-sim: the simulated engine of `lockbench stress`, with the shipped locks before it.

#include "harness/stress/engine_program.h"
#include "harness/stress/sim/engine.h"
#include "harness/stress/sim/lineup.h"

int main(int count, char** words) {
  using namespace lockbench::stress;
  return run_engine_program({words, static_cast<std::size_t>(count)}, sim::lineup(),
                            sim::investigate);
}
