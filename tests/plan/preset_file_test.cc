// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/preset_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/plan/spelling.h"
#include "tests/base/message_of.h"

namespace lockbench {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string error_in_file(std::string_view toml) {
  return message_of(parse_preset(toml, "a.toml"));
}

TEST(PresetFile, ReadsEverythingThatCanBeSaid) {
  const Preset preset = parse_preset(R"(title = "T"
description = "D"
target = "i7-1165G7"
blocks = 7
seed = 42

[[sweep]]
primitive = ["global", "striped:stripes=64"]
workload = "transfer"
threads = [1, "4..16"]
keys = "64"
key_type = ["u64", "string"]
key_distribution = ["uniform", "zipf:0.5"]
hold = ["0", "sleep:1ms"]
think = "touch:8"
pinning = "0,2"
timeout = ["0", "5ms"]
mode = "timed"
warmup = "10ms"
window = "0.1s"
sample_every = 1
time_limit = "9s"
)",
                                     "dir/some.toml")
                            .value();
  EXPECT_EQ(preset.name, "some");
  EXPECT_EQ(preset.title, "T");
  EXPECT_EQ(preset.description, "D");
  EXPECT_EQ(preset.target, "i7-1165G7");
  EXPECT_EQ(preset.blocks, 7u);
  EXPECT_EQ(preset.seed, 42u);
  ASSERT_EQ(preset.sweeps.size(), 1u);
  const Sweep& sweep = preset.sweeps[0];
  EXPECT_EQ(sweep.where, "dir/some.toml:7:1");
  EXPECT_EQ(to_text(sweep.primitives[1]), "striped:stripes=64");
  EXPECT_EQ(to_text(sweep.workloads[0]), "transfer");
  EXPECT_THAT(sweep.threads, ElementsAre(1, 4, 8, 16));
  EXPECT_THAT(sweep.keys, ElementsAre(64));
  EXPECT_THAT(sweep.key_types, ElementsAre(KeyType::kU64, KeyType::kString));
  EXPECT_EQ(to_text(sweep.key_distributions[1]), "zipf:0.5");
  EXPECT_EQ(to_text(sweep.holds[1]), "sleep:1ms");
  EXPECT_EQ(to_text(sweep.thinks[0]), "touch:8");
  EXPECT_THAT(sweep.pinnings, ElementsAre("0,2"));
  EXPECT_EQ(sweep.timeouts[1], std::chrono::milliseconds(5));
  EXPECT_EQ(sweep.mode, Mode::kTimed);
  EXPECT_EQ(sweep.warmup, std::chrono::milliseconds(10));
  EXPECT_EQ(sweep.window, std::chrono::milliseconds(100));
  EXPECT_EQ(sweep.sample_every, 1u);
  EXPECT_EQ(sweep.time_limit, std::chrono::seconds(9));
}

TEST(PresetFile, WhatStandsAtTheTopHoldsForAllSweeps) {
  const Preset preset = parse_preset(R"(title = "T"
primitive = "keyed"
window = "50ms"
[[sweep]]
threads = 2
[[sweep]]
primitive = "global"
mode = "fixed"
operations = 5
)",
                                     "a.toml")
                            .value();
  ASSERT_EQ(preset.sweeps.size(), 2u);
  EXPECT_EQ(to_text(preset.sweeps[0].primitives[0]), "keyed");
  EXPECT_EQ(preset.sweeps[0].window, std::chrono::milliseconds(50));
  EXPECT_THAT(preset.sweeps[0].threads, ElementsAre(2));
  EXPECT_EQ(to_text(preset.sweeps[1].primitives[0]), "global");
  EXPECT_TRUE(preset.sweeps[1].threads.empty());
}

TEST(PresetFile, AFileWithoutSweepsIsOneSweep) {
  const Preset preset = parse_preset("title = 'T'\nprimitive = 'keyed'\n", "a.toml").value();
  ASSERT_EQ(preset.sweeps.size(), 1u);
  EXPECT_EQ(to_text(preset.sweeps[0].primitives[0]), "keyed");
}

TEST(PresetFile, ErrorsOfTheLanguageSayWhere) {
  EXPECT_THAT(error_in_file("title = 'T'\nblocks = = 3\n"), HasSubstr("a.toml:2:10: not TOML: "));
}

TEST(PresetFile, AnUnknownKeyGetsTheNearestRightOne) {
  EXPECT_EQ(error_in_file("title = 'T'\n\n[[sweep]]\nprimitive = 'keyed'\ntreads = 3\n"),
            "a.toml:5:1: unknown key 'treads'; did you mean 'threads'?");
  EXPECT_EQ(error_in_file("title = 'T'\n[[sweeps]]\nprimitive = 'keyed'\n"),
            "a.toml:2:3: unknown key 'sweeps'; did you mean 'sweep'?");
  EXPECT_EQ(error_in_file("titel = 'T'\n"),
            "a.toml:1:1: unknown key 'titel'; did you mean 'title'?");
  EXPECT_THAT(error_in_file("title = 'T'\n[[sweep]]\nblocks = 3\n"),
              HasSubstr("a.toml:3:1: unknown key 'blocks'; there are: primitive, workload"));
}

TEST(PresetFile, AWrongValueIsToldWithItsLine) {
  const std::string start = "title = 'T'\nprimitive = 'keyed'\n";
  EXPECT_EQ(error_in_file(start + "hold = ['0', '5']\n"),
            "a.toml:3:14: hold: '5' has no unit; write a duration with its unit: 200ns, 5us, "
            "1.5ms, 2s");
  EXPECT_EQ(error_in_file(start + "mode = 'fast'\n"),
            "a.toml:3:8: mode: unknown mode 'fast'; there are: timed, fixed, open");
  EXPECT_THAT(error_in_file(start + "mode = 'micro'\n"),
              HasSubstr("a.toml:3:8: mode: mode 'micro' belongs to lockbench-micro"));
}

TEST(PresetFile, AWrongTypeIsToldWithWhatIsWanted) {
  const std::string start = "title = 'T'\nprimitive = 'keyed'\n";
  const std::string told = error_in_file(start + "hold = true\n");
  EXPECT_THAT(told, StartsWith("a.toml:3:8: hold wants 0, 200ns (spins), sleep:100ms, touch:8"));
  EXPECT_THAT(told, EndsWith(", not true or false"));
  EXPECT_THAT(error_in_file(start + "hold = {a = 1}\n"), HasSubstr("a.toml:3:8: hold wants 0"));
  EXPECT_THAT(error_in_file(start + "hold = [[1]]\n"), HasSubstr("not an array"));
  EXPECT_EQ(error_in_file(start + "mode = ['timed']\n"),
            "a.toml:3:8: mode wants one value, not an array");
  EXPECT_EQ(error_in_file(start + "threads = []\n"),
            "a.toml:3:11: threads wants at least one value");
  EXPECT_EQ(error_in_file(start + "blocks = '5'\n"),
            "a.toml:3:10: blocks wants a whole number without quotes, as 5");
  EXPECT_EQ(error_in_file(start + "blocks = 0\n"),
            "a.toml:3:10: blocks: 0 is out of range: 1 to 10000");
  EXPECT_EQ(error_in_file("title = 5\n"), "a.toml:1:9: title wants text in quotes");
  EXPECT_EQ(error_in_file(start + "sweep = 5\n"),
            "a.toml:3:9: sweep: write each as a table of its own, [[sweep]]");
}

TEST(PresetFile, ARequiredKeyIsMissed) {
  EXPECT_EQ(error_in_file(""), "a.toml:1:1: no title; begin with title = \"…\"");
  EXPECT_EQ(error_in_file("title = 'T'\n[[sweep]]\nthreads = 2\n"),
            "a.toml:2:1: no primitive; say which to measure, as primitive = [\"keyed\"]");
}

TEST(PresetFile, SettingsOfTheOtherModeAreRefused) {
  const std::string start = "title = 'T'\nprimitive = 'keyed'\n";
  EXPECT_EQ(error_in_file(start + "operations = 5\n"),
            "a.toml:3:1: operations: time decides how many in mode timed; give window instead, or "
            "mode = \"fixed\"");
  EXPECT_THAT(error_in_file(start + "mode = 'fixed'\noperations = 5\nwindow = '5ms'\n"),
              HasSubstr("a.toml:5:1: window: a trial in mode fixed ends after its operations"));
}

}  // namespace
}  // namespace lockbench
