// SPDX-License-Identifier: Apache-2.0

// The benchmarks of lockbench-micro, by family.
#pragma once

#include "harness/bench/micro/companion.h"
#include "harness/bench/micro/suite.h"

namespace lockbench {

// The companion must outlive the suite's last call.
void add_uncontended(Suite& suite, Companion& companion);
void add_base_locks(Suite& suite, Companion& companion);
void add_held_at_once(Suite& suite, Companion& companion);
void add_several_keys(Suite& suite, Companion& companion);
void add_scenarios(Suite& suite, Companion& companion);
void add_instruction_limits(Suite& suite);
void add_kernel_limits(Suite& suite);
void add_two_core_limits(Suite& suite, Companion& companion);

// Adds all families, in the order in which users see them.
inline void add_everything(Suite& suite, Companion& companion) {
  add_instruction_limits(suite);
  add_kernel_limits(suite);
  add_two_core_limits(suite, companion);
  add_base_locks(suite, companion);
  add_uncontended(suite, companion);
  add_held_at_once(suite, companion);
  add_several_keys(suite, companion);
  add_scenarios(suite, companion);
}

}  // namespace lockbench
