// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/sample_json.h"

#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/record/row.h"
#include "tests/record/example_run.h"

namespace lockbench {
namespace {

using testing::HasSubstr;

std::string error_in_sample(std::string_view text) {
  return std::string(parse_sample(text).status().message());
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos) throw std::runtime_error("no " + what + " in " + text);
  return text.replace(at, what.size(), with);
}

TEST(SampleJson, AFullSampleComesBackAsItWas) {
  const auto sample = parse_sample(sample_text(full_sample())).value();
  EXPECT_EQ(sample, full_sample());
}

TEST(SampleJson, WhatWasNotMeasuredStaysAbsent) {
  for (const auto& [name, outcome] : kOutcomeNames) {
    const Sample empty{.outcome = outcome, .reason = "\x01\n\"é"};
    const auto sample = parse_sample(sample_text(empty)).value();
    EXPECT_EQ(sample, empty) << name;
  }
}

TEST(SampleJson, ItIsOneLine) {
  EXPECT_EQ(sample_text({.reason = "two\nlines"}).find('\n'), std::string::npos);
}

TEST(SampleJson, AFigureThatIsNotFiniteIsNoMeasurement) {
  Sample odd = full_sample();
  odd.overlap = std::numeric_limits<double>::quiet_NaN();
  odd.wait->mean_ns = std::numeric_limits<double>::infinity();
  Sample even = full_sample();
  even.overlap.reset();
  even.wait.reset();
  const auto sample = parse_sample(sample_text(odd)).value();
  EXPECT_EQ(sample, even);
}

TEST(SampleJson, ATextCutOffAnywhereIsAnError) {
  const std::string text = sample_text(full_sample());
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(parse_sample(text.substr(0, size)).ok()) << size;
  }
}

TEST(SampleJson, ErrorsNameTheField) {
  const std::string text = sample_text(full_sample());
  EXPECT_THAT(error_in_sample("{\"outcome\":"), HasSubstr("sample: not JSON at byte"));
  EXPECT_THAT(error_in_sample("[]"), HasSubstr("sample: expected an object"));
  EXPECT_THAT(error_in_sample("{}"), HasSubstr("sample.outcome: is missing"));
  EXPECT_THAT(error_in_sample(replaced(text, "\"outcome\":\"ok\"", "\"outcome\":\"fine\"")),
              HasSubstr("sample.outcome: unknown outcome 'fine'; there are: ok, deadlock"));
  EXPECT_THAT(error_in_sample(replaced(text, "\"timeouts\":17", "\"timeouts\":-17")),
              HasSubstr("sample.timeouts: expected a whole number"));
  EXPECT_THAT(error_in_sample(replaced(text, "\"overlap\":0.5", "\"overlap\":\"half\"")),
              HasSubstr("sample.overlap: expected a number, found string"));
  EXPECT_TRUE(parse_sample(replaced(text, "\"overlap\"", "\"overlaps\"")).ok())
      << "of a later version";
  EXPECT_THAT(error_in_sample(replaced(text, "\"p50_ns\"", "\"p51_ns\"")),
              HasSubstr(".p50_ns: is missing"));
  EXPECT_THAT(error_in_sample(replaced(text, "[0,7,3]", "[0,7]")),
              HasSubstr("sample.wait.buckets[0]: expected [low_ns, high_ns, count]"));
}

}  // namespace
}  // namespace lockbench
