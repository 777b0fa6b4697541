// lockbench-real: the real engine of `lockbench stress`, with the shipped locks before it.

#include "harness/stress/engine_program.h"
#include "harness/stress/real/engine.h"
#include "harness/stress/real/lineup.h"

int main(int count, char** words) {
  using namespace lockbench::stress;
  return run_engine_program({words, static_cast<std::size_t>(count)}, real::lineup(),
                            real::investigate);
}
