// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/measurement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/record/run_writer.h"
#include "tests/base/temporary_folder.h"
#include "tests/record/example_run.h"

namespace lockbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Measurement, IsTheSameOfARowAndOfItsText) {
  const absl::StatusOr<std::vector<Measurement>> read =
      parse_measurements(trials_text({full_row(), almost_empty_row()}), "trials.csv");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(*read, ElementsAre(measurement_of(full_row()), measurement_of(almost_empty_row())));
  EXPECT_EQ(read->at(0).held_p50_ns, 301);
  EXPECT_EQ(read->at(1).operations_per_s, std::nullopt);
}

TEST(Measurement, OfAColumnThatIsMissingIsAbsent) {
  const auto read =
      parse_measurements("trial,valid,makespan_s\n7,true,2.5\n", "trials.csv").value();
  EXPECT_THAT(read, ElementsAre(Measurement{.trial = 7, .valid = true, .makespan_s = 2.5}));
}

TEST(Measurement, TellsWhereATableIsNone) {
  for (const auto& [text, said] : std::vector<std::pair<std::string, std::string>>{
           {"trial,makespan_s\n", "trials.csv:1: has no column \"valid\""},
           {"trial,valid\nx,true\n", "trials.csv:2: the row names no trial"},
           {"trial,valid\n1\n", "trials.csv:2: the row has not the header's cells"},
           {"trial,valid,ideal_s\n1,true,much\n", "trials.csv:2: the row ideal_s is no number"}}) {
    const auto read = parse_measurements(text, "trials.csv");
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_THAT(std::string(read.status().message()), HasSubstr(said));
  }
}

TEST(Measurement, OfARowThatWasCutOffIsLeftOut) {
  const auto read = parse_measurements("trial,valid\n1,true\n2,tr", "trials.csv").value();
  EXPECT_EQ(read.size(), 1u);
}

TEST(MeasuredRun, IsReadFromTheFolderOfItsWriter) {
  const TemporaryFolder folder;
  auto writer = RunWriter::create(folder.path() / "run", example_meta()).value();
  ASSERT_TRUE(writer.append(example_row(1)).ok());
  const auto run = read_measured_run(folder.path() / "run").value();
  EXPECT_EQ(run.meta.plan, example_meta().plan);
  EXPECT_THAT(run.measurements, ElementsAre(measurement_of(example_row(1))));
}

TEST(MeasuredRun, OfTwoTablesInOneFileIsRefused) {
  const TemporaryFolder folder;
  auto writer = RunWriter::create(folder.path() / "run", example_meta()).value();
  Row other = example_row(2);
  other.run.run_id = "other";
  write_text(folder.path() / "run" / "trials.csv",
             trials_text({example_row(0), example_row(1), other}));
  const auto run = read_measured_run(folder.path() / "run");
  EXPECT_THAT(std::string(run.status().message()),
              HasSubstr("trials.csv:4: the row is of another run: run_id is \"other\""));
}

TEST(MeasuredRun, SaysWhatWouldBeOneWhereThereIsNone) {
  const auto run = read_measured_run("/nowhere");
  ASSERT_FALSE(run.ok());
  EXPECT_THAT(std::string(run.status().message()), HasSubstr("name the folder of a run"));
}

}  // namespace
}  // namespace lockbench
