// SPDX-License-Identifier: Apache-2.0

// That a program may include <windows.h> besides the locks, which declare a few of its functions.
#include <windows.h>

#include <gtest/gtest.h>

#include "primitives/platform/futex.h"

namespace lockbench {
namespace {

TEST(Futex, LeavesTheLastErrorOfWindowsAsItWas) {
  const platform::FutexWord word{1};
  SetLastError(ERROR_FILE_NOT_FOUND);
  EXPECT_FALSE(platform::futex_wait(word, 1, platform::now() + std::chrono::milliseconds(1)));
  platform::futex_wake(word, 1);
  EXPECT_EQ(GetLastError(), static_cast<DWORD>(ERROR_FILE_NOT_FOUND));
}

}  // namespace
}  // namespace lockbench
