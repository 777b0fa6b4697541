// SPDX-License-Identifier: Apache-2.0

// Who else runs here, and what is left to this process.
#include <array>

#include <absl/strings/str_format.h>

#include "harness/command/doctor/checks.h"

namespace lockbench::internal {
namespace {

constexpr std::uint64_t kTicksThatTell = 2;

double share_of(std::uint64_t ticks, const ProcessorUse& use) {
  if (ticks < kTicksThatTell || use.all == 0) return 0;
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
      .severity = share < kOthersSpoil ? Severity::kNote : Severity::kSpoils,
      .name = "others",
      .what = "others use " + percent(share) + " of the CPU",
      .how =
          "A trial's threads wait for processors, and holders are stopped in the midst of a "
          "hold while all others queue: rates fall and tails grow, most where threads are many.",
      .mend = "stop what `top -o %CPU` shows on top, or wait for its end"};
}

std::optional<Finding> steal(const SystemFacts& facts) {
  if (!facts.others) return std::nullopt;
  const double share = share_of(facts.others->stolen, *facts.others);
  if (share < kStealSpoils) return fine("steal", "no CPU time is stolen");
  return Finding{
      .severity = Severity::kSpoils,
      .name = "steal",
      .what = "the host takes " + percent(share) + " of the CPU",
      .how =
          "A holder loses its processor without the kernel's knowing, and whoever spins for the "
          "lock spins in vain: tails and differences between locks are the neighbours' doing.",
      .mend = "measure when `vmstat 1` shows 0 under st, or on a machine that is not shared"};
}

// What the last half second may have missed.
std::optional<Finding> load(const SystemFacts& facts) {
  if (!facts.load || !facts.usable_processors) return std::nullopt;
  constexpr double kPerProcessor = 0.25;
  const std::string what = absl::StrFormat("load average %.2f", *facts.load);
  if (*facts.load < kPerProcessor * *facts.usable_processors) return fine("load", what);
  return Finding{
      .severity = Severity::kNote,
      .name = "load",
      .what = what,
      .how =
          "Somebody was busy within the last minute, a run of lockbench's own perhaps. What "
          "comes and goes falls on some blocks and not on others, and widens the intervals.",
      .mend = "wait until `uptime` shows less than " +
              absl::StrFormat("%.2f", kPerProcessor * *facts.usable_processors)};
}

std::optional<Finding> hypervisor(const SystemFacts& facts) {
  if (!facts.hypervisor) return std::nullopt;
  if (*facts.hypervisor == "none") return fine("hypervisor", "no hypervisor");
  return Finding{
      .severity = Severity::kNote,
      .name = "hypervisor",
      .what = "a virtual machine (" + *facts.hypervisor + ")",
      .how =
          "The host stops and moves these processors as it likes, may put two of them on one "
          "core, and makes a wake-up between them dear; steal shows only a part of that.",
      .mend =
          "lockbench run PRESET --blocks 15, for intervals that tell; or measure on bare metal"};
}

std::optional<Finding> cpuset(const SystemFacts& facts) {
  if (!facts.usable_processors || !facts.online_processors) return std::nullopt;
  const std::string what = absl::StrFormat("%d of %d processors may be used",
                                           *facts.usable_processors, *facts.online_processors);
  if (*facts.usable_processors >= *facts.online_processors) return fine("cpuset", what);
  return Finding{
      .severity = Severity::kNote,
      .name = "cpuset",
      .what = what,
      .how =
          "Cells with more threads than these share processors earlier than the machine's size "
          "lets expect, and others may run beside them on the same cores and caches.",
      .mend = "taskset -pc " + facts.online_list + " $$; in a container, widen its cpuset"};
}

std::optional<Finding> cpu_quota(const SystemFacts& facts) {
  if (!facts.usable_processors) return std::nullopt;
  if (!facts.cpu_quota || facts.cpu_quota->processors >= *facts.usable_processors) {
    return fine("quota", "no quota of CPU time");
  }
  const bool version_2 = facts.cpu_quota->file.ends_with("cpu.max");
  return Finding{
      .severity = Severity::kSpoils,
      .name = "quota",
      .what = absl::StrFormat("a quota of %.3g processors' time on %d processors",
                              facts.cpu_quota->processors, *facts.usable_processors),
      .how =
          "Once the quota is used up, all threads stand still for the rest of the period, "
          "holders too: waits of up to 100 ms that no lock caused, and spinning pays twice.",
      .mend = std::string("echo ") + (version_2 ? "max" : "-1") + " | sudo tee " +
              facts.cpu_quota->file + "; in a container, start it without a limit of CPUs"};
}

// What ought to be known, and is not: it cannot be judged.
std::optional<Finding> untold(const SystemFacts& facts) {
  std::string list;
  const auto add = [&list](bool told, const char* name) {
    if (!told) list += (list.empty() ? "" : ", ") + std::string(name);
  };
  add(!facts.governors.empty(), "governor");
  add(facts.turbo.has_value(), "turbo");
  add(facts.smt.has_value(), "SMT");
  add(facts.clock_source.has_value(), "clock source");
  add(facts.others.has_value(), "use of the CPU");
  add(facts.hypervisor.has_value(), "hypervisor");
  if (list.empty()) return std::nullopt;
  return Finding{.severity = Severity::kNote,
                 .name = "untold",
                 .what = "not told here: " + list,
                 .how =
                     "What is not known cannot be judged; in a virtual machine or a container, "
                     "the host decides it.",
                 .mend = "run lockbench doctor on the host, or ask whoever keeps it"};
}

}  // namespace

std::span<const Check> interference_checks() {
  static constexpr std::array<Check, 7> kChecks{others, steal,     load,  hypervisor,
                                                cpuset, cpu_quota, untold};
  return kChecks;
}

}  // namespace lockbench::internal
