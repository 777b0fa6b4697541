// SPDX-License-Identifier: Apache-2.0

// A machine on which nothing spoils a measurement, for tests to spoil.
#pragma once

#include "harness/bench/command/doctor/system_facts.h"

namespace lockbench {

inline SystemFacts sound_facts() {
  return {.governors = {"performance"},
          .turbo = Turbo{.on = false, .file = "/sys/no_turbo", .off = "1"},
          .smt = false,
          .mains = true,
          .clock_source = "tsc",
          .clock_sources = {"tsc", "hpet"},
          .build_type = "RelWithDebInfo",
          .build_flags = "-O2 -g1 -DNDEBUG",
          .hypervisor = "none",
          .others = ProcessorUse{.all = 400, .busy = 0, .stolen = 0},
          .load = 0.1,
          .usable_processors = 8,
          .online_processors = 8,
          .online_list = "0-7",
          .cpu_quota = std::nullopt,
          .refused_affinity_call = "",
          .layout_random = true,
          .layout_ours = false,
          .mmap_rnd_bits = 28,
          .membarrier = Membarrier::kOffered,
          .huge_pages = "madvise",
          .thread_limits = {{.name = "kernel.threads-max", .most = 100000, .in_use = 500}},
          .space = FreeSpace{.bytes = 10'000'000'000, .folder = "/home/reader/results"},
          .python_trouble = ""};
}

}  // namespace lockbench
