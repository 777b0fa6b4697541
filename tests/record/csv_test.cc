// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/csv.h"

#include <string>
#include <vector>

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Fields = std::vector<std::string>;

TEST(Csv, AFieldIsQuotedOnlyIfItMustBe) {
  EXPECT_EQ(csv_record({"plain", "", "a b", "a,b", "a\"b", "a\rb"}),
            "plain,,a b,\"a,b\",\"a\"\"b\",\"a\rb\"\n");
}

TEST(Csv, NastyFieldsComeBackAsTheyWere) {
  const Fields nasty = {"",
                        ",",
                        "\"",
                        "\"\"",
                        "\r",
                        "a\"b\"c,",
                        "=1+1",
                        "@cmd|' '",
                        "\t ",
                        "é\xff",
                        std::string("\0x", 2),
                        "\"\r\""};
  const auto csv = parse_csv(csv_record(nasty) + csv_record({"next"}), "x.csv").value();
  ASSERT_EQ(csv.records.size(), 2u);
  EXPECT_EQ(csv.records[0].fields, nasty);
  EXPECT_THAT(csv.records[1].fields, ElementsAre("next"));
  EXPECT_FALSE(csv.torn);
}

TEST(Csv, ARecordKnowsItsLineAndItsBytes) {
  const auto csv = parse_csv("a\n\"b,c\"\nd\n", "x.csv").value();
  EXPECT_THAT(csv.records,
              ElementsAre(CsvRecord{.fields = {"a"}, .line = 1, .begin = 0, .end = 2},
                          CsvRecord{.fields = {"b,c"}, .line = 2, .begin = 2, .end = 8},
                          CsvRecord{.fields = {"d"}, .line = 3, .begin = 8, .end = 10}));
}

TEST(Csv, AByteOrderMarkIsNoPartOfTheFirstRecord) {
  const auto csv = parse_csv("\xef\xbb\xbf\"a\",b\n1,2\n", "t.csv").value();
  EXPECT_EQ(csv.records[0], (CsvRecord{.fields = {"a", "b"}, .line = 1, .begin = 3, .end = 9}));
  EXPECT_EQ(csv.whole_bytes, 13u);
  EXPECT_TRUE(parse_csv("\xef\xbb\xbf", "t.csv")->records.empty());
}

TEST(Csv, LinesMayEndAsOnWindows) {
  const auto csv = parse_csv("a,\"b\"\r\nc,d\r\n", "x.csv").value();
  ASSERT_EQ(csv.records.size(), 2u);
  EXPECT_THAT(csv.records[0].fields, ElementsAre("a", "b"));
  EXPECT_THAT(csv.records[1].fields, ElementsAre("c", "d"));
}

TEST(Csv, ATextCutOffAnywhereGivesItsWholeRecords) {
  for (const std::string end : {"\n", "\r\n"}) {
    const std::string first = "a,\"b \"\"c\"" + end;
    const std::string text = absl::StrCat(first, "\"d,\",e", end);
    for (std::size_t size = 0; size <= text.size(); ++size) {
      const auto csv = parse_csv(text.substr(0, size), "x.csv");
      ASSERT_TRUE(csv.ok()) << size << ": " << csv.status();
      const std::size_t whole = size == text.size()    ? text.size()
                                : size >= first.size() ? first.size()
                                                       : 0;
      EXPECT_EQ(csv->whole_bytes, whole) << size;
      EXPECT_EQ(csv->torn, whole != size) << size;
      EXPECT_EQ(csv->records.size(), (whole > 0) + (whole == text.size())) << size;
    }
  }
}

TEST(Csv, ALineThatIsNoRecordIsRefused) {
  for (const char* const wrong :
       {"d\"e", "\"b\"c", "c,\"d", "c,d\re", "\"a\"b", "a,\"", "\"a\"\""}) {
    const auto csv = parse_csv(absl::StrCat("a,b\n", wrong, "\ne,f\n"), "x.csv");
    EXPECT_THAT(std::string(csv.status().message()), HasSubstr("x.csv:2: a quote or")) << wrong;
  }
  // Also where the last record was cut off besides.
  EXPECT_FALSE(parse_csv("a,b\nc,\"d\ne,f\ng,h", "x.csv").ok());
  EXPECT_TRUE(parse_csv("a,b\nc,d\r", "x.csv")->torn);
  EXPECT_TRUE(parse_csv("a,\"b\rc\"\n", "x.csv").ok());
}

TEST(Csv, ATableWithoutCommasIsToldItsSeparator) {
  const auto error_of = [](std::string_view text) {
    const CsvText csv = parse_csv(text, "x.csv").value();
    return std::string(check_separator(csv.records.front().fields, "x.csv").message());
  };
  EXPECT_THAT(error_of("a;b\n1;2\n"), HasSubstr("x.csv:1: the columns are separated by ';';"));
  EXPECT_THAT(error_of("a\tb\n"), HasSubstr("separated by tabs;"));
  EXPECT_EQ(error_of("a,b;c\n"), "");
  EXPECT_EQ(error_of("a\n"), "");
}

}  // namespace
}  // namespace lockbench
