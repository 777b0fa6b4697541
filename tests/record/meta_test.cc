// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/meta.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/base/shell_command.h"
#include "tests/record/example_run.h"

namespace lockbench {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

void expect_comes_back(const Meta& meta) {
  const auto read = parse_meta(meta_text(meta), "meta.json").value();
  EXPECT_EQ(read, meta);
}

TEST(Meta, ComesBackAsItWas) {
  for (const auto state :
       {RunEnd::State::kRunning, RunEnd::State::kFinished, RunEnd::State::kInterrupted}) {
    Meta meta = example_meta();
    meta.end = {.state = state, .trials_done = 2, .wall_s = 1.5};
    expect_comes_back(meta);
  }
}

TEST(Meta, OfThisMachineAndBuildComesBackAsItWas) {
  Meta meta = example_meta();
  meta.machine = read_machine();
  meta.run.machine = *meta.machine.id;
  meta.build = this_build();
  expect_comes_back(meta);
}

Calibration example_calibration() {
  return {.clock_ns = 27.6,
          .floor_untimed_ns = 1.5,
          .floor_sampled_ns = 2.25,
          .floor_timed_ns = 57.5,
          .holds = {{.asked = Nanoseconds(100), .got_ns = 101.5},
                    {.asked = std::chrono::milliseconds(1), .got_ns = 1000002}}};
}

TEST(Meta, OfAShardAndOfAMergedRunComesBackAsItWas) {
  Meta meta = example_meta();
  meta.shard = Shard{.index = 3, .of = 8};
  expect_comes_back(meta);
  meta.machines = {meta.machine, Machine{.id = "node8-3f2a9c"}};
  meta.parts = {{.run_id = "r1",
                 .shard = meta.shard,
                 .started_at = meta.started_at,
                 .command = "lockbench run quick --shard 3/8 --out a",
                 .machine = "node8-3f2a9c",
                 .surroundings = meta.surroundings,
                 .end = {.state = RunEnd::State::kFinished, .trials_done = 3, .wall_s = 2}}};
  meta.overlaps = {{.machine = "node8-3f2a9c", .run_ids = {"r1", "r2"}, .overlap_s = 2}};
  expect_comes_back(meta);
}

TEST(Meta, HasTheHashOfThePlan) {
  Meta meta = example_meta();
  EXPECT_EQ(json::parse(meta_text(meta))["plan_hash"], plan_hash(meta.plan));
  const std::string before = plan_hash(meta.plan);
  meta.plan.trials[2].cell.threads = 9;
  EXPECT_NE(plan_hash(meta.plan), before);
}

TEST(MetaHead, IsTheRunWithoutItsPlan) {
  Meta meta = example_meta();
  const std::string text = meta_text(meta);
  const auto head = parse_meta_head(text, "meta.json").value();
  EXPECT_EQ(head.plan_hash, plan_hash(meta.plan));
  const std::string written_elsewhere = json::parse(text).dump();
  const auto again = parse_meta_head(written_elsewhere, "meta.json").value();
  EXPECT_EQ(again.plan_hash, head.plan_hash);
  meta.plan = {};
  EXPECT_EQ(head.meta, meta);
  EXPECT_EQ(again.meta, meta);
}

TEST(MetaHead, OfATextThatWasCutOffIsAnError) {
  const std::string text = meta_text(example_meta());
  for (std::size_t size = 0; size < text.size(); ++size) {
    if (size + 1 == text.size()) continue;  // without its last line end it is whole
    EXPECT_FALSE(parse_meta_head(text.substr(0, size), "meta.json").ok()) << size;
  }
}

TEST(Meta, MembersOfALaterVersionAreAcceptedEverywhere) {
  json object = json::parse(meta_text(example_meta()));
  for (const char* const pointer : {"", "/machine", "/machine/caches/0", "/build", "/end", "/plan",
                                    "/plan/trials/0", "/plan/trials/0/cell", "/surroundings"}) {
    object[json::json_pointer(pointer)]["added_later"] = {{"a", 1}};
  }
  const auto read = parse_meta(object.dump(), "meta.json").value();
  EXPECT_EQ(read.plan, example_meta().plan);
}

TEST(Meta, OfACalibrationComesBackWithAndWithoutAFloor) {
  Meta meta = example_meta();
  meta.calibration = example_calibration();
  expect_comes_back(meta);
  meta.calibration->floor_sampled_ns.reset();
  const json calibration = json::parse(meta_text(meta))["calibration"];
  EXPECT_FALSE(calibration.contains("floor_sampled_ns"));
  EXPECT_EQ(calibration["floor_timed_ns"], 57.5);
  expect_comes_back(meta);
}

TEST(Meta, WhatIsNotKnownIsAbsent) {
  Meta meta = example_meta();
  meta.run.target.clear();
  meta.machine = {};
  meta.build.commit.reset();
  meta.build.modified.reset();
  const json object = json::parse(meta_text(meta));
  EXPECT_EQ(object["machine"], json({{"caches", json::array()}}));
  EXPECT_FALSE(object["build"].contains("commit"));
  EXPECT_FALSE(object.contains("target"));
  expect_comes_back(meta);
}

TEST(Meta, SaysWhetherTheMachineIsTheTarget) {
  Meta meta = example_meta();
  json target = json::parse(meta_text(meta))["target"];
  EXPECT_EQ(target["matches"], false);
  EXPECT_THAT(target["note"].get<std::string>(), HasSubstr("A \"quoted\" processor"));
  meta.machine.cpu_model = "i7-1165G7";
  target = json::parse(meta_text(meta))["target"];
  EXPECT_EQ(target, json({{"name", "i7-1165G7"}, {"matches", true}}));
  meta.run.target = "i9";
  EXPECT_EQ(json::parse(meta_text(meta))["target"]["matches"], false);
}

TEST(Meta, AnotherSchemaVersionIsToldBeforeAnythingElse) {
  const absl::Status status = parse_meta("{\"schema_version\": 2}", "runs/x/meta.json").status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("runs/x/meta.json: schema version 2, and this lockbench has 1; use"));
}

TEST(Meta, ErrorsNameTheField) {
  Meta meta = example_meta();
  meta.calibration = example_calibration();
  const json good = json::parse(meta_text(meta));
  struct {
    std::string pointer;
    json value;
    std::string error;
  } const rows[] = {
      {"/machine/cores", "four", "meta.json.machine.cores: expected a whole number"},
      {"/machine/caches/0", json::object(), "meta.json.machine.caches[0].level: is missing"},
      {"/machine/caches", 3, "meta.json.machine.caches: expected a list"},
      {"/end/state", "tired",
       "end.state: unknown state 'tired'; there are: running, finished, interrupted"},
      {"/plan/trials/1/cell/threads", 0,
       "meta.json.plan.trials[1].cell.threads: 0 is out of range"},
      {"/calibration", json::object(), "meta.json.calibration.clock_ns: is missing"},
      {"/calibration/holds", 3, "meta.json.calibration.holds: expected a list"},
      {"/calibration/holds/1/got_ns", "fast", "meta.json.calibration.holds[1].got_ns: expected"}};
  for (const auto& row : rows) {
    json object = good;
    object[json::json_pointer(row.pointer)] = row.value;
    EXPECT_THAT(std::string(parse_meta(object.dump(), "meta.json").status().message()),
                HasSubstr(row.error));
  }
  EXPECT_THAT(std::string(parse_meta("{\"sch", "meta.json").status().message()),
              HasSubstr("meta.json: not JSON at byte"));
}

TEST(WhyNotResume, TheSameMachineAndBuildMayGoOn) {
  const Meta meta = example_meta();
  EXPECT_EQ(why_not_resume(meta, meta.machine, meta.build, meta.plugins), "");
  Machine rebooted = meta.machine;
  rebooted.boot_id = "another";
  EXPECT_EQ(why_not_resume(meta, rebooted, meta.build, meta.plugins), "");
}

TEST(WhyNotResume, AnotherMachineOrBuildMayNot) {
  const Meta meta = example_meta();
  Machine other = meta.machine;
  other.hardware_threads = 2;
  EXPECT_THAT(
      why_not_resume(meta, other, meta.build, meta.plugins),
      AllOf(HasSubstr("begun on another machine"), HasSubstr("(hardware_threads 8 and 2)")));
  for (auto change :
       {+[](Machine& m) { m.kernel = "Linux 99"; }, +[](Machine& m) { m.memory_bytes = 1; },
        +[](Machine& m) { m.hypervisor = "Xen"; }, +[](Machine& m) { m.usable_threads = 1; }}) {
    other = meta.machine;
    change(other);
    EXPECT_NE(why_not_resume(meta, other, meta.build, meta.plugins), "");
  }
  Build debug = meta.build;
  debug.flags = "-O0";
  EXPECT_THAT(why_not_resume(meta, meta.machine, debug, meta.plugins),
              HasSubstr("begun with another build (flags \"-O2\" and \"-O0\")"));
}

TEST(BuildDifference, KnowsPlugInsByTheirBytesNotByTheirFolders) {
  Meta meta = example_meta();
  meta.plugins = {{{.file = "b/x.so", .file_hash = "1"}, {.file = "a/y.so", .file_hash = "2"}}};
  const Plugins moved{{{.file = "y.so", .file_hash = "2"}, {.file = "z/x.so", .file_hash = "1"}}};
  const Plugins changed{{{.file = "y.so", .file_hash = "3"}, {.file = "z/x.so", .file_hash = "1"}}};
  EXPECT_EQ(build_difference(meta, meta.build, moved), "");
  EXPECT_EQ(build_difference(meta, meta.build, changed), "plug-in y.so, file_hash 2 and 3");
  EXPECT_EQ(build_difference(meta, meta.build, {}),
            "2 and 0 plug-ins: name by --plugin what it measures");
  EXPECT_THAT(why_not_resume(meta, meta.machine, meta.build, changed),
              HasSubstr("begun with another build (plug-in y.so, "));
}

TEST(WhyNotResume, AMergedRunIsResumedByItsParts) {
  Meta meta = example_meta();
  meta.parts = {RunPart{}, RunPart{}};
  EXPECT_THAT(why_not_resume(meta, meta.machine, meta.build, meta.plugins),
              HasSubstr("merged from 2 runs"));
}

TEST(WhyNotResume, WhatLockbenchMicroMeasuredIsStartedAnew) {
  Meta meta = example_meta();
  meta.command = "lockbench-micro --lockbench_out=a";
  meta.plan.trials.front().cell.mode = Mode::kMicro;
  EXPECT_THAT(why_not_resume(meta, meta.machine, meta.build, meta.plugins),
              HasSubstr("start a new one: lockbench-micro --lockbench_out=a"));
}

TEST(ShellCommand, WordsComeOutOfTheShellAsTheyWentIn) {
  EXPECT_EQ(shell_command({"lockbench", "run", "--threads", "1,2,4..16", "striped:lock=std"}),
            "lockbench run --threads 1,2,4..16 striped:lock=std");
  EXPECT_EQ(shell_command({"a b", "", "it's", "$x", "*"}), "'a b' '' 'it'\\''s' '$x' '*'");
}

TEST(Build, KnowsItsCompilerAndLibraries) {
  const Build build = this_build();
  EXPECT_FALSE(build.compiler.empty());
  EXPECT_FALSE(build.build_type.empty());
  EXPECT_TRUE(build.libraries.contains("glibc"));
  EXPECT_EQ(build.commit.has_value(), build.modified.has_value());
}

}  // namespace
}  // namespace lockbench
