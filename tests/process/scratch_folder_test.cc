// SPDX-License-Identifier: Apache-2.0

#include "primitives/platform/scratch_folder.h"

#include <chrono>
#include <csignal>
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

TEST(ScratchFolder, OneThatNoLivingProcessHasIsRemoved) {
  const fs::path left = abandoned_folder();
  ASSERT_TRUE(fs::exists(left / "file"));
  const ScratchFolder living;
  ScratchFolder::remove_abandoned(left.parent_path().parent_path());
  EXPECT_TRUE(fs::exists(left)) << "younger than a minute";
  ScratchFolder::remove_abandoned(left.parent_path().parent_path(), seconds(0));
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(living.path()));
}

TEST(ScratchFolder, WhatIsPlantedUnderItsNameIsNotFollowed) {
  const ScratchFolder target;
  const fs::path link =
      fs::path(target.path()).parent_path().parent_path() / "lockbench-scratch-link";
  fs::create_directory_symlink(target.path(), link);
  ScratchFolder::remove_abandoned(link.parent_path(), seconds(0));
  EXPECT_TRUE(fs::exists(target.path()));
  fs::remove(link);
}

}  // namespace
}  // namespace lockbench::platform
