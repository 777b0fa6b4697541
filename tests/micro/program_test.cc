// SPDX-License-Identifier: Apache-2.0

// lockbench-micro as people run it.
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <sys/wait.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/record/csv.h"
#include "harness/bench/record/meta.h"
#include "harness/bench/record/schema.h"
#include "tests/base/temporary_folder.h"

namespace lockbench {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using Cells = std::map<std::string, std::string>;

class MicroProgram : public testing::Test {
 protected:
  // Exit code; what it printed is in out() and err().
  int run(const std::string& flags) const { return run_into(folder_.path() / "out", flags); }
  int run_into(const std::filesystem::path& out, const std::string& flags) const {
    const std::string command = std::string(LOCKBENCH_MICRO) + " " + flags + " >" + out.string() +
                                " 2>" + (folder_.path() / "err").string();
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string out() const { return text_of(folder_.path() / "out"); }
  std::string err() const { return text_of(folder_.path() / "err"); }

  std::filesystem::path rows_folder() const { return folder_.path() / "run"; }
  std::string rows_flag() const { return " --lockbench_out=" + rows_folder().string(); }

  std::vector<Cells> rows() const {
    const CsvText text = parse_csv(text_of(rows_folder() / "trials.csv"), "trials.csv").value();
    std::vector<Cells> rows;
    EXPECT_EQ(text.records.front().fields, trial_header());
    for (std::size_t i = 1; i < text.records.size(); ++i) {
      Cells& cells = rows.emplace_back();
      for (std::size_t c = 0; c < trial_header().size(); ++c) {
        cells[trial_header()[c]] = text.records[i].fields.at(c);
      }
    }
    return rows;
  }

  Meta meta() const {
    return parse_meta(text_of(rows_folder() / "meta.json"), "meta.json").value();
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(MicroProgram, MeasuresAllThatThereIsAndProvesIt) {
  ASSERT_EQ(run("--benchmark_min_time=0.001" + rows_flag()), 0) << err();
  std::set<std::string> trials;
  for (const Cells& row : rows()) {
    trials.insert(row.at("trial"));
    EXPECT_EQ(row.at("mode"), "micro");
    if (row.at("valid") == "true") {
      EXPECT_GT(std::stod(row.at("operations_per_s")), 0);
    } else {
      // The row says what the machine cannot do; locks work on any.
      EXPECT_EQ(row.at("workload"), "limit");
      EXPECT_THAT(row.at("reason"), Not(IsEmpty()));
    }
  }
  EXPECT_EQ(meta().end.state, RunEnd::State::kFinished);
  EXPECT_EQ(trials.size(), meta().plan.trials.size());
}

TEST_F(MicroProgram, EveryRepetitionIsARowEvenWhenInterleaved) {
  ASSERT_EQ(run("--benchmark_min_time=0.001 --benchmark_repetitions=3 "
                "--benchmark_enable_random_interleaving=true "
                "'--benchmark_filter=^base/std$|^uncontended/keyed/string$'" +
                rows_flag()),
            0)
      << err();
  std::map<std::string, std::string> blocks;  // of each primitive, in their order
  for (const Cells& row : rows()) blocks[row.at("primitive")] += row.at("block");
  EXPECT_EQ(blocks, (std::map<std::string, std::string>{{"keyed", "012"}, {"std", "012"}}));
}

TEST_F(MicroProgram, AFilterThatMatchesNothingIsBadInput) {
  EXPECT_EQ(run("--benchmark_filter=kyed" + rows_flag()), 2);
  EXPECT_THAT(err(), HasSubstr("lockbench-micro: --benchmark_filter=kyed: no benchmark"));
  EXPECT_FALSE(std::filesystem::exists(rows_folder()));
}

TEST_F(MicroProgram, AnUnknownFlagIsBadInput) {
  EXPECT_EQ(run("--lockbench_oot=a"), 2);
  EXPECT_THAT(err(), HasSubstr("--lockbench_oot=a"));
}

TEST_F(MicroProgram, AFolderThatCannotBeWrittenIsBadInput) {
  EXPECT_EQ(run("--lockbench_out=/dev/null/run"), 2);
  EXPECT_THAT(err(), HasSubstr("/dev/null/run"));
}

TEST_F(MicroProgram, NamesAreListedWithoutBeginningARun) {
  EXPECT_EQ(run("--benchmark_list_tests" + rows_flag()), 0);
  EXPECT_THAT(out(), HasSubstr("uncontended/keyed/u64\n"));
  EXPECT_FALSE(std::filesystem::exists(rows_folder()));
}

TEST_F(MicroProgram, FiguresThatCannotBeWrittenAreAnErrorAndTheirRowsAreKept) {
  const std::string one = "--benchmark_filter='^base/std$' --benchmark_min_time=0.001";
  EXPECT_EQ(run_into("/dev/full", one), 1);
  EXPECT_THAT(err(), HasSubstr("lockbench-micro: standard output could not be written"));
  EXPECT_EQ(run_into("/dev/full", one + rows_flag()), 1);
  EXPECT_THAT(rows(), SizeIs(1));
}

TEST_F(MicroProgram, HelpNamesItsOwnFlag) {
  EXPECT_EQ(run("--help"), 0);
  EXPECT_THAT(out(), HasSubstr("--lockbench_out=<folder>"));
}

}  // namespace
}  // namespace lockbench
