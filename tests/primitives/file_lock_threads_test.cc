// SPDX-License-Identifier: Apache-2.0

// FileLock between threads of one process, under ThreadSanitizer too.
#include <cstdint>

#include <gtest/gtest.h>

#include "primitives/file_lock.h"
#include "primitives/platform/scratch_folder.h"
#include "tests/primitives/contract.h"

namespace lockbench {
namespace {

TEST(FileLock, OrdersWhatThreadsDoUnderOneKey) {
  const platform::ScratchFolder folder;
  FileLock<> lock(folder.path());
  FileLock<> same_folder(folder.path());
  int counter = 0;
  run_threads(2, [&](std::size_t number) {
    auto handle = (number == 0 ? lock : same_folder).handle(std::uint64_t{1});
    for (int i = 0; i < 100; ++i) {
      const std::scoped_lock guard(handle);
      ++counter;
    }
  });
  EXPECT_EQ(counter, 200);
}

}  // namespace
}  // namespace lockbench
