// SPDX-License-Identifier: Apache-2.0

// PluginRecord: what a stamp and its flags say, and in what a plug-in differs from lockbench.
#include "harness/bench/command/run/plugin_record.h"

#include <gtest/gtest.h>

namespace lockbench {
namespace {

const PluginStamp kOwn{
    .optimised = 1, .assertions = false, .compiler = "GNU 12.2.0", .flags = "-O2 -g1"};

PluginStamp with_flags(const char* flags) {
  PluginStamp stamp = kOwn;
  stamp.flags = flags;
  return stamp;
}

TEST(PluginRecord, WithoutAStampNamesTheFileAlone) {
  EXPECT_EQ(plugin_record("a.so", "1f", {}, kOwn),
            (PluginRecord{.file = "a.so", .file_hash = "1f"}));
}

TEST(PluginRecord, OfALikeBuildDoesNotDiffer) {
  for (const char* flags : {"", "-O2", "-O3 -g", "-O0 -Ofast", "-flto -fno-lto", "-march=native"}) {
    EXPECT_EQ(plugin_record("a.so", "1f", with_flags(flags), kOwn).differs, std::nullopt) << flags;
  }
}

TEST(PluginRecord, SaysInWhatItDiffers) {
  PluginStamp debug = with_flags("-O2 -O0 -g");
  debug.optimised = 0;
  debug.assertions = true;
  EXPECT_EQ(plugin_record("a.so", "1f", debug, kOwn).differs,
            "optimisation none (lockbench: full); assertions yes (lockbench: no)");
  PluginStamp small = kOwn;
  small.optimised = 2;
  EXPECT_EQ(plugin_record("a.so", "1f", small, kOwn).differs,
            "optimisation size (lockbench: full)");
  EXPECT_EQ(plugin_record("a.so", "1f", with_flags("-O2 -Og"), kOwn).differs,
            "optimisation little (lockbench: full)");
  EXPECT_EQ(
      plugin_record("a.so", "1f", with_flags("-O2 -fsanitize=undefined -flto=auto"), kOwn).differs,
      "sanitizers undefined (lockbench: none); link-time optimisation yes (lockbench: no)");
  PluginStamp other = kOwn;
  other.compiler = "Clang 14.0.6";
  EXPECT_EQ(plugin_record("a.so", "1f", other, kOwn).differs,
            "compiler Clang 14.0.6 (lockbench: GNU 12.2.0)");
  PluginStamp sanitized = kOwn;
  sanitized.sanitizers = 1;
  EXPECT_EQ(plugin_record("a.so", "1f", sanitized, kOwn).differs,
            "sanitizers address (lockbench: none)");
}

TEST(PluginRecord, OfThisProgramNamesItsCompilerAndFlags) {
  EXPECT_FALSE(own_stamp().compiler.empty());
  EXPECT_EQ(own_stamp().flags, this_build().flags);
}

}  // namespace
}  // namespace lockbench
