// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/doctor/system_facts.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <linux/membarrier.h>
#include <set>
#include <sstream>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/kernel/kernel_file.h"
#include "harness/kernel/processors.h"
#include "harness/process/analysis_command.h"
#include "harness/process/resources.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

const fs::path kRoot = "/";
const fs::path kClocks = "/sys/devices/system/clocksource/clocksource0";

void read_speed(SystemFacts& facts, const Build& build) {
  facts.governors = internal::governors_below(kRoot);
  facts.turbo = internal::turbo_below(kRoot);
  facts.mains = internal::mains_below(kRoot);
  if (const auto active = kernel_number("/sys/devices/system/cpu/smt/active")) {
    facts.smt = *active != 0;
  }
  facts.clock_source = kernel_text(kClocks / "current_clocksource");
  std::istringstream words(kernel_text(kClocks / "available_clocksource").value_or(""));
  for (std::string word; words >> word;) facts.clock_sources.push_back(word);
  facts.build_type = build.build_type;
  facts.build_flags = build.flags;
}

void read_interference(SystemFacts& facts, const Machine& machine,
                       std::chrono::milliseconds watch) {
  facts.hypervisor = machine.hypervisor;
  facts.core_kinds = machine.core_kinds.value_or(std::vector<MachineCores>());
  std::istringstream load(kernel_text("/proc/loadavg").value_or(""));
  if (double mean = 0; load >> mean) facts.load = mean;
  facts.usable_processors = machine.usable_threads;
  facts.online_list = kernel_text("/sys/devices/system/cpu/online").value_or("");
  if (const auto online = parse_processor_list(facts.online_list)) {
    facts.online_processors = static_cast<std::uint32_t>(online->size());
  }
  facts.cpu_quota = cgroup_cpu_quota();
  facts.refused_affinity_call = refused_affinity_call();
  facts.others = watch_processors(allowed_processor_numbers(), watch);
}

void read_layout(SystemFacts& facts) {
  constexpr unsigned long kAsk = 0xffffffff;
  const int persona = personality(kAsk);
  const auto setting = kernel_number("/proc/sys/kernel/randomize_va_space");
  if (persona == -1 || !setting) return;
  facts.layout_ours = (persona & ADDR_NO_RANDOMIZE) != 0;
  facts.layout_random = !*facts.layout_ours && *setting != 0;
}

Membarrier ask_membarrier() {
  const long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  if (commands < 0) return errno == ENOSYS ? Membarrier::kNotInKernel : Membarrier::kForbidden;
  return (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0 ? Membarrier::kOffered
                                                            : Membarrier::kNotInKernel;
}

void read_memory(SystemFacts& facts) {
  facts.mmap_rnd_bits = kernel_number("/proc/sys/vm/mmap_rnd_bits");
  facts.membarrier = ask_membarrier();
  const auto huge = kernel_text("/sys/kernel/mm/transparent_hugepage/enabled");
  if (huge) facts.huge_pages = internal::chosen_of(*huge);
}

// The number of tasks of the whole machine: the fourth word of /proc/loadavg is `running/all`.
std::uint64_t tasks_of_machine() {
  const std::string text = kernel_text("/proc/loadavg").value_or("");
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return 0;
  return whole_number(text.substr(slash + 1, text.find(' ', slash) - slash - 1)).value_or(0);
}

std::vector<ThreadLimit> read_thread_limits() {
  std::vector<ThreadLimit> limits;
  rlimit processes{};
  // This limit does not apply to root.
  if (getuid() != 0 && getrlimit(RLIMIT_NPROC, &processes) == 0 &&
      processes.rlim_cur != RLIM_INFINITY) {
    limits.push_back({.name = "ulimit -u", .most = processes.rlim_cur});
  }
  if (const std::optional<TaskLimit> tasks = cgroup_task_limit()) {
    limits.push_back({.name = tasks->file, .most = tasks->most, .in_use = tasks->in_use});
  }
  for (const char* const name : {"threads-max", "pid_max"}) {
    if (const auto most = kernel_number(fs::path("/proc/sys/kernel") / name)) {
      limits.push_back(
          {.name = std::string("kernel.") + name, .most = *most, .in_use = tasks_of_machine()});
    }
  }
  return limits;
}

// The free space of the folder, or of its nearest parent that exists.
std::optional<FreeSpace> read_space(const fs::path& folder) {
  std::error_code error;
  fs::path existing = fs::absolute(folder, error);
  while (!fs::is_directory(existing, error) && existing != existing.root_path()) {
    existing = existing.parent_path();
  }
  struct statvfs disk {};
  if (statvfs(existing.c_str(), &disk) != 0) return std::nullopt;
  return FreeSpace{.bytes = std::uint64_t{disk.f_bavail} * disk.f_frsize,
                   .folder = existing.string()};
}

std::string ask_python() {
  const auto python = find_python(kAnalysisModules);
  return python.ok() ? "" : std::string(python.status().message());
}

}  // namespace

SystemFacts read_system_facts(const Machine& machine, const Build& build, const fs::path& results) {
  SystemFacts facts;
  read_speed(facts, build);
  read_layout(facts);
  read_memory(facts);
  facts.thread_limits = read_thread_limits();
  facts.space = read_space(results);
  read_interference(facts, machine, 500ms);
  // This is last because the search keeps a processor busy, which would count as use by others.
  facts.python_trouble = ask_python();
  return facts;
}

SystemFacts read_system_facts_quickly(const Machine& machine, const Build& build) {
  SystemFacts facts;
  read_speed(facts, build);
  read_layout(facts);
  read_interference(facts, machine, 100ms);
  return facts;
}

namespace internal {

std::vector<std::string> governors_below(const fs::path& root) {
  std::set<std::string> governors;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(root / "sys/devices/system/cpu", error)) {
    const auto governor = kernel_text(entry.path() / "cpufreq/scaling_governor");
    if (governor) governors.insert(*governor);
  }
  return {governors.begin(), governors.end()};
}

std::optional<Turbo> turbo_below(const fs::path& root) {
  const fs::path no_turbo = root / "sys/devices/system/cpu/intel_pstate/no_turbo";
  if (const auto forbidden = kernel_number(no_turbo)) {
    return Turbo{.on = *forbidden == 0, .file = no_turbo.string(), .off = "1"};
  }
  const fs::path boost = root / "sys/devices/system/cpu/cpufreq/boost";
  if (const auto allowed = kernel_number(boost)) {
    return Turbo{.on = *allowed != 0, .file = boost.string(), .off = "0"};
  }
  return std::nullopt;
}

std::optional<bool> mains_below(const fs::path& root) {
  std::optional<bool> online;
  std::error_code error;
  for (const fs::directory_entry& supply :
       fs::directory_iterator(root / "sys/class/power_supply", error)) {
    if (kernel_text(supply.path() / "type") != "Mains") continue;
    if (const auto now = kernel_number(supply.path() / "online")) {
      online = online.value_or(false) || *now != 0;
    }
  }
  return online;
}

std::optional<std::string> chosen_of(const std::string& choices) {
  const std::size_t open = choices.find('[');
  const std::size_t close = choices.find(']', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return std::nullopt;
  return choices.substr(open + 1, close - open - 1);
}

}  // namespace internal

}  // namespace lockbench
