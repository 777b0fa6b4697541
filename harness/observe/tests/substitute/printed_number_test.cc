// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/command/printed_number.h"

#include <map>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

TEST(PrintedNumber, IsUnderstoodAsFarAsTheTextSaysWhatACommaIs) {
  const std::map<std::string, double> numbers{
      {"12", 12},
      {"12.5", 12.5},
      {".5", 0.5},
      {"1.5e-3", 1.5e-3},
      {"1.234", 1.234},
      {"1,5", 1.5},
      {"1,25", 1.25},
      {"1,2345", 1.2345},
      {"0,123", 0.123},
      {"1234,567", 1234.567},
      {"1,234.5", 1234.5},
      {"1.234,5", 1234.5},
      {"1,234,567", 1234567},
      {"1,234,567.8", 1234567.8},
      {"1.234.567,8", 1234567.8},
      {"1,5e3", 1500},
  };
  for (const auto& [text, number] : numbers) {
    const absl::StatusOr<double> understood = printed_number(text);
    ASSERT_TRUE(understood.ok()) << understood.status();
    EXPECT_EQ(*understood, number) << text;
  }
}

TEST(PrintedNumber, OneThatMayBeTwoNumbersIsRefused) {
  EXPECT_EQ(printed_number("1,234").status().message(),
            "'1,234' may be 1234 or 1.234; have the program print it without a comma, as with "
            "LC_ALL=C");
  EXPECT_FALSE(printed_number("12,345").ok());
}

TEST(PrintedNumber, WhatIsNoFiniteNumberAboveZeroIsRefused) {
  for (const char* text :
       {"", "x", "0", "0,0", "-3", "inf", "infinity", "nan", "1e999", "0x10", "1,2,3", "1.2.3",
        "1,23.4", "1,,234", ",", ".", "1 234", "12 ms", "1,2,345"}) {
    EXPECT_FALSE(printed_number(text).ok()) << text;
  }
}

}  // namespace
}  // namespace lockbench
