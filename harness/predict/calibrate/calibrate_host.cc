// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/calibrate/calibrate_host.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <absl/strings/str_format.h>

#include "harness/bench/measure/calibration.h"
#include "harness/bench/record/build.h"
#include "harness/bench/record/machine.h"
#include "harness/bench/record/stamp.h"
#include "harness/kernel/kernel_file.h"
#include "harness/kernel/processors.h"
#include "harness/predict/calibrate/calibrated_model.h"

namespace lockbench::calibration {
namespace {

// The loops on this machine, each thread bound to its processor.
class BoundThreads : public Runner {
 public:
  // A thread that cannot be bound, because the cpuset has just changed, runs anywhere.
  void run(const std::vector<Side>& sides) override {
    std::vector<std::thread> threads;
    threads.reserve(sides.size());
    for (const Side& side : sides) {
      threads.emplace_back([&side] {
        bind_to_processors(0, {side.processor});
        side.body();
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
};

// More than the last caches hold, a power of two, and no more than a part of the memory.
std::size_t memory_lines(const Machine& machine) {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kLeastBytes = std::size_t{64} << 20;
  constexpr std::size_t kMostBytes = std::size_t{512} << 20;
  std::size_t cached = 0;
  for (const Cache& cache : machine.caches) cached = std::max<std::size_t>(cached, cache.bytes);
  const std::size_t allowed = machine.memory_bytes.value_or(kLeastBytes * 8) / 8;
  std::size_t bytes = kLeastBytes;
  while (bytes < 2 * cached && bytes < kMostBytes && bytes * 2 <= allowed) bytes *= 2;
  return bytes / kLine;
}

// In nanoseconds. Linux up to 6.5 has the first of each pair, later kernels the second or none, and
// both only for root.
std::optional<double> kernel_ns(std::initializer_list<const char*> files) {
  for (const char* const file : files) {
    if (const auto ns = kernel_number(file); ns && *ns > 0) return static_cast<double>(*ns);
  }
  return std::nullopt;
}

// Reads what is known of this machine before it is measured.
HostFacts read_facts(const Machine& machine) {
  const std::string hypervisor = machine.hypervisor.value_or("none");
  HostFacts facts;
  facts.cpu_model = machine.cpu_model.value_or("");
  facts.hypervisor = hypervisor == "none" ? "" : hypervisor;
  facts.version = this_build().version;
  facts.year = std::strtol(utc_now().c_str(), nullptr, 10);
  facts.slice_ns = kernel_ns({"/proc/sys/kernel/sched_min_granularity_ns",
                              "/sys/kernel/debug/sched/min_granularity_ns",
                              "/sys/kernel/debug/sched/base_slice_ns"});
  facts.granularity_ns = kernel_ns({"/proc/sys/kernel/sched_wakeup_granularity_ns",
                                    "/sys/kernel/debug/sched/wakeup_granularity_ns"});
  return facts;
}

}  // namespace

absl::StatusOr<std::string> calibrate_host(const std::string& name, const Report& report) {
  const std::vector<Processor> processors = allowed_processors();
  if (processors.empty()) return absl::UnavailableError(why_no_processors());
  if (processors.size() > machine::MachineModel::kMostProcessors) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%d processors; a model has at most %d: restrict this command by taskset -c 0-%d",
        processors.size(), machine::MachineModel::kMostProcessors,
        machine::MachineModel::kMostProcessors - 1));
  }
  const Machine machine = read_machine();
  const Shape shape = shape_of(processors);
  BoundThreads runner;
  Effort effort;
  effort.memory_lines = memory_lines(machine);
  const MeasuredFigures figures = measure_figures(runner, shape.cores, effort, report);
  HostFacts facts = read_facts(machine);
  facts.name = name;
  facts.operation_ns = locked_operation_ns();
  for (const CoreSpeed& one : speeds_of_cores().value_or(std::vector<CoreSpeed>())) {
    facts.speeds.push_back(one.speed);
  }
  const CalibratedModel calibrated = calibrated_model(figures, shape, facts);
  std::string text = machine_toml(calibrated.model, calibrated.remarks);
  // A figure that the format does not allow would otherwise be found by the next command.
  const auto parsed = machine::parse_machine(text, name + ".toml");
  if (!parsed.ok()) return absl::InternalError(std::string(parsed.status().message()));
  return text;
}

bool is_model_of_host(std::string_view toml) {
  const std::vector<Processor> processors = allowed_processors();
  const auto parsed = machine::parse_machine(toml, "machine.toml");
  return parsed.ok() && !processors.empty() &&
         parsed->title == title_of(shape_of(processors), read_facts(read_machine()));
}

}  // namespace lockbench::calibration
