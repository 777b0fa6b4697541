// SPDX-License-Identifier: Apache-2.0

#include "harness/process/signals.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

// Each test is a process of its own, which ends with the number of the noted signal.
TEST(NoteSignalsDeathTest, NotesASignalThatIsSentTwiceAtOnce) {
  const auto twice = [] {
    note_signals();
    raise(SIGTERM);
    raise(SIGTERM);
    std::_Exit(noted_signal());
  };
  EXPECT_EXIT(twice(), testing::ExitedWithCode(SIGTERM), "");
}

TEST(NoteSignalsDeathTest, EndsAtTheSecondSignalOfAKind) {
  const auto again_later = [] {
    note_signals();
    raise(SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    raise(SIGTERM);
    std::_Exit(noted_signal());
  };
  EXPECT_EXIT(again_later(), testing::KilledBySignal(SIGTERM), "");
}

TEST(NoteSignalsDeathTest, NotesSignalsOfTwoKinds) {
  const auto another_later = [] {
    note_signals();
    raise(SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    raise(SIGHUP);
    std::_Exit(noted_signal());
  };
  EXPECT_EXIT(another_later(), testing::ExitedWithCode(SIGHUP), "");
}

}  // namespace
}  // namespace lockbench
