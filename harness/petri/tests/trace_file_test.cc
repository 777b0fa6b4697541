// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/command/trace_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(TraceFile, SkipsCommentsAndBlanks) {
  EXPECT_THAT(*trace_from("# a trace\n\n  x takes a \r\ny ends\n", "t"),
              ElementsAre("x takes a", "y ends"));
}

TEST(TraceFile, ReadsJsonLines) {
  EXPECT_THAT(*trace_from("{\"thread\": 2, \"event\": \"takes a\", \"at_ns\": 17}\n"
                          "{\"event\": \"thread 2 lets go of a\"}\n",
                          "t"),
              ElementsAre("thread 2 takes a", "thread 2 lets go of a"));
}

TEST(TraceFile, NamesTheLineThatIsNoEvent) {
  for (const char* line :
       {"{\"thread\": 1}", "{torn", "{\"thread\": -1, \"event\": \"takes a\"}"}) {
    const auto events = trace_from(std::string("x takes a\n") + line + "\n", "t.jsonl");
    EXPECT_THAT(std::string(events.status().message()), HasSubstr("t.jsonl:2: not an event"))
        << line;
  }
}

}  // namespace
}  // namespace lockbench
