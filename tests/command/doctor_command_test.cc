// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/doctor/doctor_command.h"

#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/bench/command/doctor/diagnosis.h"
#include "harness/bench/command/doctor/doctor_report.h"
#include "tests/command/sound_facts.h"

namespace lockbench {
namespace {

using nlohmann::json;

std::vector<Finding> example_findings() {
  return {{.severity = Severity::kProblem,
           .name = "governor",
           .what = "governor powersave",
           .effect = "The clock follows the load or is held low: a lock whose threads sleep is "
                     "measured at a slower clock than one whose threads spin.",
           .fix = "echo performance | sudo tee "
                  "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor # however long it is"},
          {.severity = Severity::kNote,
           .name = "smt",
           .what = "SMT on",
           .effect = "Threads on one core share its units.",
           .fix = "lockbench run PRESET --pinning scatter"},
          {.severity = Severity::kFine, .name = "clock", .what = "clock source tsc"},
          {.severity = Severity::kFine, .name = "quota", .what = "no quota of CPU time"}};
}

TEST(DoctorText, HasABlockForEachFindingAndALineForWhatIsFine) {
  EXPECT_EQ(findings_text(example_findings()),
            R"(1 problem, 1 note.

problem  governor powersave
         effect  The clock follows the load or is held low: a lock whose threads sleep is
                 measured at a slower clock than one whose threads spin.
         fix     echo performance | sudo tee )"
            R"(/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor # however long it is

note     SMT on
         effect  Threads on one core share its units.
         fix     lockbench run PRESET --pinning scatter

fine     clock source tsc
fine     no quota of CPU time
)");
}

TEST(DoctorText, OfASoundMachineSaysSo) {
  EXPECT_EQ(findings_text({{.severity = Severity::kFine, .name = "smt", .what = "no SMT"}}),
            "0 problems, 0 notes.\n\nfine     no SMT\n");
}

TEST(DoctorJson, HasEveryFindingWhole) {
  const DoctorReport report{.machine = {.host = "node7", .cores = 4},
                            .build = {.version = "1"},
                            .findings = example_findings()};
  const json whole = json::parse(doctor_json(report));
  EXPECT_EQ(whole["machine"], json({{"host", "node7"}, {"cores", 4}, {"caches", json::array()}}));
  EXPECT_EQ(whole["build"]["version"], "1");
  EXPECT_EQ(whole["problems"], 1);
  EXPECT_EQ(whole["notes"], 1);
  ASSERT_EQ(whole["findings"].size(), 4u);
  const Finding first = example_findings()[0];
  EXPECT_EQ(whole["findings"][0], json({{"severity", "problem"},
                                        {"name", first.name},
                                        {"what", first.what},
                                        {"effect", first.effect},
                                        {"fix", first.fix}}));
  EXPECT_EQ(whole["findings"][2],
            json({{"severity", "fine"}, {"name", "clock"}, {"what", "clock source tsc"}}));
  EXPECT_EQ(*parse_doctor_json(doctor_json(report)), report);
}

TEST(DoctorJson, IsJsonWhateverAFolderIsCalled) {
  SystemFacts facts = sound_facts();
  facts.space = FreeSpace{.bytes = 0, .folder = "/a \"b\"\n\xff"};
  EXPECT_FALSE(
      json::parse(doctor_json({.machine = {}, .build = {}, .findings = diagnose(facts)})).empty());
}

TEST(Doctor, ExitsWithThreeExactlyWhenSomethingDisturbs) {
  std::ostringstream out;
  const int code = doctor_command(true, out);
  const json whole = json::parse(out.str());
  EXPECT_EQ(code, whole["problems"] == 0 ? 0 : 3);
  EXPECT_GE(whole["findings"].size(), 10u);
}

}  // namespace
}  // namespace lockbench
