// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/merge/csv_lines.h"

#include <gtest/gtest.h>

#include "harness/bench/record/csv.h"
#include "tests/base/temporary_folder.h"

namespace lockbench {
namespace {

TEST(CsvLines, GivesWholeLinesWithTheirPositionAndSaysWhatIsTorn) {
  const TemporaryFolder folder;
  const std::string longer(3 << 20, 'x');  // than any buffer
  write_text(folder.path() / "t.csv", "a,b\n" + longer + "\n\nto");
  auto opened = CsvLines::open(folder.path() / "t.csv").value();
  ASSERT_TRUE(opened.next());
  CsvLines lines = std::move(opened);  // goes on where the other one was
  EXPECT_EQ(lines.line(), "a,b");
  ASSERT_TRUE(lines.next());
  EXPECT_EQ(lines.line(), longer);
  EXPECT_EQ(lines.offset(), 4u);
  EXPECT_EQ(lines.number(), 2u);
  ASSERT_TRUE(lines.next());
  EXPECT_EQ(lines.line(), "");
  EXPECT_EQ(lines.offset(), 4u + longer.size() + 1);
  EXPECT_FALSE(lines.next());
  EXPECT_TRUE(lines.torn());
  EXPECT_TRUE(lines.status().ok());
}

TEST(CsvLines, AByteOrderMarkIsNoPartOfTheFirstLine) {
  const TemporaryFolder folder;
  write_text(folder.path() / "t.csv",
             std::string(kByteOrderMark) + "a,b\n" + std::string(kByteOrderMark) + "1,2\n");
  auto lines = CsvLines::open(folder.path() / "t.csv");
  ASSERT_TRUE(lines.ok() && lines->next());
  EXPECT_EQ(lines->line(), "a,b");
  EXPECT_EQ(lines->offset(), 3u);
  ASSERT_TRUE(lines->next());
  EXPECT_EQ(lines->line(), std::string(kByteOrderMark) + "1,2");
  EXPECT_EQ(lines->offset(), 7u);
}

TEST(CsvLines, OfAFileThatIsMissingIsAnError) {
  EXPECT_TRUE(absl::IsNotFound(CsvLines::open("/nowhere/t.csv").status()));
}

}  // namespace
}  // namespace lockbench
