// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/schema.h"

#include <filesystem>
#include <limits>
#include <locale>
#include <map>
#include <set>
#include <string>

#include <absl/strings/str_split.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/bench/record/csv.h"
#include "tests/base/temporary_folder.h"
#include "tests/record/example_run.h"

namespace lockbench {
namespace {

const std::filesystem::path kGolden =
    std::filesystem::path(LOCKBENCH_SOURCE_DIR) / "tests/record/golden";

// released_columns.txt is what version 0.1.0 writes. It changes with a release alone.
TEST(Schema, TheColumnsOfTheLastReleaseComeFirstAndInOrder) {
  const std::vector<std::string> released = absl::StrSplit(
      text_of(kGolden / "released_columns.txt"), absl::ByAnyChar(" \n"), absl::SkipEmpty());
  std::vector<std::string> header = trial_header();
  ASSERT_GE(header.size(), released.size());
  header.resize(released.size());
  EXPECT_EQ(header, released);
}

TEST(Schema, NoTwoColumnsHaveOneName) {
  const std::vector<std::string> header = trial_header();
  EXPECT_EQ(std::set<std::string>(header.begin(), header.end()).size(), header.size());
}

TEST(Schema, EveryColumnSaysWhatItIs) {
  for (const Column& column : trial_columns()) {
    EXPECT_FALSE(column.unit.empty()) << column.name;
    EXPECT_FALSE(column.meaning.empty()) << column.name;
  }
}

TEST(Schema, AsJsonHasTheColumnsOfBothTablesInOrder) {
  const nlohmann::json schema = nlohmann::json::parse(schema_json());
  std::vector<std::string> names;
  for (const nlohmann::json& column : schema["trials"]) names.push_back(column["name"]);
  EXPECT_EQ(names, trial_header());
  EXPECT_EQ(schema["latency"].size(), 7u);
  EXPECT_EQ(schema["schema_version"], kSchemaVersion);
}

TEST(Schema, AFullRowIsWrittenAsInTheGoldenFile) {
  EXPECT_EQ(csv_record(trial_header()) + csv_record(trial_fields(full_row())),
            text_of(kGolden / "full_row.csv"));
}

TEST(Schema, AnAlmostEmptyRowIsWrittenAsInTheGoldenFile) {
  EXPECT_EQ(csv_record(trial_header()) + csv_record(trial_fields(almost_empty_row())),
            text_of(kGolden / "almost_empty_row.csv"));
}

TEST(Schema, NoSamplesIsAZeroButTheirFiguresAreEmpty) {
  Row row = almost_empty_row();
  row.sample.wait = LatencySummary{};
  const auto cells = cells_of(row);
  EXPECT_EQ(cells.at("wait_samples"), "0");
  EXPECT_EQ(cells.at("wait_mean_ns"), "");
  EXPECT_EQ(cells.at("wait_max_ns"), "");
}

TEST(Schema, ARateIsOfTheWindowAsMeasured) {
  Row row = almost_empty_row();
  row.sample.operations = 10;
  row.sample.makespan_s = 4;
  EXPECT_EQ(cells_of(row).at("operations_per_s"), "");
  row.sample.window_s = 0.5;
  EXPECT_EQ(cells_of(row).at("operations_per_s"), "20");
  row.sample.window_s = 0;
  EXPECT_EQ(cells_of(row).at("operations_per_s"), "");
}

TEST(Schema, AHoldThatTouchesHasLinesAndNoTime) {
  Row row = almost_empty_row();
  row.trial.cell.hold = {.kind = Work::Kind::kTouch, .lines = 8};
  const auto cells = cells_of(row);
  EXPECT_EQ(cells.at("hold_kind"), "touch");
  EXPECT_EQ(cells.at("hold_ns"), "");
  EXPECT_EQ(cells.at("hold_lines"), "8");
}

TEST(Schema, AFigureReadsBackAsTheSameValue) {
  for (const double figure :
       {0.1, 1.0 / 3, 1e21, 123456789.0, -2.5, 0.0, std::numeric_limits<double>::min(),
        -std::numeric_limits<double>::max()}) {
    EXPECT_EQ(std::stod(figure_text(figure)), figure);
  }
  EXPECT_EQ(figure_text(0.1), "0.1");
  EXPECT_EQ(figure_text(std::numeric_limits<double>::infinity()), "");
  EXPECT_EQ(figure_text(std::numeric_limits<double>::quiet_NaN()), "");
}

// Writes numbers as nobody should: 1'234,5.
struct Foreign : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '\''; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Schema, TheLocaleChangesNothing) {
  const std::vector<std::string> before = trial_fields(full_row());
  const std::locale locale = std::locale::global(std::locale(std::locale(), new Foreign));
  EXPECT_EQ(trial_fields(full_row()), before);
  std::locale::global(locale);
}

}  // namespace
}  // namespace lockbench
