// SPDX-License-Identifier: Apache-2.0

// The parts of requests to etcd's JSON gateway. harness/services/tests needs servers for the rest.
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "harness/services/locks/etcd/base64.h"
#include "harness/services/locks/etcd/json.h"

namespace lockbench::services {
namespace {

// RFC 4648, section 10.
const std::pair<std::string, std::string> kExamples[] = {
    {"", ""},
    {"f", "Zg=="},
    {"fo", "Zm8="},
    {"foo", "Zm9v"},
    {"foob", "Zm9vYg=="},
    {"fooba", "Zm9vYmE="},
    {"foobar", "Zm9vYmFy"},
    {std::string("\x00\xff\xfe", 3), "AP/+"},
};

TEST(Base64, IsThatOfTheStandard) {
  for (const auto& [bytes, text] : kExamples) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
}

TEST(Base64, EndsAtTheFirstCharacterThatIsNoDigit) {
  EXPECT_EQ(from_base64("Zm9v Zm9v"), "foo");
  EXPECT_EQ(from_base64("-"), "");
}

TEST(EtcdJson, WhatIsNotThereIsNullAndZero) {
  const Json answer = Json::parse(R"({"kvs":[{"key":"a"}],"revision":"18446744073709551615"})");
  EXPECT_EQ(text_of(part_of(element_of(part_of(answer, "kvs"), 0), "key")), "a");
  EXPECT_TRUE(element_of(part_of(answer, "kvs"), 1).is_null());
  EXPECT_TRUE(part_of(part_of(answer, "header"), "revision").is_null());
  EXPECT_TRUE(element_of(answer, 0).is_null());
  EXPECT_EQ(number_of(part_of(answer, "revision")), 18446744073709551615U);
  EXPECT_EQ(number_of(part_of(answer, "version")), 0U);
  EXPECT_EQ(text_of(part_of(answer, "kvs")), "");
}

}  // namespace
}  // namespace lockbench::services
