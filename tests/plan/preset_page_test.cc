// SPDX-License-Identifier: Apache-2.0

#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/plan/preset_file.h"
#include "harness/bench/plan/sweep_fields.h"

namespace lockbench {
namespace {

using testing::HasSubstr;

std::string row(std::initializer_list<std::string_view> cells) {
  std::string text;
  for (const std::string_view cell : cells) text += "| " + std::string(cell) + " ";
  return text + "|\n";
}

std::string quoted(std::string_view name) {
  return "`" + std::string(name) + "`";
}

// Between blank lines, so that a row more in the page is a difference, too.
std::string table_of_keys() {
  std::string table = "\n\n" + row({"key", "value", "default", "example"}) + "|---|---|---|---|\n";
  for (const PresetKey& key : preset_keys())
    table += row({quoted(key.name), key.wants, key.usual, quoted(key.example)});
  return table + "\n";
}

std::string table_of_fields() {
  std::string table = "\n\n" + row({"key", "several values", "value", "default", "example"}) +
                      "|---|---|---|---|---|\n";
  for (const SweepField& field : sweep_fields()) {
    table += row({quoted(field.name), field.axis ? "yes" : "no", field.wants, field.usual,
                  quoted(field.example)});
  }
  return table + "\n";
}

// After a change of a key, copy the expected table into the page.
TEST(PresetPage, ListsEveryKeyInOrder) {
  std::stringstream page;
  page << std::ifstream(LOCKBENCH_SOURCE_DIR "/docs/presets.md").rdbuf();
  EXPECT_THAT(page.str(), HasSubstr(table_of_keys()));
  EXPECT_THAT(page.str(), HasSubstr(table_of_fields()));
}

}  // namespace
}  // namespace lockbench
