// SPDX-License-Identifier: Apache-2.0

// Checks what else runs on the machine, and which processors this process may use.
#include <array>
#include <vector>

#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include "harness/bench/command/doctor/checks.h"

namespace lockbench::internal {
namespace {

constexpr std::uint64_t kLeastTicks = 2;  // a single clock tick may occur by chance

double share_of(std::uint64_t ticks, const ProcessorUse& use) {
  if (ticks < kLeastTicks || use.all == 0) return 0;
  return static_cast<double>(ticks) / static_cast<double>(use.all);
}

std::string percent(double share) {
  return absl::StrFormat("%.0f %%", share * 100);
}

std::optional<Finding> others(const SystemFacts& facts) {
  if (!facts.others) return std::nullopt;
  const double share = share_of(facts.others->busy, *facts.others);
  if (share < kOthersNoted) return fine("others", "the CPU is idle");
  return Finding{
      share < kOthersProblem ? Severity::kNote : Severity::kProblem, "others",
      "other processes use " + percent(share) + " of the CPU",
      "The threads of a trial wait for processors, and a thread that holds the lock is preempted "
      "while all others wait: rates fall and tails grow, most with many threads.",
      "stop the processes at the top of `top -o %CPU`, or wait until they end"};
}

std::optional<Finding> steal(const SystemFacts& facts) {
  if (!facts.others) return std::nullopt;
  const double share = share_of(facts.others->stolen, *facts.others);
  if (share < kStealProblem) return fine("steal", "no CPU time is stolen");
  return Finding{
      Severity::kProblem, "steal", "the host takes " + percent(share) + " of the CPU",
      "The host stops a thread that holds the lock, and the kernel does not know. Threads that "
      "spin "
      "for the lock spin in vain: tails and differences between locks come from the neighbours.",
      "measure when `vmstat 1` shows 0 in column st, or on a machine that is not shared"};
}

// Finds load that the sample of the last half second may have missed.
std::optional<Finding> load(const SystemFacts& facts) {
  if (!facts.load || !facts.usable_processors) return std::nullopt;
  constexpr double kPerProcessor = 0.25;
  const double most = kPerProcessor * *facts.usable_processors;
  const std::string what = absl::StrFormat("load average %.2f", *facts.load);
  if (*facts.load < most) return fine("load", what);
  return Finding{Severity::kNote, "load", what + absl::StrFormat(" (maximum %.2f)", most),
                 "Some process was busy within the last minute, perhaps an earlier run. Load that "
                 "comes and goes affects some blocks and widens the intervals.",
                 "wait until `uptime` shows less than " + absl::StrFormat("%.2f", most)};
}

std::optional<Finding> hypervisor(const SystemFacts& facts) {
  if (!facts.hypervisor) return std::nullopt;
  if (*facts.hypervisor == "none") return fine("hypervisor", "no hypervisor");
  return Finding{
      Severity::kNote, "hypervisor", "a virtual machine (" + *facts.hypervisor + ")",
      "The host stops and moves these processors, may put two of them on one core, and makes "
      "cross-CPU wake-ups slow; steal shows only a part of that.",
      "lockbench run PRESET --blocks 15, for narrower intervals; or measure on bare metal"};
}

std::optional<Finding> cpuset(const SystemFacts& facts) {
  if (!facts.usable_processors || !facts.online_processors) return std::nullopt;
  const std::string what = absl::StrFormat("%d of %d processors may be used",
                                           *facts.usable_processors, *facts.online_processors);
  if (*facts.usable_processors >= *facts.online_processors) return fine("cpuset", what);
  return Finding{
      Severity::kNote, "cpuset", what,
      "Cells with more threads than that share processors, and other processes may run beside "
      "them on the same cores and caches.",
      "taskset -pc " + facts.online_list + " $$; in a container, widen its cpuset"};
}

std::optional<Finding> cpu_quota(const SystemFacts& facts) {
  if (!facts.usable_processors) return std::nullopt;
  if (!facts.cpu_quota || facts.cpu_quota->processors >= *facts.usable_processors) {
    return fine("quota", "no quota of CPU time");
  }
  const bool version_2 = facts.cpu_quota->file.ends_with("cpu.max");
  return Finding{
      Severity::kProblem, "quota",
      absl::StrFormat("a quota of %.3g processors' time on %d processors",
                      facts.cpu_quota->processors, *facts.usable_processors),
      "When the quota is used up, all threads stop for the rest of the period, also the one that "
      "holds the lock: waits of up to 100 ms that no lock caused. Spinning uses the quota twice.",
      std::string("echo ") + (version_2 ? "max" : "-1") + " | sudo tee " + facts.cpu_quota->file +
          "; in a container, start it without a limit of CPUs"};
}

std::optional<Finding> affinity(const SystemFacts& facts) {
  if (!facts.refused_affinity_call) return std::nullopt;
  if (facts.refused_affinity_call->empty()) return fine("affinity", "threads can be bound");
  return Finding{
      Severity::kProblem, "affinity", "the kernel refuses " + *facts.refused_affinity_call,
      "The threads of a trial start where the kernel puts them, often two on one processor for 50 "
      "ms and more. Cells with a pinning fail, and cores and caches may be unknown.",
      "permit sched_setaffinity and sched_getaffinity: in systemd's SystemCallFilter, "
      "@resources; in a container, its seccomp profile"};
}

// Lists facts that matter and that the machine does not report.
std::optional<Finding> unknown(const SystemFacts& facts) {
  std::vector<std::string> names;
  const auto add = [&names](bool known, const char* name) {
    if (!known) names.emplace_back(name);
  };
  add(!facts.governors.empty(), "governor");
  add(facts.turbo.has_value(), "turbo");
  add(facts.smt.has_value(), "SMT");
  add(facts.clock_source.has_value(), "clock source");
  add(facts.others.has_value(), "use of the CPU");
  add(facts.hypervisor.has_value(), "hypervisor");
  if (names.empty()) return std::nullopt;
  return Finding{Severity::kNote, "unknown", "unknown here: " + absl::StrJoin(names, ", "),
                 "These facts were not checked. In a virtual machine or a container the host "
                 "decides them.",
                 "run lockbench doctor on the host, or ask its administrator"};
}

}  // namespace

std::span<const Check> interference_checks() {
  static constexpr std::array<Check, 8> kChecks{others, steal,     load,     hypervisor,
                                                cpuset, cpu_quota, affinity, unknown};
  return kChecks;
}

}  // namespace lockbench::internal
