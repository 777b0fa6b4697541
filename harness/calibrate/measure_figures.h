// SPDX-License-Identifier: Apache-2.0

// Measures the costs of a machine model on a machine, by loops.
//
// The loops reach memory, the kernel and time through primitives/platform/ only. So they run on
// this machine, and, compiled for the simulated platform, on a model whose figures are known.
//
// Guarantees   On a model, the result is the model's figures, within 2 %.
// Requires     has_heavy_barrier() for the figures of membarrier; without it, they are absent.
// Source       line transfers by compare-exchange: N. Viennot, "Measuring CPU core-to-core
//              latency", 2022.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "harness/calibrate/loop_parts.h"
#include "harness/calibrate/measured_figures.h"

namespace lockbench::calibration {

// The processors that are measured, by the kernel's numbers. Each core has at least one.
using Cores = std::vector<std::vector<int>>;

// How much is measured.
struct Effort {
  std::uint32_t repetitions = 9;  // of each loop; their median counts
  std::uint32_t calls = 20'000;   // of what takes nanoseconds
  std::uint32_t handovers = 1'000;
  std::uint32_t foreign_passes = 50;
  std::uint32_t sleeps = 50;
  std::uint32_t barriers = 300;
  std::uint32_t slices = 16;
  // A power of two, more than the caches hold, and at least `repetitions` times `calls`.
  std::size_t memory_lines = std::size_t{1} << 20;
};

// How many loops there are, how many have been run, and what the next one measures.
using Report = std::function<void(std::size_t done, std::size_t all, std::string_view next)>;

MeasuredFigures measure_figures(Place& place, const Cores& cores, const Effort& effort,
                                const Report& report);

}  // namespace lockbench::calibration
