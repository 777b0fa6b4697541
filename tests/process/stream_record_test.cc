// SPDX-License-Identifier: Apache-2.0

#include "harness/process/stream_record.h"

#include <string>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

StreamRecord record_of(std::size_t most, std::initializer_list<std::string> pieces) {
  StreamRecord record(most);
  for (const std::string& piece : pieces) record.add(piece);
  return record;
}

TEST(StreamRecord, KeepsTheFirstBytesAndCountsAll) {
  const StreamRecord record = record_of(4, {"ab", "cde", "fg"});
  EXPECT_EQ(record.head(), "abcd");
  EXPECT_EQ(record.bytes(), 7u);
  EXPECT_TRUE(record.exceeded());
  EXPECT_FALSE(record_of(4, {"ab", "cd"}).exceeded());
}

TEST(StreamRecord, KnowsTheLastLineThatIsNotEmpty) {
  EXPECT_EQ(record_of(0, {}).last_line(), "");
  EXPECT_EQ(record_of(0, {"one\ntwo"}).last_line(), "two");
  EXPECT_EQ(record_of(0, {"one\ntw", "o\n\n"}).last_line(), "two");
  EXPECT_EQ(record_of(0, {"one\r\n"}).last_line(), "one");
}

TEST(StreamRecord, OfALineWithoutEndKeepsTheFirstBytesAndCountsTheRest) {
  StreamRecord record(64);
  const std::string piece(1 << 10, 'x');
  for (int i = 0; i < 1 << 10; ++i) record.add(piece);
  EXPECT_EQ(record.last_line(), std::string(1000, 'x') + " … 1,047,576 bytes more");
  record.add("\nlast");
  EXPECT_EQ(record.last_line(), "last");
}

}  // namespace
}  // namespace lockbench
