// SPDX-License-Identifier: Apache-2.0

// How fast the machine runs, and how evenly.
#include <algorithm>
#include <array>

#include "harness/command/doctor/checks.h"

namespace lockbench::internal {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<Finding> governor(const SystemFacts& facts) {
  if (facts.governors.empty()) return std::nullopt;
  const std::string what = "governor " + joined(facts.governors);
  const bool steady =
      std::all_of(facts.governors.begin(), facts.governors.end(), [](const std::string& name) {
        return is_one_of(name, {"performance", "userspace"});
      });
  if (steady) return fine("governor", what);
  return Finding{
      .severity = Severity::kSpoils,
      .name = "governor",
      .what = what,
      .how =
          "The clock follows the load or is held low: a lock whose threads sleep is measured at "
          "a slower clock than one whose threads spin, and early trials differ from late ones.",
      .mend = "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"};
}

std::optional<Finding> turbo(const SystemFacts& facts) {
  if (!facts.turbo) return std::nullopt;
  if (!facts.turbo->on) return fine("turbo", "turbo off");
  return Finding{
      .severity = Severity::kNote,
      .name = "turbo",
      .what = "turbo on",
      .how =
          "A few busy cores are clocked higher than many, and heat lowers all of them: curves "
          "over threads bend and late trials are slower, for no lock's reason.",
      .mend = "echo " + facts.turbo->off + " | sudo tee " + facts.turbo->file};
}

std::optional<Finding> smt(const SystemFacts& facts) {
  if (!facts.smt) return std::nullopt;
  if (!*facts.smt) return fine("smt", "one thread a core");
  return Finding{
      .severity = Severity::kNote,
      .name = "smt",
      .what = "cores run several threads at once (SMT)",
      .how =
          "Threads on one core share its units and pass a lock within its cache; unpinned, "
          "chance decides how many do, and rates spread with it.",
      .mend =
          "lockbench run PRESET --pinning scatter (or compact), or: echo off | sudo tee "
          "/sys/devices/system/cpu/smt/control"};
}

std::optional<Finding> power(const SystemFacts& facts) {
  if (!facts.mains) return std::nullopt;
  if (*facts.mains) return fine("power", "on mains");
  return Finding{.severity = Severity::kSpoils,
                 .name = "power",
                 .what = "running on battery",
                 .how =
                     "Firmware lowers the clock to spare the battery, by how much depends on "
                     "charge and heat, and no governor tells of it.",
                 .mend = "plug in the charger"};
}

// Sources that a process reads without a system call, and sources that it never does.
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
      .severity = slow ? Severity::kSpoils : Severity::kNote,
      .name = "clock",
      .what = what,
      .how = std::string("Each reading of the clock ") + (slow ? "is" : "may be") +
             " a system call of about a microsecond, which every timed wait and every open-loop "
             "arrival then contains.",
      .mend = has_tsc ? "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/"
                        "current_clocksource"
                      : "boot with tsc=reliable, if `sudo dmesg | grep -i tsc` names no fault of "
                        "the processor's"};
}

std::optional<Finding> build(const SystemFacts& facts) {
  if (facts.build_type.empty()) return std::nullopt;
  const std::string& flags = facts.build_flags;
  const auto has = [&flags](const char* flag) { return flags.find(flag) != std::string::npos; };
  const bool watched = has("-fsanitize=");
  const bool optimised = has("-O2") || has("-O3") || has("-Ofast");
  if (optimised && !watched) return fine("build", "built for speed (" + facts.build_type + ")");
  return Finding{
      .severity = Severity::kSpoils,
      .name = "build",
      .what = watched ? "lockbench is built with a sanitizer" : "lockbench is built unoptimised",
      .how =
          "Locks are headers, compiled with this program: what is measured is mostly the "
          "compiler's doing.",
      .mend = "cmake --preset release && cmake --build --preset release"};
}

}  // namespace

std::span<const Check> speed_checks() {
  static constexpr std::array<Check, 6> kChecks{governor, turbo, smt, power, clock_source, build};
  return kChecks;
}

}  // namespace lockbench::internal
