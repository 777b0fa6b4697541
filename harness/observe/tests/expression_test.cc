// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/expression.h"

#include <string>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

std::optional<std::string> last(const std::string& text, const std::string& expression) {
  return Expression::parse(expression)->last_in(text);
}

TEST(Expression, FindsTheLastMatchAndOfThatItsFirstGroup) {
  EXPECT_EQ(last("a1 a2", "a[0-9]"), "a2");
  EXPECT_EQ(last("a1 a2", "a([0-9])"), "2");
  EXPECT_EQ(last("a1 b2", "a([0-9])|b[0-9]"), "");
  EXPECT_EQ(last("a1", "b"), std::nullopt);
  EXPECT_EQ(last("", "x*"), "");
}

TEST(Expression, LinesBeginAndEndAndBytesMayBeAny) {
  EXPECT_EQ(last("one 1\ntwo 2\n", "^one (.*)$"), "1");
  EXPECT_EQ(last("\xff 3", ". ([0-9])"), "3");
  EXPECT_EQ(last("gr\xc3\xb6\xc3\x9f"
                 "er 3",
                 "größer ([0-9])"),
            "3");
  EXPECT_TRUE(Expression::parse("a|b")->finds_in("xb"));
}

TEST(Expression, ALongLineTakesNeitherTheStackNorForEver) {
  const std::string line(200'000, 'x');
  EXPECT_EQ(last(line, ".*")->size(), line.size());
  EXPECT_EQ(last(line, "(x+x+)+y"), std::nullopt);
  EXPECT_EQ(last(line, "(.*)*,"), std::nullopt);
}

TEST(Expression, SaysWhatIsWrong) {
  EXPECT_EQ(Expression::parse("(").status().message(),
            "'(' is no regular expression: missing ): (");
  EXPECT_FALSE(Expression::parse("a)|(b").ok());
  EXPECT_EQ(Expression::parse("(a)\\1").status().message(),
            "'(a)\\1' is no regular expression: invalid escape sequence: \\1");
}

}  // namespace
}  // namespace lockbench
