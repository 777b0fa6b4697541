// SPDX-License-Identifier: Apache-2.0

#include "harness/record/run_writer.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/record/csv.h"
#include "harness/record/schema.h"
#include "tests/plan/matchers.h"
#include "tests/record/example_run.h"
#include "tests/record/small_disk.h"
#include "tests/record/temporary_folder.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Meta meta_of(const fs::path& folder) {
  auto meta = parse_meta(text_of(folder / "meta.json"), "meta.json");
  EXPECT_TRUE(meta.ok()) << meta.status();
  return meta.ok() ? *meta : Meta{};
}

TEST(RunWriter, WritesHeadersAtOnceAndATrialAsItEnds) {
  const TemporaryFolder parent;
  const fs::path folder = parent.path() / "runs" / "new";
  auto writer = RunWriter::create(folder, example_meta()).value();
  EXPECT_EQ(text_of(folder / "trials.csv"), csv_record(trial_header()));
  EXPECT_EQ(text_of(folder / "latency.csv"), csv_record(latency_header()));
  EXPECT_EQ(meta_of(folder), example_meta());

  ASSERT_TRUE(writer.append(example_row(1)).ok());
  EXPECT_EQ(text_of(folder / "trials.csv"),
            csv_record(trial_header()) + csv_record(trial_fields(example_row(1))));
  EXPECT_EQ(text_of(folder / "latency.csv"),
            csv_record(latency_header()) + latency_records(example_row(1)));
}

TEST(RunWriter, NotesAtTheEndHowFarItCame) {
  const TemporaryFolder folder;
  auto writer = RunWriter::create(folder.path(), example_meta()).value();
  ASSERT_TRUE(writer.append(example_row(0)).ok());
  ASSERT_TRUE(writer.finish(RunEnd::State::kInterrupted, 2.5).ok());
  EXPECT_EQ(meta_of(folder.path()).end,
            (RunEnd{.state = RunEnd::State::kInterrupted, .trials_done = 1, .wall_s = 2.5}));
}

TEST(RunWriter, RefusesAFolderThatHoldsARunAndTouchesNothing) {
  for (const char* name : {"trials.csv", "latency.csv", "meta.json"}) {
    const TemporaryFolder folder;
    write_text(folder.path() / name, "somebody's");
    const absl::Status status = RunWriter::create(folder.path(), example_meta()).status();
    EXPECT_TRUE(absl::IsAlreadyExists(status)) << status;
    EXPECT_THAT(message_of(status),
                HasSubstr(std::string(name) + ": the folder already holds a run; resume that run"));
    EXPECT_EQ(text_of(folder.path() / name), "somebody's");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
  }
}

TEST(RunWriter, TwoCannotBeginInOneFolder) {
  const TemporaryFolder folder;
  const auto lock = FolderLock::take(folder.path());
  EXPECT_TRUE(
      absl::IsFailedPrecondition(RunWriter::create(folder.path(), example_meta()).status()));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

// A process that was killed in replace_file() leaves it.
TEST(RunWriter, AnUnfinishedMetaIsNoRun) {
  const TemporaryFolder folder;
  write_text(folder.path() / "meta.json.new", "{");
  EXPECT_TRUE(RunWriter::create(folder.path(), example_meta()).ok());
}

TEST(RunWriter, SaysWhyAFolderCannotBeMade) {
  const TemporaryFolder parent;
  write_text(parent.path() / "file", "");
  const fs::path folder = parent.path() / "file" / "run";
  const absl::Status status = RunWriter::create(folder, example_meta()).status();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(message_of(status),
              HasSubstr(folder.string() +
                        ": cannot be made: Not a directory; name a folder that can be written"));
}

TEST(RunWriter, SaysWhyAFolderThatIsAFileCannotHoldARun) {
  const TemporaryFolder parent;
  write_text(parent.path() / "file", "kept");
  EXPECT_FALSE(RunWriter::create(parent.path() / "file", example_meta()).ok());
  EXPECT_EQ(text_of(parent.path() / "file"), "kept");
}

TEST(RunWriter, TakesAwayWhatItCouldNotBegin) {
  const TemporaryFolder folder;
  Meta brief;
  brief.run.run_id = "r";
  // Room for meta.json and the header of latency.csv; then for neither.
  const std::size_t header = csv_record(trial_header()).size();
  ASSERT_LT(meta_text(brief).size(), header);
  for (const std::size_t room : {header - 1, std::size_t{10}}) {
    absl::Status status;
    {
      const SmallDisk disk(room);
      status = RunWriter::create(folder.path(), brief).status();
    }
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    EXPECT_TRUE(fs::is_empty(folder.path())) << room;
  }
  EXPECT_TRUE(RunWriter::create(folder.path(), brief).ok());
}

TEST(RunWriter, ATrialThatWasMeasuredAgainHasARowForEachAttemptAndIsDoneOnce) {
  const TemporaryFolder folder;
  auto writer = RunWriter::create(folder.path(), example_meta()).value();
  Row again = example_row(0);
  again.attempt = 1;
  ASSERT_TRUE(writer.append(example_row(0)).ok());
  ASSERT_TRUE(writer.append(again).ok());
  EXPECT_EQ(writer.meta().end.trials_done, 1u);
  EXPECT_EQ(text_of(folder.path() / "trials.csv"), csv_record(trial_header()) +
                                                       csv_record(trial_fields(example_row(0))) +
                                                       csv_record(trial_fields(again)));
  EXPECT_NE(csv_record(trial_fields(again)), csv_record(trial_fields(example_row(0))));
}

TEST(RunWriter, ABlockThatIsAddedStandsInThePlanAtOnce) {
  const TemporaryFolder folder;
  auto writer = RunWriter::create(folder.path(), example_meta()).value();
  Cell cell = example_cell();
  cell.threads = 3;
  ASSERT_TRUE(writer.extend(std::vector{cell}).ok());
  const Plan plan = meta_of(folder.path()).plan;
  EXPECT_EQ(plan, writer.meta().plan);
  EXPECT_EQ(plan.blocks, 2u);
  ASSERT_EQ(plan.trials.size(), 4u);
  EXPECT_EQ(plan.trials[3].number, 3u);
  EXPECT_EQ(plan.trials[3].block, 1u);
  EXPECT_EQ(plan.trials[3].cell, cell);
}

TEST(RunWriter, ABlockThatCannotBeWrittenIsNotPlanned) {
  const TemporaryFolder folder;
  auto writer = RunWriter::create(folder.path(), example_meta()).value();
  absl::Status status;
  {
    const SmallDisk disk(10);
    status = writer.extend(std::vector{example_cell()});
  }
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_EQ(writer.meta().plan, example_meta().plan);
  ASSERT_TRUE(writer.finish(RunEnd::State::kInterrupted, 1).ok());
  EXPECT_EQ(meta_of(folder.path()).plan, example_meta().plan);
}

TEST(RunWriter, RefusesARowOfAnotherRun) {
  const TemporaryFolder folder;
  auto writer = RunWriter::create(folder.path(), example_meta()).value();
  EXPECT_TRUE(absl::IsInvalidArgument(writer.append(almost_empty_row())));
  EXPECT_EQ(text_of(folder.path() / "trials.csv"), csv_record(trial_header()));
}

// Bytes of trials.csv after `rows` rows of the example.
std::size_t trials_bytes(std::uint32_t rows) {
  std::size_t bytes = csv_record(trial_header()).size();
  for (std::uint32_t i = 0; i < rows; ++i) bytes += csv_record(trial_fields(example_row(i))).size();
  return bytes;
}

TEST(RunWriter, AFullDiskCostsNothingThatWasFinishedAtAnyByte) {
  const std::size_t before = trials_bytes(1);
  const std::size_t after = trials_bytes(2);
  for (std::size_t room = before; room < after; ++room) {
    const TemporaryFolder folder;
    auto writer = RunWriter::create(folder.path(), example_meta()).value();
    ASSERT_TRUE(writer.append(example_row(0)).ok());
    const std::string trials = text_of(folder.path() / "trials.csv");
    const std::string latency = text_of(folder.path() / "latency.csv");
    absl::Status status;
    {
      const SmallDisk disk(room);
      status = writer.append(example_row(1));
    }
    ASSERT_TRUE(absl::IsResourceExhausted(status)) << room << ": " << status;
    ASSERT_THAT(message_of(status), HasSubstr("trials.csv: File too large"));
    ASSERT_EQ(text_of(folder.path() / "trials.csv"), trials) << room;
    ASSERT_EQ(text_of(folder.path() / "latency.csv"), latency) << room;
    ASSERT_TRUE(writer.append(example_row(1)).ok()) << room;
  }
}

TEST(RunWriter, ADiskFullOfLatenciesCostsNothingThatWasFinished) {
  const TemporaryFolder folder;
  auto writer = RunWriter::create(folder.path(), example_meta()).value();
  const std::string trials = text_of(folder.path() / "trials.csv");
  const std::string latency = text_of(folder.path() / "latency.csv");
  absl::Status status;
  {
    const SmallDisk disk(latency.size() + 5);
    status = writer.append(example_row(0));
  }
  EXPECT_THAT(message_of(status), HasSubstr("latency.csv: File too large"));
  EXPECT_EQ(text_of(folder.path() / "trials.csv"), trials);
  EXPECT_EQ(text_of(folder.path() / "latency.csv"), latency);
}

}  // namespace
}  // namespace lockbench
