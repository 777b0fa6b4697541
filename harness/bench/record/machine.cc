// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/machine.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstring>
#include <map>
#include <sys/utsname.h>
#include <tuple>
#include <utility>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "harness/bench/record/machine_identity.h"
#include "harness/bench/record/machine_json.h"
#include "harness/kernel/cgroup.h"
#include "harness/kernel/core_kinds.h"
#include "harness/kernel/kernel_file.h"
#include "harness/kernel/probe.h"
#include "harness/kernel/processors.h"
#include "harness/kernel/topology.h"

namespace lockbench {
namespace {

// hwloc needs some milliseconds, and up to a second on machines with hundreds of processors.
constexpr std::chrono::seconds kTopologyLimit{10};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::optional<std::uint32_t> number_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  const int number = hwloc_get_nbobjs_by_type(topology, type);
  if (number <= 0) return std::nullopt;
  return static_cast<std::uint32_t>(number);
}

std::string cache_kind(hwloc_obj_cache_type_t type) {
  switch (type) {
    case HWLOC_OBJ_CACHE_DATA:
      return "data";
    case HWLOC_OBJ_CACHE_INSTRUCTION:
      return "instruction";
    case HWLOC_OBJ_CACHE_UNIFIED:
      break;
  }
  return "unified";
}

// Caches with the same properties are one entry.
std::vector<Cache> caches_of(hwloc_topology_t topology) {
  std::map<std::tuple<std::uint32_t, std::string, std::uint64_t, std::uint32_t>, std::uint32_t>
      found;
  const int depth = hwloc_topology_get_depth(topology);
  for (int d = 0; d < depth; ++d) {
    if (hwloc_obj_type_is_cache(hwloc_get_depth_type(topology, d)) == 0) continue;
    hwloc_obj_t cache = nullptr;
    while ((cache = hwloc_get_next_obj_by_depth(topology, d, cache)) != nullptr) {
      const auto& its = cache->attr->cache;
      const int threads = hwloc_bitmap_weight(cache->cpuset);
      if (its.size == 0 || threads < 0) continue;
      ++found[{its.depth, cache_kind(its.type), its.size, static_cast<std::uint32_t>(threads)}];
    }
  }
  std::vector<Cache> caches;
  for (const auto& [its, number] : found) {
    const auto& [level, kind, bytes, threads] = its;
    caches.push_back(
        {.level = level, .kind = kind, .bytes = bytes, .number = number, .threads = threads});
  }
  return caches;
}

// Absent if cores differ in it, as in hybrid processors.
std::optional<std::uint32_t> threads_per_core(hwloc_topology_t topology) {
  std::optional<int> threads;
  hwloc_obj_t core = nullptr;
  while ((core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != nullptr) {
    const int of_this = hwloc_bitmap_weight(core->cpuset);
    if (threads.value_or(of_this) != of_this) return std::nullopt;
    threads = of_this;
  }
  if (!threads || *threads <= 0) return std::nullopt;
  return static_cast<std::uint32_t>(*threads);
}

std::uint32_t count_usable(const std::vector<int>& processors) {
  const std::vector<int> allowed = allowed_processor_numbers();
  return static_cast<std::uint32_t>(std::count_if(
      processors.begin(), processors.end(),
      [&](int number) { return std::binary_search(allowed.begin(), allowed.end(), number); }));
}

std::optional<std::vector<MachineCores>> cores_by_kind(hwloc_topology_t topology) {
  std::vector<MachineCores> cores;
  for (const CoreKind& kind : core_kinds(topology)) {
    cores.push_back({.kind = kind.name,
                     .type = kind.type,
                     .cores = kind.cores,
                     .hardware_threads = static_cast<std::uint32_t>(kind.processors.size()),
                     .usable_threads = count_usable(kind.processors),
                     .greatest_mhz = kind.greatest_mhz});
  }
  if (cores.empty()) return std::nullopt;
  return cores;
}

Machine topology_of_machine() {
  Machine machine;
  const Topology topology = load_topology();
  if (topology == nullptr) return machine;
  machine.packages = number_of(topology.get(), HWLOC_OBJ_PACKAGE);
  machine.numa_nodes = number_of(topology.get(), HWLOC_OBJ_NUMANODE);
  machine.cores = number_of(topology.get(), HWLOC_OBJ_CORE);
  machine.hardware_threads = number_of(topology.get(), HWLOC_OBJ_PU);
  machine.threads_per_core = threads_per_core(topology.get());
  machine.caches = caches_of(topology.get());
  machine.core_kinds = cores_by_kind(topology.get());
  return machine;
}

// Some drivers that hwloc asks may hang. The topology is then unknown, as if hwloc had failed.
Machine read_topology() {
  const auto text = answer_within(
      kTopologyLimit, [] { return internal::text_of(internal::json_of(topology_of_machine())); });
  if (!text) return {};
  const auto object = internal::parse_json(*text, "topology");
  if (!object.ok()) return {};
  return internal::read_record<Machine>(*object, "topology").value_or(Machine{});
}

// Reads what this process may use of the machine.
void read_limits(Machine& machine) {
  const std::vector<int> allowed = allowed_processor_numbers();
  if (!allowed.empty()) machine.usable_threads = static_cast<std::uint32_t>(allowed.size());
  const std::string online = kernel_text("/sys/devices/system/cpu/online").value_or("");
  const std::string list = processor_list(allowed);
  if (!list.empty() && !online.empty() && list != online) machine.cpuset = list;
  const std::optional<CpuQuota> quota = cgroup_cpu_quota();
  if (quota && quota->processors < static_cast<double>(allowed.size())) {
    machine.cpu_quota = quota->processors;
  }
  machine.cpu_weight = cgroup_cpu_weight();
}

void read_kernel(Machine& machine) {
  utsname name;
  if (uname(&name) != 0) return;
  machine.kernel = std::string(name.sysname) + " " + name.release + " " + name.machine;
  if (name.nodename[0] != '\0') machine.host = name.nodename;
}

// The processor reports it: a flag says that there is a hypervisor, and a CPUID leaf has its
// signature.
std::optional<std::string> hypervisor() {
#if defined(__x86_64__) || defined(__i386__)
  constexpr unsigned kFeatures = 1;
  constexpr unsigned kHypervisorBit = 1u << 31;
  constexpr unsigned kSignature = 0x40000000;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(kFeatures, &a, &b, &c, &d) == 0) return std::nullopt;
  if ((c & kHypervisorBit) == 0) return "none";
  // __get_cpuid() refuses leaves beyond the processor's own.
  __cpuid(kSignature, a, b, c, d);
  const std::array<unsigned, 3> words{b, c, d};
  std::array<char, sizeof words> letters;
  std::memcpy(letters.data(), words.data(), sizeof words);
  return internal::hypervisor_name(std::string_view(letters.data(), letters.size()));
#else
  return kernel_text("/sys/hypervisor/type");
#endif
}

}  // namespace

std::string to_text(const std::vector<MachineCores>& kinds) {
  std::vector<std::string> parts;
  for (const MachineCores& kind : kinds) {
    std::vector<std::string> about;
    if (!kind.type.empty()) about.push_back(kind.type);
    about.push_back(
        absl::StrCat(kind.hardware_threads, kind.hardware_threads == 1 ? " thread" : " threads"));
    if (kind.usable_threads != kind.hardware_threads) {
      about.push_back(absl::StrCat(kind.usable_threads, " usable"));
    }
    if (kind.greatest_mhz != 0) {
      about.push_back(absl::StrCat("at most ", kind.greatest_mhz, " MHz"));
    }
    parts.push_back(absl::StrCat(kind.cores, " ", kind.kind, kind.cores == 1 ? " core" : " cores",
                                 " (", absl::StrJoin(about, ", "), ")"));
  }
  return absl::StrJoin(parts, " and ");
}

namespace internal {

std::optional<std::string> cpuinfo_field(std::string_view cpuinfo, std::string_view field) {
  while (!cpuinfo.empty()) {
    const std::string_view line = cpuinfo.substr(0, cpuinfo.find('\n'));
    cpuinfo.remove_prefix(std::min(cpuinfo.size(), line.size() + 1));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || trimmed(line.substr(0, colon)) != field) continue;
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (!value.empty()) return std::string(value);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> memory_total(std::string_view meminfo) {
  const std::optional<std::string> value = cpuinfo_field(meminfo, "MemTotal");
  if (!value) return std::nullopt;
  std::uint64_t kibibytes = 0;
  const char* const end = value->data() + value->size();
  const auto [rest, error] = std::from_chars(value->data(), end, kibibytes);
  if (error != std::errc{} ||
      std::string_view(rest, static_cast<std::size_t>(end - rest)) != " kB") {
    return std::nullopt;
  }
  return kibibytes * 1024;
}

std::string hypervisor_name(std::string_view signature) {
  signature = signature.substr(0, signature.find('\0'));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNames{{
      {"KVMKVMKVM", "KVM"},
      {"Microsoft Hv", "Hyper-V"},
      {"VMwareVMware", "VMware"},
      {"XenVMMXenVMM", "Xen"},
      {"TCGTCGTCGTCG", "QEMU without KVM"},
      {"VBoxVBoxVBox", "VirtualBox"},
      {"ACRNACRNACRN", "ACRN"},
  }};
  for (const auto& [known, name] : kNames) {
    if (signature == known) return std::string(name);
  }
  return signature.empty() ? "unnamed" : std::string(signature);
}

}  // namespace internal

Machine read_machine() {
  Machine machine = read_topology();
  if (const auto cpuinfo = kernel_text("/proc/cpuinfo")) {
    machine.cpu_model = internal::cpuinfo_field(*cpuinfo, "model name");
  }
  if (const auto meminfo = kernel_text("/proc/meminfo")) {
    machine.memory_bytes = internal::memory_total(*meminfo);
  }
  read_limits(machine);
  machine.governor = kernel_text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  read_kernel(machine);
  machine.boot_id = kernel_text("/proc/sys/kernel/random/boot_id");
  machine.hypervisor = hypervisor();
  machine.id = machine_id(machine);
  return machine;
}

}  // namespace lockbench
