// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/preload/announcements.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> without(const std::string& announcements) {
  return programs_without_library(announcements, "./first");
}

TEST(ProgramsWithoutLibrary, TheFirstOneIfNothingIsAnnounced) {
  EXPECT_THAT(without(""), ElementsAre("./first"));
  EXPECT_THAT(without("begun 7 /bin/first\n"), IsEmpty());
}

TEST(ProgramsWithoutLibrary, AProgramInThePlaceOfAnother) {
  EXPECT_THAT(without("begun 7 /bin/env\nstarts 7 ./two\nbegun 7 /home/two\n"), IsEmpty());
  EXPECT_THAT(without("begun 7 /bin/env\nstarts 7 ./two\n"), ElementsAre("./two"));
}

TEST(ProgramsWithoutLibrary, AChildMayBeginBeforeItsParentSaysThatItStarted) {
  EXPECT_THAT(without("begun 7 /bin/sh\nbegun 8 /bin/a\nstarts 8 a\n"), IsEmpty());
  EXPECT_THAT(without("begun 7 /bin/sh\nstarts 8 a b\nbegun 9 /bin/c\n"), ElementsAre("a b"));
}

TEST(ProgramsWithoutLibrary, AnAttemptThatFailedIsNone) {
  EXPECT_THAT(without("begun 7 /bin/sh\nstarts 7 /a/x\nfailed 7 /a/x\n"), IsEmpty());
  EXPECT_THAT(without("begun 7 /bin/sh\nstarts 7 /a/x\nfailed 7 /a/x\nstarts 7 /b/x\n"),
              ElementsAre("/b/x"));
}

TEST(ProgramsWithoutLibrary, EachIsNamedOnce) {
  EXPECT_THAT(without("begun 1 sh\nstarts 2 a\nstarts 3 a\nstarts 4 b\n"), ElementsAre("a", "b"));
}

TEST(ProgramsWithoutLibrary, ALineThatIsCutOffIsNoAnnouncement) {
  EXPECT_THAT(without("begun 1 sh\nstar"), IsEmpty());
}

}  // namespace
}  // namespace lockbench
