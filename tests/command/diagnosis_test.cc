// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/doctor/diagnosis.h"

#include <algorithm>
#include <functional>
#include <ostream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/command/sound_facts.h"

namespace lockbench {
namespace {

using testing::HasSubstr;

struct Case {
  const char* label;
  std::function<void(SystemFacts&)> spoil;
  const char* name;  // of the finding that it changes
  Severity severity;
  const char* what;  // within the finding's
  const char* mend;  // within the finding's
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.label;
}

constexpr Severity kFine = Severity::kFine;
constexpr Severity kNote = Severity::kNote;
constexpr Severity kProblem = Severity::kProblem;

const Case kCases[] = {
    {"powersave", [](SystemFacts& v) { v.governors = {"powersave"}; }, "governor", kProblem,
     "governor powersave", "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/"},
    {"one_of_two_governors",
     [](SystemFacts& v) {
       v.governors = {"performance", "schedutil"};
     },
     "governor", kProblem, "governor performance, schedutil", "echo performance"},
    {"clock_set_by_hand", [](SystemFacts& v) { v.governors = {"userspace"}; }, "governor", kFine,
     "governor userspace", ""},
    {"intel_turbo", [](SystemFacts& v) { v.turbo->on = true; }, "turbo", kNote, "turbo on",
     "echo 1 | sudo tee /sys/no_turbo"},
    {"boost", [](SystemFacts& v) { v.turbo = Turbo{.on = true, .file = "/sys/boost", .off = "0"}; },
     "turbo", kNote, "turbo on", "echo 0 | sudo tee /sys/boost"},
    {"smt", [](SystemFacts& v) { v.smt = true; }, "smt", kNote, "SMT", "--pinning scatter"},
    {"battery", [](SystemFacts& v) { v.mains = false; }, "power", kProblem, "running on battery",
     "charger"},
    {"hpet", [](SystemFacts& v) { v.clock_source = "hpet"; }, "clock", kProblem,
     "clock source hpet", "echo tsc | sudo tee"},
    {"hpet_without_tsc",
     [](SystemFacts& v) {
       v.clock_source = "hpet";
       v.clock_sources = {"hpet", "acpi_pm"};
     },
     "clock", kProblem, "clock source hpet", "tsc=reliable"},
    {"clock_unheard_of", [](SystemFacts& v) { v.clock_source = "sundial"; }, "clock", kNote,
     "clock source sundial", "echo tsc"},
    {"kvm_clock", [](SystemFacts& v) { v.clock_source = "kvm-clock"; }, "clock", kFine,
     "clock source kvm-clock", ""},
    {"debug_build", [](SystemFacts& v) { v.build_flags = "-O1 -g"; }, "build", kProblem,
     "unoptimised", "cmake --preset release"},
    {"sanitizer", [](SystemFacts& v) { v.build_flags += " -fsanitize=thread"; }, "build", kProblem,
     "sanitizer", "cmake --preset release"},
    {"others_busy", [](SystemFacts& v) { v.others->busy = 240; }, "others", kProblem,
     "other processes use 60 % of the CPU", "top"},
    {"others_just_spoil", [](SystemFacts& v) { v.others->busy = 20; }, "others", kProblem, "5 %",
     "top"},
    {"others_a_little", [](SystemFacts& v) { v.others->busy = 19; }, "others", kNote, "5 %", "top"},
    {"stolen", [](SystemFacts& v) { v.others->stolen = 16; }, "steal", kProblem, "4 % of the CPU",
     "vmstat"},
    {"load", [](SystemFacts& v) { v.load = 2.5; }, "load", kNote, "load average 2.50", "uptime"},
    {"virtual", [](SystemFacts& v) { v.hypervisor = "KVM"; }, "hypervisor", kNote, "(KVM)",
     "--blocks 15"},
    {"cpuset", [](SystemFacts& v) { v.usable_processors = 4; }, "cpuset", kNote,
     "4 of 8 processors may be used", "taskset -pc 0-7 $$"},
    {"quota_version_2",
     [](SystemFacts& v) { v.cpu_quota = CpuQuota{.processors = 1.5, .file = "/cg/cpu.max"}; },
     "quota", kProblem, "1.5 processors", "echo max | sudo tee /cg/cpu.max"},
    {"quota_version_1",
     [](SystemFacts& v) {
       v.cpu_quota = CpuQuota{.processors = 4, .file = "/cg/cpu.cfs_quota_us"};
     },
     "quota", kProblem, "4 processors", "echo -1 | sudo tee /cg/cpu.cfs_quota_us"},
    {"affinity",
     [](SystemFacts& v) { v.refused_affinity_call = "sched_setaffinity: Operation not permitted"; },
     "affinity", kProblem, "sched_setaffinity", "SystemCallFilter"},
    {"same_addresses", [](SystemFacts& v) { v.layout_random = false; }, "layout", kProblem,
     "same addresses", "sysctl kernel.randomize_va_space=2"},
    {"same_addresses_by_setarch",
     [](SystemFacts& v) {
       v.layout_random = false;
       v.layout_ours = true;
     },
     "layout", kProblem, "same addresses", "setarch -R"},
    {"mmap_rnd_bits", [](SystemFacts& v) { v.mmap_rnd_bits = 32; }, "mmap_rnd_bits", kNote, "is 32",
     "sysctl vm.mmap_rnd_bits=28"},
    {"membarrier_forbidden", [](SystemFacts& v) { v.membarrier = Membarrier::kForbidden; },
     "membarrier", kNote, "forbidden", "seccomp"},
    {"membarrier_missing", [](SystemFacts& v) { v.membarrier = Membarrier::kNotInKernel; },
     "membarrier", kNote, "kernel", "4.14"},
    {"huge_pages", [](SystemFacts& v) { v.huge_pages = "always"; }, "huge_pages", kNote, "always",
     "echo madvise | sudo tee"},
    {"ulimit",
     [](SystemFacts& v) { v.thread_limits.push_back({.name = "ulimit -u", .most = 1000}); },
     "threads", kNote, "room for 1000 more threads", "ulimit -u 8192"},
    {"pids_max",
     [](SystemFacts& v) {
       v.thread_limits.push_back({.name = "/cg/pids.max", .most = 4200, .in_use = 200});
     },
     "threads", kNote, "room for 4000 more threads", "echo max | sudo tee /cg/pids.max"},
    {"pid_max",
     [](SystemFacts& v) {
       v.thread_limits.push_back({.name = "kernel.pid_max", .most = 4000, .in_use = 5000});
     },
     "threads", kNote, "room for 0 more threads", "sudo sysctl kernel.pid_max=13192"},
    {"disk", [](SystemFacts& v) { v.space->bytes = 5u << 20; }, "space", kNote,
     "5 MiB free in /home/reader/results", "--out"},
    {"no_python", [](SystemFacts& v) { v.python_trouble = "no python3 with scipy"; }, "python",
     kNote, "no Python", "apt install python3-jinja2"},
    {"no_governor", [](SystemFacts& v) { v.governors.clear(); }, "unknown", kNote, "governor",
     "host"},
    {"nothing_watched", [](SystemFacts& v) { v.others.reset(); }, "unknown", kNote,
     "use of the CPU", "host"},
};

// The findings that `after` has and `before` has not.
std::vector<Finding> added(const std::vector<Finding>& before, const std::vector<Finding>& after) {
  std::vector<Finding> findings;
  std::copy_if(after.begin(), after.end(), std::back_inserter(findings), [&](const Finding& f) {
    return std::find(before.begin(), before.end(), f) == before.end();
  });
  return findings;
}

class EachCause : public testing::TestWithParam<Case> {};

TEST_P(EachCause, HasItsOneFindingAndWhatMendsIt) {
  const Case& c = GetParam();
  SystemFacts facts = sound_facts();
  c.spoil(facts);
  const std::vector<Finding> findings = added(diagnose(sound_facts()), diagnose(facts));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].name, c.name);
  EXPECT_EQ(findings[0].severity, c.severity);
  EXPECT_THAT(findings[0].what, HasSubstr(c.what));
  EXPECT_THAT(findings[0].fix, HasSubstr(c.mend));
  EXPECT_EQ(findings[0].fix.empty(), c.severity == kFine);
  EXPECT_EQ(findings[0].effect.empty(), c.severity == kFine);
}

INSTANTIATE_TEST_SUITE_P(Diagnosis, EachCause, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.label); });

TEST(Diagnosis, ASoundMachineIsFineInAllThatIsLookedAt) {
  std::set<std::string> names;
  for (const Finding& finding : diagnose(sound_facts())) {
    EXPECT_EQ(finding.severity, kFine) << finding.what;
    EXPECT_TRUE(names.insert(finding.name).second) << finding.name << " twice";
  }
  EXPECT_EQ(names.size(), 20u);
}

TEST(Diagnosis, OneTickTellsNothing) {
  SystemFacts facts = sound_facts();
  facts.others = ProcessorUse{.all = 10, .busy = 1, .stolen = 1};
  EXPECT_EQ(problems_line(facts), "");
  facts.others = ProcessorUse{.all = 10, .busy = 1, .stolen = 2};
  EXPECT_THAT(problems_line(facts), HasSubstr("the host takes 20 %"));
}

TEST(Diagnosis, AQuotaOfAllProcessorsIsNone) {
  SystemFacts facts = sound_facts();
  facts.cpu_quota = CpuQuota{.processors = 8, .file = "/cg/cpu.max"};
  EXPECT_EQ(diagnose(facts), diagnose(sound_facts()));
}

TEST(Diagnosis, TheMostSevereComesFirst) {
  SystemFacts facts = sound_facts();
  facts.smt = true;
  facts.layout_random = false;
  facts.python_trouble = "no python3";
  const std::vector<Finding> findings = diagnose(facts);
  EXPECT_EQ(findings[0].name, "layout");
  EXPECT_EQ(findings[1].name, "smt");
  EXPECT_EQ(findings[2].name, "python");
  EXPECT_TRUE(
      std::is_sorted(findings.begin(), findings.end(),
                     [](const Finding& a, const Finding& b) { return a.severity > b.severity; }));
}

TEST(Diagnosis, OfNothingKnownSaysOnlyThat) {
  const std::vector<Finding> findings = diagnose(SystemFacts{});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].what,
            "unknown here: governor, turbo, SMT, clock source, use of the CPU, hypervisor");
}

TEST(SpoilersLine, IsEmptyWhereOnlyNotesAre) {
  SystemFacts facts = sound_facts();
  EXPECT_EQ(problems_line(facts), "");
  facts.smt = true;
  facts.hypervisor = "KVM";
  EXPECT_EQ(problems_line(facts), "");
}

TEST(SpoilersLine, NamesEachAndWhereToReadMore) {
  SystemFacts facts = sound_facts();
  facts.governors = {"powersave"};
  EXPECT_EQ(problems_line(facts),
            "1 problem affects measurements here: governor powersave; see lockbench doctor");
  facts.others->busy = 240;
  EXPECT_EQ(problems_line(facts),
            "2 problems affect measurements here: governor powersave; other processes use 60 % of "
            "the CPU; see "
            "lockbench doctor");
}

}  // namespace
}  // namespace lockbench
