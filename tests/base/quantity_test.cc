// SPDX-License-Identifier: Apache-2.0

#include "harness/base/quantity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/message_of.h"

namespace lockbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr CountRange kAny{0, 1'000'000};

TEST(Duration, EveryUnitCountsInNanoseconds) {
  EXPECT_EQ(parse_duration("200ns").value().count(), 200);
  for (const char* five : {"5us", "5\u00b5s", "5\u03bcs"}) {
    EXPECT_EQ(parse_duration(five).value().count(), 5'000) << five;
  }
  EXPECT_EQ(parse_duration("1.5ms").value().count(), 1'500'000);
  EXPECT_EQ(parse_duration("2s").value().count(), 2'000'000'000);
  EXPECT_EQ(parse_duration("0.5min").value().count(), 30'000'000'000);
}

TEST(Duration, ZeroNeedsNoUnit) {
  EXPECT_EQ(parse_duration("0").value().count(), 0);
  EXPECT_EQ(parse_duration("0ms").value().count(), 0);
}

TEST(Duration, DecimalsAreExact) {
  EXPECT_EQ(parse_duration("0.000000001s").value().count(), 1);
  EXPECT_EQ(parse_duration("1.000000").ok(), false);
  EXPECT_EQ(parse_duration("1.100ns").ok(), false);
  EXPECT_EQ(parse_duration("1.000ns").value().count(), 1);
  EXPECT_EQ(parse_duration("86399.999999999s").value().count(), 86'399'999'999'999);
}

TEST(Duration, PrintsInTheLargestUnitOfWhichThereIsOne) {
  for (const char* text :
       {"0", "1ns", "999ns", "1us", "1.5ms", "1.000001ms", "2s", "90s", "2.05s", "86400s"}) {
    EXPECT_EQ(to_text(parse_duration(text).value()), text);
  }
  EXPECT_EQ(to_text(Nanoseconds{-1500}), "-1.5us");
  EXPECT_EQ(to_text(Nanoseconds::min()), "-9223372036.854775808s");
}

TEST(Duration, TellsWhatIsWrongAndWhatWouldBeRight) {
  const std::string help = "; write a duration with its unit: 200ns, 5us, 1.5ms, 2s";
  EXPECT_EQ(message_of(parse_duration("-5us")), "'-5us' is negative" + help);
  EXPECT_EQ(message_of(parse_duration("200")), "'200' has no unit" + help);
  EXPECT_EQ(message_of(parse_duration("")), "'' is not a duration" + help);
  EXPECT_EQ(message_of(parse_duration("1.ms")), "'1.ms' is not a duration" + help);
  EXPECT_EQ(message_of(parse_duration("1.2.3ms")), "'1.2.3ms' is not a duration" + help);
  EXPECT_EQ(message_of(parse_duration("0.1ns")), "'0.1ns' is finer than 1ns" + help);
  EXPECT_EQ(message_of(parse_duration("86400.000000001s")),
            "'86400.000000001s' is longer than a day" + help);
  EXPECT_EQ(message_of(parse_duration("99999999999999999999s")),
            "'99999999999999999999s' is longer than a day" + help);
  EXPECT_EQ(message_of(parse_duration("5sec")),
            "'5sec' has the unknown unit 'sec'; units are ns, us or µs, ms, s, min");
}

TEST(Counts, AListStandsAsWritten) {
  EXPECT_THAT(parse_counts("4,1,2", kAny).value(), ElementsAre(4, 1, 2));
  EXPECT_EQ(to_text(parse_counts("4,1,2", kAny).value()), "4,1,2");
}

TEST(Counts, ARangeDoublesAndEndsWithItsEnd) {
  EXPECT_THAT(parse_counts("4..16", kAny).value(), ElementsAre(4, 8, 16));
  EXPECT_THAT(parse_counts("1,2,4..16", kAny).value(), ElementsAre(1, 2, 4, 8, 16));
  EXPECT_THAT(parse_counts("1..6", kAny).value(), ElementsAre(1, 2, 4, 6));
  EXPECT_THAT(parse_counts("3..3", kAny).value(), ElementsAre(3));
}

TEST(Counts, ARangeWithAStepAdds) {
  EXPECT_THAT(parse_counts("1..4:1", kAny).value(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(parse_counts("0..10:4", kAny).value(), ElementsAre(0, 4, 8, 10));
}

TEST(Counts, ReachTheLargestNumberWithoutOverflow) {
  const CountRange all{0, UINT64_MAX};
  EXPECT_EQ(parse_counts("9223372036854775808..18446744073709551615", all).value().back(),
            UINT64_MAX);
}

TEST(Counts, TellWhatIsWrongAndWhatWouldBeRight) {
  const CountRange threads{1, 4096};
  EXPECT_EQ(message_of(parse_counts("1,024,000", threads)),
            "'1,024,000' is a list, whose value 2 is 024; write thousands without a separator, as "
            "1024000");
  EXPECT_EQ(message_of(parse_counts("0", threads)), "0 is out of range: 1 to 4096");
  EXPECT_EQ(message_of(parse_counts("1000000000", threads)),
            "1000000000 is out of range: 1 to 4096");
  EXPECT_EQ(message_of(parse_counts("-3", threads)), "-3 is out of range: 1 to 4096");
  EXPECT_EQ(message_of(parse_counts("99999999999999999999999", threads)),
            "99999999999999999999999 is out of range: 1 to 4096");
  EXPECT_EQ(message_of(parse_counts("1,,2", threads)),
            "'' is not a whole number; write digits alone, as 1000");
  EXPECT_EQ(message_of(parse_counts("1k", threads)),
            "'1k' is not a whole number; write digits alone, as 1000");
  EXPECT_EQ(message_of(parse_counts("8..2", threads)),
            "'8..2' goes down; write the smaller number first");
  EXPECT_EQ(message_of(parse_counts("0..8", kAny)),
            "'0..8' doubles from 0; begin at 1, or give a step as 0..4:1");
  EXPECT_EQ(message_of(parse_counts("1..4:0", threads)), "0 is out of range: 1 to 4096");
  EXPECT_EQ(message_of(parse_counts("1..1000000:1", kAny)),
            "'1..1000000:1' is more than 4096 values; take a larger step");
}

TEST(Fraction, RoundTripsInItsShortestText) {
  EXPECT_EQ(to_text(parse_fraction("0.99", 0, 10).value()), "0.99");
  EXPECT_EQ(to_text(parse_fraction("1.0", 0, 10).value()), "1");
  EXPECT_THAT(message_of(parse_fraction("nan", 0, 10)), HasSubstr("'nan' is not a number from 0"));
  EXPECT_THAT(message_of(parse_fraction("11", 0, 10)), HasSubstr("from 0 to 10"));
  EXPECT_THAT(message_of(parse_fraction("", 0, 10)), HasSubstr("''"));
}

TEST(Bytes, AreReadInPowersOf1000OrWithAnIOf1024) {
  EXPECT_EQ(*parse_bytes("4096"), 4096u);
  EXPECT_EQ(*parse_bytes("1MB"), 1'000'000u);
  EXPECT_EQ(*parse_bytes("64KiB"), 65'536u);
  EXPECT_EQ(*parse_bytes("2GiB"), 2ULL << 30);
}

TEST(Bytes, OfNothingOrOfAnotherUnitAreNoSize) {
  for (const char* text : {"", "0", "MB", "1.5MB", "-1", "1mb", "1 MB", "99999999999GB"}) {
    EXPECT_FALSE(parse_bytes(text).ok()) << text;
  }
}

}  // namespace
}  // namespace lockbench
