// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <string_view>

#include <absl/strings/str_replace.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/plan/preset_file.h"
#include "harness/bench/plan/sweep_fields.h"

namespace lockbench {
namespace {

using testing::HasSubstr;

// The template with this key of the sweep in use, in a mode that has it.
std::string with_key(const SweepField& field) {
  std::string text = preset_template();
  const bool open = field.name == "rate" || field.name == "arrivals";
  const std::string mode = open ? "open" : field.name == "operations" ? "fixed" : "timed";
  const std::string line = std::string(field.name) + " = " + std::string(field.example) + "\n";
  text = absl::StrReplaceAll(text, {{"# " + line, line}});
  return absl::StrReplaceAll(text, {{"# mode = \"timed\"", "mode = \"" + mode + "\""}});
}

TEST(PresetTemplate, IsAPresetAsItIs) {
  const auto preset = parse_preset(preset_template(), "mine.toml").value();
  EXPECT_EQ(preset.name, "mine");
  EXPECT_EQ(preset.sweeps.size(), 1u);
}

TEST(PresetTemplate, EveryExampleIsValid) {
  for (const SweepField& field : sweep_fields()) {
    const std::string text = with_key(field);
    EXPECT_THAT(text, HasSubstr("\n" + std::string(field.name) + " = "));
    const auto preset = parse_preset(text, "mine.toml");
    EXPECT_TRUE(preset.ok()) << field.name << ": " << preset.status();
  }
}

TEST(PresetTemplate, LinesFitATerminal) {
  const std::string whole = preset_template();
  std::string_view text = whole;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    EXPECT_LE(end, 100u) << text.substr(0, end);
    text.remove_prefix(end + 1);
  }
}

}  // namespace
}  // namespace lockbench
