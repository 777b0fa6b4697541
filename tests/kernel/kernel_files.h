// SPDX-License-Identifier: Apache-2.0

// KernelFiles: files of the kernel, made up below a folder of the test's own.
#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tests/base/temporary_folder.h"

namespace lockbench {

class KernelFiles : public testing::Test {
 protected:
  void put(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories((root() / path).parent_path());
    write_text(root() / path, text + "\n");
  }
  const std::filesystem::path& root() const { return folder_.path(); }
  std::string at(const std::filesystem::path& path) const { return (root() / path).string(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace lockbench
