// SPDX-License-Identifier: Apache-2.0

#include "harness/process/analysis_command.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/files.h"
#include "harness/process/resources.h"
#include "primitives/platform/scratch_folder.h"

namespace lockbench {
namespace {

// A shell script stands in for Python. It has all modules that it is asked for.
class RunAnalysisTest : public testing::Test {
 protected:
  void python_does(const std::string& what) {
    const std::string python = folder_.path() + "/python3";
    std::ofstream(python) << "#!/bin/sh\n[ \"$1\" = -c ] && exit\n" << what << '\n';
    std::filesystem::permissions(python, std::filesystem::perms::owner_all);
    setenv("LOCKBENCH_PYTHON", python.c_str(), 1);
  }

 private:
  platform::ScratchFolder folder_;
};

TEST(ModulesNeeded, AreThoseThatTheScriptNames) {
  using internal::modules_needed;
  const auto compare =
      read_file(find_resource("scripts/commands/compare.py").value(), kMostInputBytes);
  EXPECT_THAT(modules_needed(*compare), testing::ElementsAre("pandas", "scipy"));
  EXPECT_THAT(modules_needed("import x\nmodules.need(\"s\",\n    \"a\", \"b\",\n)\n\"c\""),
              testing::ElementsAre("a", "b"));
  for (const char* const without : {"", "# modules.need(\"s\", \"a\")", "\nmodules.need(\"s\")"}) {
    EXPECT_THAT(modules_needed(without), testing::IsEmpty()) << without;
  }
}

TEST_F(RunAnalysisTest, ReturnsTheExitCodeOfTheScript) {
  python_does("[ \"$2\" = a_run ] && exit 5");
  EXPECT_EQ(run_analysis("compare", {"a_run"}).value(), 5);
}

TEST_F(RunAnalysisTest, EndsAScriptThatDoesNotEnd) {
  python_does("trap '' INT TERM; while :; do sleep 300; done");
  const absl::Status status = run_analysis("compare", {}, std::chrono::milliseconds(50)).status();
  EXPECT_TRUE(absl::IsDeadlineExceeded(status));
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("compare.py was killed"));
}

TEST_F(RunAnalysisTest, SaysWhatEndedAScriptThatCrashed) {
  python_does("kill -SEGV $$");
  const absl::Status status = run_analysis("compare", {}).status();
  EXPECT_THAT(std::string(status.message()),
              testing::HasSubstr("compare.py was ended by signal 11"));
}

}  // namespace
}  // namespace lockbench
