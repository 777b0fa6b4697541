// SPDX-License-Identifier: Apache-2.0

// SystemFacts: the facts of this machine that influence measurements now.
//
// Facts only: diagnosis.h interprets them. A fact that this machine does not report is absent;
// nothing is guessed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/bench/measure/processor_use.h"
#include "harness/bench/record/build.h"
#include "harness/bench/record/machine.h"
#include "harness/kernel/cgroup.h"

namespace lockbench {

struct Turbo {
  bool on = false;
  std::string file;  // the file that switches it
  std::string off;   // the value that switches it off

  bool operator==(const Turbo&) const = default;
};

struct FreeSpace {
  std::uint64_t bytes = 0;
  std::string folder;

  bool operator==(const FreeSpace&) const = default;
};

// A limit on the number of threads of this process.
struct ThreadLimit {
  std::string name;  // `ulimit -u`, a sysctl setting, or a file
  std::uint64_t most = 0;
  std::uint64_t in_use = 0;

  bool operator==(const ThreadLimit&) const = default;
};

enum class Membarrier { kOffered, kNotInKernel, kForbidden };

struct SystemFacts {
  // The speed of the machine.
  std::vector<std::string> governors;  // of the processors' clocks, each once; empty: unknown
  std::optional<Turbo> turbo;
  std::optional<bool> smt;               // whether cores run several threads at a time now
  std::vector<MachineCores> core_kinds;  // the fastest first; empty if all cores are of one kind
  std::optional<bool> mains;             // false: on battery; absent if there is no power supply
  std::optional<std::string> clock_source;
  std::vector<std::string> clock_sources;  // the clock sources that can be chosen
  std::string build_type;                  // of this program
  std::string build_flags;

  // Other users of the machine, and what this process may use.
  std::optional<std::string> hypervisor;  // its name; "none" on bare metal
  std::optional<ProcessorUse> others;     // what our processors did while this process slept
  std::optional<double> load;  // tasks that ran or were runnable, mean of the last minute
  std::optional<std::uint32_t> usable_processors;
  std::optional<std::uint32_t> online_processors;
  std::string online_list;  // as the kernel writes it: 0-3,6
  std::optional<CpuQuota> cpu_quota;
  std::optional<std::string> refused_affinity_call;  // see there; empty: none

  // Memory and addresses.
  std::optional<bool> layout_random;  // whether each process has new random addresses
  std::optional<bool> layout_ours;    // whether this process set that itself (setarch -R)
  std::optional<std::uint64_t> mmap_rnd_bits;
  std::optional<Membarrier> membarrier;
  std::optional<std::string> huge_pages;  // always, madvise or never

  // Space and tools.
  std::vector<ThreadLimit> thread_limits;
  std::optional<FreeSpace> space;             // in the folder for results
  std::optional<std::string> python_trouble;  // empty: all modules exist; absent: not checked
};

// Reads all facts, which takes about a second. `results`: the folder for runs; it may not exist
// yet.
SystemFacts read_system_facts(const Machine& machine, const Build& build,
                              const std::filesystem::path& results);

// Reads only the facts that can affect a measurement, which takes a tenth of a second.
SystemFacts read_system_facts_quickly(const Machine& machine, const Build& build);

namespace internal {

// Parts of read_system_facts(), for tests: `root` is the folder that contains proc and sys.
std::vector<std::string> governors_below(const std::filesystem::path& root);
std::optional<Turbo> turbo_below(const std::filesystem::path& root);
std::optional<bool> mains_below(const std::filesystem::path& root);

// The choice in brackets: "always [madvise] never".
std::optional<std::string> chosen_of(const std::string& choices);

}  // namespace internal

}  // namespace lockbench
