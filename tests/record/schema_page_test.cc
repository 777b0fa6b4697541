// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/record/schema.h"
#include "tests/base/temporary_folder.h"

namespace lockbench {
namespace {

using testing::HasSubstr;

// Between blank lines, so that a row more in the page is a difference, too.
std::string apart(const std::string& table) {
  return "\n\n" + table + "\n";
}

// To mend a difference, copy what `lockbench schema --format markdown` prints.
TEST(SchemaPage, ListsTheColumnsOfTheSchemaInOrder) {
  const std::string page =
      text_of(std::filesystem::path(LOCKBENCH_SOURCE_DIR) / "results/README.md");
  EXPECT_THAT(page, HasSubstr(apart(trials_markdown())));
  EXPECT_THAT(page, HasSubstr(apart(latency_markdown())));
}

}  // namespace
}  // namespace lockbench
