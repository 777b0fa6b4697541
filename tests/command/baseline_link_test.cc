// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/baseline_link.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "tests/base/temporary_folder.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;

// results/baselines is below the current folder.
class BaselineLink : public testing::Test {
 protected:
  BaselineLink() { fs::current_path(folder_.path()); }
  ~BaselineLink() override { fs::current_path(before_); }

 private:
  const fs::path before_ = fs::current_path();
  TemporaryFolder folder_;
};

TEST_F(BaselineLink, LeadsToTheRunFromWhereverResultsIsMoved) {
  fs::create_directories("results/runs/first");
  ASSERT_TRUE(save_baseline("main", "results/runs/first").ok());
  EXPECT_EQ(fs::read_symlink("results/baselines/main"), "../runs/first");
  fs::rename("results", "moved");
  EXPECT_TRUE(fs::is_directory("moved/baselines/main"));
}

TEST_F(BaselineLink, TakesTheNameFromAnEarlierRun) {
  fs::create_directories("first");
  fs::create_directories("second");
  ASSERT_TRUE(save_baseline("main", "first").ok());
  ASSERT_TRUE(save_baseline("main", fs::absolute("second")).ok());
  EXPECT_EQ(fs::read_symlink("results/baselines/main"), "../../second");
}

TEST_F(BaselineLink, LeavesAFolderOfThatNameAlone) {
  fs::create_directories("run");
  fs::create_directories("results/baselines/main");
  const absl::Status status = save_baseline("main", "run");
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_TRUE(fs::is_directory(fs::symlink_status("results/baselines/main")));
  EXPECT_EQ(std::distance(fs::directory_iterator("results/baselines"), {}), 1);
}

}  // namespace
}  // namespace lockbench
