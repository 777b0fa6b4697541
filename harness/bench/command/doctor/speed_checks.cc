// SPDX-License-Identifier: Apache-2.0

// Checks how fast and how evenly the machine runs.
#include <algorithm>
#include <array>

#include <absl/strings/str_join.h>

#include "harness/bench/command/doctor/checks.h"

namespace lockbench::internal {
namespace {

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<Finding> governor(const SystemFacts& facts) {
  if (facts.governors.empty()) return std::nullopt;
  const std::string what = "governor " + absl::StrJoin(facts.governors, ", ");
  const bool steady =
      std::all_of(facts.governors.begin(), facts.governors.end(), [](const std::string& name) {
        return is_one_of(name, {"performance", "userspace"});
      });
  if (steady) return fine("governor", what);
  return Finding{
      Severity::kProblem, "governor", what,
      "The clock follows the load or stays low: a lock whose threads sleep is measured at a lower "
      "clock than a lock whose threads spin, and early trials differ from late ones.",
      "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"};
}

std::optional<Finding> turbo(const SystemFacts& facts) {
  if (!facts.turbo) return std::nullopt;
  if (!facts.turbo->on) return fine("turbo", "turbo off");
  return Finding{
      Severity::kNote, "turbo", "turbo on",
      "The clock is higher if few cores are busy and falls as the processor gets hot: curves over "
      "threads bend and late trials are slower, whatever the lock.",
      "echo " + facts.turbo->off + " | sudo tee " + facts.turbo->file};
}

std::optional<Finding> smt(const SystemFacts& facts) {
  if (!facts.smt) return std::nullopt;
  if (!*facts.smt) return fine("smt", "one thread per core");
  return Finding{
      Severity::kNote, "smt", "cores run several threads at once (SMT)",
      "Threads of one core share its execution units and its cache. Without pinning, chance "
      "decides how many threads share a core, and rates vary with it.",
      "lockbench run PRESET --pinning scatter (or compact), or: echo off | sudo tee "
      "/sys/devices/system/cpu/smt/control"};
}

std::optional<Finding> core_kinds(const SystemFacts& facts) {
  const auto usable =
      std::count_if(facts.core_kinds.begin(), facts.core_kinds.end(),
                    [](const MachineCores& one) { return one.usable_threads != 0; });
  if (usable < 2) return std::nullopt;
  return Finding{
      Severity::kNote, "core kinds", to_text(facts.core_kinds),
      "A hold takes longer on a slow core, and all threads wait for it. Where threads are not "
      "bound, the kernel decides which of them run there, and equal trials give several results.",
      "leave out --pinning none; lockbench run then binds threads, faster cores first, where the "
      "preset says nothing else (kind:fast, kind:slow, mixed:2+2)"};
}

std::optional<Finding> power(const SystemFacts& facts) {
  if (!facts.mains) return std::nullopt;
  if (*facts.mains) return fine("power", "on mains power");
  return Finding{Severity::kProblem, "power", "running on battery",
                 "Firmware lowers the clock to save energy. How much depends on charge and heat, "
                 "and no governor shows it.",
                 "plug in the charger"};
}

// Clock sources that a process reads without a system call, and sources that always need one.
std::optional<Finding> clock_source(const SystemFacts& facts) {
  if (!facts.clock_source) return std::nullopt;
  const std::string& source = *facts.clock_source;
  const std::string what = "clock source " + source;
  if (is_one_of(source, {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter",
                         "riscv_clocksource", "timebase"})) {
    return fine("clock", what);
  }
  const bool slow = is_one_of(source, {"hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies"});
  const auto& choices = facts.clock_sources;
  const bool has_tsc = std::find(choices.begin(), choices.end(), "tsc") != choices.end();
  return Finding{
      slow ? Severity::kProblem : Severity::kNote, "clock", what,
      std::string("Reading the clock ") + (slow ? "is" : "may be") +
          " a system call of about a microsecond, which every timed wait and every open-loop "
          "arrival then contains.",
      has_tsc ? "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/"
                "current_clocksource"
              : "boot with tsc=reliable, if `sudo dmesg | grep -i tsc` shows no fault of the "
                "processor"};
}

std::optional<Finding> build(const SystemFacts& facts) {
  if (facts.build_type.empty()) return std::nullopt;
  const std::string& flags = facts.build_flags;
  const auto has = [&flags](const char* flag) { return flags.find(flag) != std::string::npos; };
  const bool sanitized = has("-fsanitize=");
  const bool optimised = has("-O2") || has("-O3") || has("-Ofast");
  if (optimised && !sanitized) return fine("build", "optimised build (" + facts.build_type + ")");
  return Finding{
      Severity::kProblem, "build",
      sanitized ? "lockbench is built with a sanitizer" : "lockbench is built unoptimised",
      "Locks are headers, compiled with this program: their figures are those of the "
      "compiler's options.",
      "cmake --preset release && cmake --build --preset release"};
}

}  // namespace

std::span<const Check> speed_checks() {
  static constexpr std::array<Check, 7> kChecks{governor, turbo,        smt,  core_kinds,
                                                power,    clock_source, build};
  return kChecks;
}

}  // namespace lockbench::internal
