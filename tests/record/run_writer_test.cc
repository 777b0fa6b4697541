// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/run_writer.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/plan/expand.h"
#include "harness/bench/record/csv.h"
#include "harness/bench/record/schema.h"
#include "tests/base/message_of.h"
#include "tests/base/small_disk.h"
#include "tests/base/temporary_folder.h"
#include "tests/record/example_run.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A folder for the run of example_meta(), and what is in it.
class RunWriterTest : public testing::Test {
 protected:
  RunWriter begin() const { return RunWriter::create(path(), example_meta()).value(); }

  fs::path path() const { return folder_.path() / "runs" / "new"; }
  std::string trials() const { return text_of(path() / "trials.csv"); }
  std::string latency() const { return text_of(path() / "latency.csv"); }
  Meta meta() const { return parse_meta(text_of(path() / "meta.json"), "meta.json").value(); }

 private:
  TemporaryFolder folder_;
};

TEST_F(RunWriterTest, WritesHeadersAtOnceAndATrialAsItEnds) {
  RunWriter writer = begin();
  EXPECT_EQ(trials(), trials_text({}));
  EXPECT_EQ(latency(), csv_record(latency_header()));
  EXPECT_EQ(meta(), example_meta());

  ASSERT_TRUE(writer.append(example_row(1)).ok());
  EXPECT_EQ(trials(), trials_text({example_row(1)}));
  EXPECT_EQ(latency(), csv_record(latency_header()) + latency_records(example_row(1)));
}

TEST_F(RunWriterTest, NotesAtTheEndHowFarItCame) {
  RunWriter writer = begin();
  ASSERT_TRUE(writer.append(example_row(0)).ok());
  ASSERT_TRUE(writer.finish(RunEnd::State::kInterrupted, 2.5).ok());
  EXPECT_EQ(meta().end,
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
  write_text(parent.path() / "file", "kept");
  const fs::path folder = parent.path() / "file" / "run";
  EXPECT_THAT(message_of(RunWriter::create(folder, example_meta()).status()),
              HasSubstr(folder.string() +
                        ": cannot be made: Not a directory; name a folder that can be written"));
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
    const absl::Status status =
        on_small_disk(room, [&] { return RunWriter::create(folder.path(), brief).status(); });
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    EXPECT_TRUE(fs::is_empty(folder.path())) << room;
  }
  EXPECT_TRUE(RunWriter::create(folder.path(), brief).ok());
}

TEST_F(RunWriterTest, ATrialThatWasMeasuredAgainHasARowForEachAttemptAndIsDoneOnce) {
  RunWriter writer = begin();
  Row again = example_row(0);
  again.attempt = 1;
  ASSERT_TRUE(writer.append(example_row(0)).ok());
  ASSERT_TRUE(writer.append(again).ok());
  EXPECT_EQ(writer.meta().end.trials_done, 1u);
  EXPECT_EQ(trials(), trials_text({example_row(0), again}));
  EXPECT_NE(trials_text({again}), trials_text({example_row(0)}));
}

TEST_F(RunWriterTest, ABlockThatIsAddedStandsInThePlanAtOnce) {
  RunWriter writer = begin();
  Cell cell = example_cell();
  cell.threads = 3;
  ASSERT_TRUE(writer.extend(std::vector{cell}).ok());
  Plan expected = example_meta().plan;
  append_block(expected, std::vector{cell});
  EXPECT_EQ(meta().plan, expected);
  EXPECT_EQ(writer.meta().plan, expected);
}

TEST_F(RunWriterTest, ABlockThatCannotBeWrittenIsNotPlanned) {
  RunWriter writer = begin();
  const absl::Status status =
      on_small_disk(10, [&] { return writer.extend(std::vector{example_cell()}); });
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_EQ(writer.meta().plan, example_meta().plan);
  ASSERT_TRUE(writer.finish(RunEnd::State::kInterrupted, 1).ok());
  EXPECT_EQ(meta().plan, example_meta().plan);
}

TEST_F(RunWriterTest, RefusesARowOfAnotherRun) {
  EXPECT_TRUE(absl::IsInvalidArgument(begin().append(almost_empty_row())));
  EXPECT_EQ(trials(), trials_text({}));
}

TEST_F(RunWriterTest, AFullDiskCostsNothingThatWasFinishedAtAnyByte) {
  const std::size_t before = trials_text({example_row(0)}).size();
  const std::size_t after = trials_text({example_row(0), example_row(1)}).size();
  for (std::size_t room = before; room < after; ++room) {
    fs::remove_all(path());
    RunWriter writer = begin();
    ASSERT_TRUE(writer.append(example_row(0)).ok());
    const std::string trials_before = trials();
    const std::string latency_before = latency();
    const absl::Status status = on_small_disk(room, [&] { return writer.append(example_row(1)); });
    ASSERT_TRUE(absl::IsResourceExhausted(status)) << room << ": " << status;
    ASSERT_THAT(message_of(status), HasSubstr("trials.csv: File too large"));
    ASSERT_EQ(trials(), trials_before) << room;
    ASSERT_EQ(latency(), latency_before) << room;
    ASSERT_TRUE(writer.append(example_row(1)).ok()) << room;
  }
}

TEST_F(RunWriterTest, ADiskFullOfLatenciesCostsNothingThatWasFinished) {
  RunWriter writer = begin();
  const std::string latency_before = latency();
  const absl::Status status =
      on_small_disk(latency_before.size() + 5, [&] { return writer.append(example_row(0)); });
  EXPECT_THAT(message_of(status), HasSubstr("latency.csv: File too large"));
  EXPECT_EQ(trials(), trials_text({}));
  EXPECT_EQ(latency(), latency_before);
}

}  // namespace
}  // namespace lockbench
