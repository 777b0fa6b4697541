// SPDX-License-Identifier: Apache-2.0

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/record/csv.h"
#include "harness/bench/record/recovery.h"
#include "harness/bench/record/run_writer.h"
#include "harness/bench/record/schema.h"
#include "tests/base/message_of.h"
#include "tests/base/temporary_folder.h"
#include "tests/record/example_run.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Numbers = std::set<std::uint32_t>;

// A run of three trials, all written, in a folder of its own.
class Resume : public testing::Test {
 protected:
  Resume() {
    auto writer = RunWriter::create(folder(), example_meta());
    EXPECT_TRUE(writer.ok()) << writer.status();
    for (const std::uint32_t number : {0, 1, 2}) {
      EXPECT_TRUE(writer->append(example_row(number)).ok());
    }
    EXPECT_TRUE(writer->finish(RunEnd::State::kInterrupted, 1.5).ok());
    trials_ = text_of(trials_path());
    latency_ = text_of(latency_path());
  }

  const fs::path& folder() const { return folder_.path(); }
  fs::path trials_path() const { return folder() / "trials.csv"; }
  fs::path latency_path() const { return folder() / "latency.csv"; }
  fs::path meta_path() const { return folder() / "meta.json"; }

  static std::string removed(const fs::path& path) { return path.string() + ".removed"; }

  absl::Status status_of_resume() const { return open_for_resume(folder()).status(); }

  // The whole rows in the text of trials.csv cut to `size` bytes, counted without a parser.
  Numbers done_within(std::size_t size) const {
    Numbers done;
    std::size_t end = csv_record(trial_header()).size();
    for (const std::uint32_t number : {0, 1, 2}) {
      end += csv_record(trial_fields(example_row(number))).size();
      if (end <= size) done.insert(number);
    }
    return done;
  }

  std::string latency_of(const Numbers& done) const {
    std::string text = csv_record(latency_header());
    for (const std::uint32_t number : done) text += latency_records(example_row(number));
    return text;
  }

  TemporaryFolder folder_;
  std::string trials_;
  std::string latency_;
};

TEST_F(Resume, OfAWholeRunKeepsAllOfIt) {
  const auto run = open_for_resume(folder()).value();
  EXPECT_THAT(run.done, ElementsAre(0, 1, 2));
  EXPECT_THAT(run.repairs, IsEmpty());
  EXPECT_EQ(text_of(trials_path()), trials_);
  EXPECT_EQ(text_of(latency_path()), latency_);
  EXPECT_EQ(run.writer.meta().plan, example_meta().plan);
}

TEST_F(Resume, OfATableTornAtAnyByteMeasuresJustTheLostTrialsAgain) {
  for (std::size_t size = 0; size <= trials_.size(); ++size) {
    write_text(trials_path(), trials_.substr(0, size));
    write_text(latency_path(), latency_);
    auto run = open_for_resume(folder());
    ASSERT_TRUE(run.ok()) << size << ": " << run.status();
    const Numbers done = done_within(size);
    ASSERT_EQ(run->done, done) << size;
    ASSERT_EQ(text_of(latency_path()), latency_of(done)) << size;
    for (const std::uint32_t number : {0, 1, 2}) {
      if (done.contains(number)) continue;
      ASSERT_TRUE(run->writer.append(example_row(number)).ok());
    }
    ASSERT_EQ(text_of(trials_path()), trials_) << size;
    ASSERT_EQ(text_of(latency_path()), latency_) << size;
  }
}

TEST_F(Resume, OfLatenciesTornAtAnyByteBeforeTheirTrialWasWrittenDropsThem) {
  const std::size_t two_trials = latency_of({0, 1}).size();
  const std::string two_rows = trials_text({example_row(0), example_row(1)});
  for (std::size_t size = two_trials; size <= latency_.size(); ++size) {
    write_text(trials_path(), two_rows);
    write_text(latency_path(), latency_.substr(0, size));
    const auto run = open_for_resume(folder());
    ASSERT_TRUE(run.ok()) << size << ": " << run.status();
    ASSERT_EQ(run->done, (Numbers{0, 1})) << size;
    ASSERT_EQ(text_of(latency_path()), latency_of({0, 1})) << size;
    ASSERT_EQ(run->repairs.size(), size > two_trials ? 1u : 0u) << size;
  }
}

TEST_F(Resume, SaysWhatItRepairedAndKeepsWhatItRemoved) {
  write_text(trials_path(), trials_.substr(0, trials_.size() - 1));
  const auto run = open_for_resume(folder()).value();
  const std::string row = csv_record(trial_fields(example_row(2)));
  EXPECT_THAT(
      run.repairs,
      ElementsAre(HasSubstr("trials.csv: its last line had no end; moved its " +
                            std::to_string(row.size() - 1) + " bytes to " + removed(trials_path())),
                  HasSubstr("latency.csv: moved 3 rows of trials that were cut short to " +
                            removed(latency_path()))));
  EXPECT_EQ(text_of(removed(trials_path())), row);
  EXPECT_EQ(text_of(removed(latency_path())), latency_records(example_row(2)));
}

// The texts of both repairs are kept.
TEST_F(Resume, AddsToWhatAnEarlierRepairRemoved) {
  write_text(removed(trials_path()), "earlier\n");
  write_text(trials_path(), trials_ + "later");
  const auto run = open_for_resume(folder()).value();
  EXPECT_EQ(text_of(removed(trials_path())), "earlier\nlater\n");
}

// One stray quote must not pass the rows after it off as a torn record.
TEST_F(Resume, IsRefusedForAStrayQuoteAndTouchesNothing) {
  for (const bool torn : {false, true}) {
    std::string text = torn ? trials_ + "torn" : trials_;
    const std::size_t first_row = csv_record(trial_header()).size();
    text.insert(text.find(',', first_row) + 1, "\"");
    write_text(trials_path(), text);
    const absl::Status status = status_of_resume();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(message_of(status), HasSubstr("trials.csv:2:"));
    EXPECT_EQ(text_of(trials_path()), text);
    EXPECT_FALSE(fs::exists(removed(trials_path())));
  }
}

TEST_F(Resume, ChecksAllFilesBeforeItRepairsOne) {
  const std::string torn = trials_.substr(0, trials_.size() - 1);
  const std::string broken = latency_ + "1,2\n";
  write_text(trials_path(), torn);
  write_text(latency_path(), broken);
  EXPECT_THAT(message_of(status_of_resume()), HasSubstr("latency.csv:"));
  EXPECT_EQ(text_of(trials_path()), torn);
  EXPECT_EQ(text_of(latency_path()), broken);
}

// In the order in which create() writes: any of these is what a killed process leaves.
TEST_F(Resume, OfARunThatWasKilledWhileItBeganStartsItAnew) {
  const std::string latency_begun = csv_record(latency_header());
  const std::string trials_begun = csv_record(trial_header());
  const std::vector<std::pair<const char*, const char*>> left = {
      {nullptr, nullptr},
      {"", nullptr},
      {"run_", nullptr},
      {latency_begun.c_str(), nullptr},
      {latency_begun.c_str(), ""},
      {latency_begun.c_str(), "schema_"},
      {latency_begun.c_str(), trials_begun.c_str()}};
  for (const auto& [latency, trials] : left) {
    const TemporaryFolder begun;
    write_text(begun.path() / "meta.json", meta_text(example_meta()));
    if (latency != nullptr) write_text(begun.path() / "latency.csv", latency);
    if (trials != nullptr) write_text(begun.path() / "trials.csv", trials);
    auto run = open_for_resume(begun.path()).value();
    EXPECT_THAT(run.done, IsEmpty());
    for (const std::uint32_t number : {0, 1, 2}) {
      ASSERT_TRUE(run.writer.append(example_row(number)).ok());
    }
    EXPECT_EQ(text_of(begun.path() / "trials.csv"), trials_);
    EXPECT_EQ(text_of(begun.path() / "latency.csv"), latency_);
    EXPECT_EQ(text_of(begun.path() / "schema.json"), schema_json());
  }
}

// The attempt that has its row is what is known of the trial.
TEST_F(Resume, ATrialOfWhichOneAttemptHasItsRowIsDone) {
  Row again = example_row(1);
  again.attempt = 1;
  write_text(trials_path(), trials_ + csv_record(trial_fields(again)));
  write_text(latency_path(), latency_ + latency_records(again));
  const auto run = open_for_resume(folder()).value();
  EXPECT_THAT(run.done, ElementsAre(0, 1, 2));
  EXPECT_EQ(run.writer.meta().end.trials_done, 3u);
  EXPECT_THAT(run.repairs, IsEmpty());
  EXPECT_EQ(text_of(latency_path()), latency_ + latency_records(again));
}

TEST_F(Resume, LatenciesOfAnAttemptThatWasCutShortAreDropped) {
  Row again = example_row(2);
  again.attempt = 1;
  write_text(latency_path(), latency_ + latency_records(again));
  const auto run = open_for_resume(folder()).value();
  EXPECT_THAT(run.done, ElementsAre(0, 1, 2));
  EXPECT_EQ(text_of(latency_path()), latency_);
  EXPECT_EQ(run.repairs.size(), 1u);
}

TEST_F(Resume, ARowThatSomebodyRemovedIsMeasuredAgain) {
  write_text(trials_path(), trials_text({example_row(0), example_row(2)}));
  const auto run = open_for_resume(folder()).value();
  EXPECT_THAT(run.done, ElementsAre(0, 2));
  EXPECT_EQ(text_of(latency_path()), latency_of({0, 2}));
}

TEST_F(Resume, AddsItsTimeToThatOfTheSessionsBefore) {
  auto run = open_for_resume(folder()).value();
  EXPECT_EQ(run.writer.meta().end.state, RunEnd::State::kRunning);
  ASSERT_TRUE(run.writer.finish(RunEnd::State::kFinished, 2).ok());
  const auto meta = parse_meta(text_of(meta_path()), "meta.json").value();
  EXPECT_EQ(meta.end, (RunEnd{.state = RunEnd::State::kFinished, .trials_done = 3, .wall_s = 3.5}));
}

TEST_F(Resume, IsRefusedWhileAnotherWriterIsAtWork) {
  const auto first = open_for_resume(folder()).value();
  EXPECT_TRUE(absl::IsFailedPrecondition(status_of_resume()));
}

TEST_F(Resume, IsRefusedWhereThereIsNoRun) {
  const TemporaryFolder empty;
  const absl::Status status = open_for_resume(empty.path()).status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_THAT(message_of(status), HasSubstr("name the folder of a run that was interrupted"));
}

TEST_F(Resume, IsRefusedWithoutMetaOrLatencies) {
  fs::remove(latency_path());
  EXPECT_THAT(message_of(status_of_resume()), HasSubstr("latency.csv"));
  EXPECT_FALSE(fs::exists(latency_path()));
  fs::remove(trials_path());
  EXPECT_THAT(message_of(status_of_resume()), HasSubstr("trials.csv"));
  EXPECT_FALSE(fs::exists(trials_path()));
  write_text(trials_path(), trials_);
  fs::remove(meta_path());
  EXPECT_THAT(message_of(status_of_resume()), HasSubstr("meta.json"));
  EXPECT_EQ(text_of(trials_path()), trials_);
}

TEST_F(Resume, IsRefusedForAnotherSchemaVersionAndTouchesNothing) {
  std::string meta = text_of(meta_path());
  const std::string version = "\"schema_version\": 1";
  write_text(meta_path(),
             meta.replace(meta.find(version), version.size(), "\"schema_version\": 7"));
  write_text(trials_path(), trials_.substr(0, trials_.size() - 1));
  const absl::Status status = status_of_resume();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(message_of(status), HasSubstr("schema version 7"));
  EXPECT_EQ(text_of(trials_path()), trials_.substr(0, trials_.size() - 1));
}

TEST_F(Resume, IsRefusedForAnotherHeaderAndNamesTheColumn) {
  std::string text = trials_;
  write_text(trials_path(), text.replace(text.find("block,"), 6, "lap,"));
  const absl::Status status = status_of_resume();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(message_of(status),
              HasSubstr("trials.csv:1: column 6 is \"lap\" where schema version 1 has \"block\""));
}

TEST_F(Resume, IsRefusedForAHeaderWithOneColumnMoreOrLess) {
  const std::string header = csv_record(trial_header());
  std::string longer = header;
  longer.insert(longer.size() - 1, ",more");
  const std::string shorter = header.substr(0, header.rfind(',')) + "\n";
  for (const std::string& wrong : {longer, shorter, std::string("something else")}) {
    write_text(trials_path(), wrong);
    EXPECT_TRUE(absl::IsFailedPrecondition(status_of_resume())) << wrong;
  }
}

// A row of trial 2 whose cell `column` is `cell`, behind the rows of trials 0 and 1.
std::string with_cell(const std::string& column, const std::string& cell) {
  std::vector<std::string> fields = trial_fields(example_row(2));
  const std::vector<std::string> names = trial_header();
  const auto found = std::find(names.begin(), names.end(), column);
  fields.at(static_cast<std::size_t>(found - names.begin())) = cell;
  return trials_text({example_row(0), example_row(1)}) + csv_record(fields);
}

std::string error_of(const std::string& trials) {
  return message_of(recover_trials(trials, "t.csv", kExampleRun, example_meta().plan).status());
}

TEST(RecoverTrials, NamesTheLineOfARowThatIsNotTheRuns) {
  struct {
    const char* column;
    const char* cell;
    const char* said;
  } const rows[] = {
      {"run_id", "other", "t.csv:4: run_id is \"other\""},
      {"schema_version", "2", "t.csv:4: schema version"},
      {"trial", "2x", "trial is \"2x\" where the plan has 0 to 2"},
      {"trial", "", "trial is \"\""},
      {"trial", "1", "attempt 0 at trial 1 has a row already"},
      {"attempt", "", "attempt is \"\", no number"},
  };
  for (const auto& row : rows) {
    EXPECT_THAT(error_of(with_cell(row.column, row.cell)), HasSubstr(row.said));
  }
  EXPECT_THAT(error_of(csv_record(trial_header()) + "1,2\n"),
              HasSubstr("t.csv:2: 2 cells where the header has "));
}

}  // namespace
}  // namespace lockbench
