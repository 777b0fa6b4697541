// SPDX-License-Identifier: Apache-2.0

#include "harness/base/printable.h"

#include <string>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

TEST(Printable, OrdinaryTextStaysAsItIs) {
  const std::string text = "lock: 5 µs, ≈ 3 × “striped”, 锁, 🔒 \\ \" ' <b>";
  EXPECT_EQ(printable(text), text);
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, ControlCharactersAreEscaped) {
  EXPECT_EQ(printable("a\nb\rc\td"), "a\\nb\\rc\\td");
  EXPECT_EQ(printable("\x1b[2J\x7f"), "\\x1b[2J\\x7f");
  EXPECT_EQ(printable(std::string("\0x", 2)), "\\x00x");
  // CSI and the other controls above ASCII, in UTF-8.
  EXPECT_EQ(printable("\xc2\x9b[2J"), "\\x9b[2J");
}

TEST(Printable, MarksThatReorderTextOrEndALineAreEscaped) {
  EXPECT_EQ(printable("\u202eevil\u202c"), "\\u202eevil\\u202c");
  EXPECT_EQ(printable("\u2066a\u2069\u200f\u061c"), "\\u2066a\\u2069\\u200f\\u061c");
  EXPECT_EQ(printable("a\u2028b\u2029c\ufeff"), "a\\u2028b\\u2029c\\ufeff");
}

TEST(Printable, BytesThatAreNotUtf8AreEscaped) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\x80x"), "\\x80x");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");                    // cut off
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
}

TEST(Printable, WhatIsPrintableStaysThatWay) {
  std::string every_byte;
  for (int c = 0; c < 256; ++c) every_byte += static_cast<char>(c);
  const std::string once = printable(every_byte);
  EXPECT_EQ(printable(once), once);
}

TEST(Printable, OfSeveralLinesTheLineEndsMayStay) {
  EXPECT_EQ(printable_lines("a\x1b\nb\r\n"), "a\\x1b\nb\\r\n");
  EXPECT_EQ(printable_lines(""), "");
}

TEST(Clipped, CountsWhatItLeavesOut) {
  EXPECT_EQ(clipped("abc", 3), "abc");
  EXPECT_EQ(clipped("abcd", 3), "abc … 1 bytes more");
  EXPECT_EQ(clipped(std::string(1 << 20, 'x'), 2), "xx … 1,048,574 bytes more");
  EXPECT_EQ(clipped("abc", 3, 997), "abc … 997 bytes more");
  EXPECT_EQ(clipped("abcd", 3, 999), "abc … 1,000 bytes more");
}

TEST(Clipped, SplitsNoCharacter) {
  EXPECT_EQ(clipped("a锁b", 2), "a … 4 bytes more");
  EXPECT_EQ(clipped("a锁b", 3), "a … 4 bytes more");
  EXPECT_EQ(clipped("a锁b", 4), "a锁 … 1 bytes more");
  EXPECT_EQ(clipped(std::string(9, '\x80'), 6), std::string(3, '\x80') + " … 6 bytes more");
}

}  // namespace
}  // namespace lockbench
