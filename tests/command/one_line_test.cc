// SPDX-License-Identifier: Apache-2.0

#include "harness/terminal/one_line.h"

#include <string_view>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

using std::string_view_literals::operator""sv;

TEST(OneLine, SpellsControlCharactersOut) {
  EXPECT_EQ(one_line("a\nb\r\tc\x1b[2J\x7f"), "a\\nb\\r\\tc\\x1b[2J\\x7f");
  EXPECT_EQ(one_line("\0"sv), "\\x00");
}

TEST(OneLine, LeavesAllElseAsItIs) {
  EXPECT_EQ(one_line("3 × 'striped' ~"), "3 × 'striped' ~");
}

}  // namespace
}  // namespace lockbench
