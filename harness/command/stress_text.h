// What `lockbench stress` prints. Pure.
#pragma once

#include <string>

#include "harness/command/stress_plan.h"
#include "harness/stress/report.h"

namespace lockbench {

// A report, for people: one line when clean; else what was found, how it came about, and the
// command that has it again. `machine` is one line about machine and build.
std::string stress_text(const stress::Report& report, const std::string& machine);

// One line of the kill matrix.
std::string kill_line(const Charge& charge, const stress::Report& report, Kill kill);

// "sim: 32 of 32 broken locks convicted, median 0.4 ms, slowest spin_two_steps 38 ms; 8 of 8
// correct ones acquitted", a line per engine.
struct KillEntry {
  Charge charge;
  stress::Report report;
  Kill kill;
};
std::string kill_summary(const std::vector<KillEntry>& entries);

}  // namespace lockbench
