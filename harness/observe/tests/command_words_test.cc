// SPDX-License-Identifier: Apache-2.0

#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/program/command_line.h"
#include "harness/program/program.h"

namespace lockbench {
namespace {

using ::testing::ElementsAre;

TEST(ObserveWords, ThoseOfTheProgramAreItsOwn) {
  const Commands commands = contents_of_program().commands;
  const auto read =
      read_command_line(commands, {"lockbench", "observe", "--", "server", "--out", "x"});
  ASSERT_TRUE(std::holds_alternative<Chosen>(read));
  EXPECT_THAT(std::get<Chosen>(read).invocation.after_dashes, ElementsAre("server", "--out", "x"));
}

}  // namespace
}  // namespace lockbench
