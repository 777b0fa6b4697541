// SPDX-License-Identifier: Apache-2.0

// SystemFacts: the facts of this machine that influence measurements now.
//
// Facts only: diagnosis.h says what they mean. A fact that this machine does not show is absent;
// nothing is guessed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/processor_use.h"
#include "harness/process/cgroup.h"
#include "harness/record/build.h"
#include "harness/record/machine.h"

namespace lockbench {

struct Turbo {
  bool on = false;
  std::string file;  // where it is switched
  std::string off;   // what switches it off there

  bool operator==(const Turbo&) const = default;
};

struct FreeSpace {
  std::uint64_t bytes = 0;
  std::string folder;

  bool operator==(const FreeSpace&) const = default;
};

// Something that keeps this process from having more threads.
struct ThreadLimit {
  std::string name;  // `ulimit -u`, a setting of sysctl's, or a file
  std::uint64_t most = 0;
  std::uint64_t in_use = 0;

  bool operator==(const ThreadLimit&) const = default;
};

enum class Membarrier { kOffered, kNotInKernel, kForbidden };

struct SystemFacts {
  // How fast it runs.
  std::vector<std::string> governors;  // of the processors' clocks, each once; empty: not told
  std::optional<Turbo> turbo;
  std::optional<bool> smt;    // whether cores run several threads at a time now
  std::optional<bool> mains;  // false: on battery; absent where there is no power supply
  std::optional<std::string> clock_source;
  std::vector<std::string> clock_sources;  // that could be chosen
  std::string build_type;                  // of this program
  std::string build_flags;

  // Who else runs, and what is left to us.
  std::optional<std::string> hypervisor;  // its name; "none" on bare metal
  std::optional<ProcessorUse> others;     // what the processors we may use did while we slept
  std::optional<double> load;             // tasks that ran or wanted to, mean of the last minute
  std::optional<std::uint32_t> usable_processors;
  std::optional<std::uint32_t> online_processors;
  std::string online_list;  // as the kernel writes it: 0-3,6
  std::optional<CpuQuota> cpu_quota;

  // Memory and addresses.
  std::optional<bool> layout_random;  // whether each process has new random addresses
  std::optional<bool> layout_ours;    // whether that is this process's own setting (setarch -R)
  std::optional<std::uint64_t> mmap_rnd_bits;
  std::optional<Membarrier> membarrier;
  std::optional<std::string> huge_pages;  // always, madvise or never

  // Room and tools.
  std::vector<ThreadLimit> thread_limits;
  std::optional<FreeSpace> space;             // where results go
  std::optional<std::string> python_trouble;  // empty: all modules are there; absent: not asked
};

// Everything; takes about a second. `results`: where runs are written, whether it exists or not.
SystemFacts read_system_facts(const Machine& machine, const Build& build,
                              const std::filesystem::path& results);

// What can spoil a measurement, and no more; takes a tenth of a second.
SystemFacts read_system_facts_quickly(const Machine& machine, const Build& build);

namespace internal {

// Parts of it, read below `root`, where /proc and /sys are.
std::vector<std::string> governors_below(const std::filesystem::path& root);
std::optional<Turbo> turbo_below(const std::filesystem::path& root);
std::optional<bool> mains_below(const std::filesystem::path& root);

// "0-3,6" are 5; absent if it is no such list.
std::optional<std::uint32_t> length_of_list(const std::string& list);

// The one in brackets: "always [madvise] never".
std::optional<std::string> chosen_of(const std::string& choices);

}  // namespace internal

}  // namespace lockbench
