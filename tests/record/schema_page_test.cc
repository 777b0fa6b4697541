// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/record/latency.h"
#include "harness/record/schema.h"
#include "tests/record/temporary_folder.h"

namespace lockbench {
namespace {

using testing::HasSubstr;

// Between blank lines, so that a row more in the page is a difference, too.
std::string trials_table() {
  std::string table = "\n\n| column | unit | meaning | empty when |\n|---|---|---|---|\n";
  for (const Column& column : trial_columns()) {
    table += std::string("| `").append(column.name) + "` | ";
    table += std::string(column.unit).append(" | ").append(column.meaning).append(" | ");
    table += std::string(column.empty_when.empty() ? "never" : column.empty_when) + " |\n";
  }
  return table + "\n";
}

std::string latency_table() {
  std::string table = "\n\n| column | unit | meaning |\n|---|---|---|\n";
  for (const LatencyColumn& column : latency_columns()) {
    table += std::string("| `").append(column.name) + "` | ";
    table += std::string(column.unit).append(" | ").append(column.meaning).append(" |\n");
  }
  return table + "\n";
}

// A difference is mended by copying the table that the failure shows.
TEST(SchemaPage, ListsTheColumnsOfTheSchemaInOrder) {
  const std::string page =
      text_of(std::filesystem::path(LOCKBENCH_SOURCE_DIR) / "results/README.md");
  EXPECT_THAT(page, HasSubstr(trials_table()));
  EXPECT_THAT(page, HasSubstr(latency_table()));
}

}  // namespace
}  // namespace lockbench
