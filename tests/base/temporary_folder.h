// SPDX-License-Identifier: Apache-2.0

// TemporaryFolder: an empty folder that goes away with the test, whatever is in it by then.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

namespace lockbench {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    // In memory where possible: some tests wait for the device thousands of times.
    const bool in_memory = ::access("/dev/shm", W_OK) == 0;
    std::string name = (in_memory ? "/dev/shm" : testing::TempDir()) + "/lockbench-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder " + name);
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace lockbench
