// SPDX-License-Identifier: Apache-2.0

#include "primitives/platform/scratch_folder.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace lockbench::platform {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

// Other programs have scratch folders, too, some of them about to be locked: those of a test lie in
// a folder of its own.
class ScratchFolders : public ::testing::Test {
 protected:
  ScratchFolders() {
    std::string name = parent_;
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    parent_ = name;
    setenv("TMPDIR", name.c_str(), 1);
  }
  ~ScratchFolders() override {
    setenv("TMPDIR", usual_.c_str(), 1);
    fs::remove_all(parent_);
  }

  const fs::path usual_ = fs::temp_directory_path();
  fs::path parent_ = usual_ / "scratch-folder-test-XXXXXX";
};

// The folder of a process that was killed, with a file in it.
fs::path abandoned_folder() {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const ScratchFolder folder;
    std::ofstream(folder.path() + "/file") << "left";
    const std::string text = folder.path() + '\n';
    if (write(ends[1], text.data(), text.size()) > 0) raise(SIGKILL);
    _exit(1);
  }
  close(ends[1]);
  std::string path;
  for (char c = 0; read(ends[0], &c, 1) == 1 && c != '\n';) path += c;
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  return path;
}

TEST_F(ScratchFolders, OneThatNoLivingProcessHasIsRemoved) {
  const fs::path left = abandoned_folder();
  ASSERT_TRUE(fs::exists(left / "file"));
  const ScratchFolder living;
  ScratchFolder::remove_abandoned(parent_);
  EXPECT_TRUE(fs::exists(left)) << "younger than a minute";
  ScratchFolder::remove_abandoned(parent_, seconds(0));
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(living.path()));
}

TEST_F(ScratchFolders, WhatIsPlantedUnderItsNameIsNotFollowed) {
  const ScratchFolder target;
  ASSERT_EQ(fs::path(target.path()).parent_path().parent_path(), parent_);
  const fs::path link = parent_ / "lockbench-scratch-link";
  fs::create_directory_symlink(target.path(), link);
  ScratchFolder::remove_abandoned(parent_, seconds(0));
  EXPECT_TRUE(fs::exists(target.path()));
}

}  // namespace
}  // namespace lockbench::platform
