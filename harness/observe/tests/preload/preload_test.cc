// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/preload/preload.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "primitives/platform/scratch_folder.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;

class PreloadVariable : public testing::Test {
 protected:
  PreloadVariable() {
    unsetenv("LD_PRELOAD");
    setenv("TMPDIR", temporary_.path().c_str(), 1);
  }
  ~PreloadVariable() override { unsetenv("TMPDIR"); }

  std::string folder_of_links() const {
    return temporary_.path() + "/lockbench-preload-" + std::to_string(geteuid());
  }

  platform::ScratchFolder temporary_;
};

TEST_F(PreloadVariable, IsThePathBeforeWhatIsThere) {
  EXPECT_EQ(*preload_variable("/a/b.so"), "LD_PRELOAD=/a/b.so");
  setenv("LD_PRELOAD", "/c.so", 1);
  EXPECT_EQ(*preload_variable("/a/b.so"), "LD_PRELOAD=/a/b.so:/c.so");
}

TEST_F(PreloadVariable, APathThatItCannotHoldHasALink) {
  for (const char* path : {"/a folder/b.so", "/a:folder/b.so", "/a$LIB/b.so"}) {
    const absl::StatusOr<std::string> variable = preload_variable(path);
    ASSERT_TRUE(variable.ok()) << variable.status();
    const std::string link = variable->substr(variable->find('=') + 1);
    EXPECT_EQ(link.find_first_of(" :$"), std::string::npos);
    EXPECT_EQ(fs::read_symlink(link), path);
    EXPECT_EQ(*preload_variable(path), *variable) << "the link is used again";
  }
}

TEST_F(PreloadVariable, AFolderOfLinksThatOthersCanChangeIsRefused) {
  fs::create_directory(folder_of_links());
  fs::permissions(folder_of_links(), fs::perms::all);
  const absl::Status refused = preload_variable("/a folder/b.so").status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(refused.message().find("is not a folder of this user alone"), std::string::npos);
  fs::remove(folder_of_links());
  fs::create_directory_symlink("/tmp", folder_of_links());
  EXPECT_FALSE(preload_variable("/a folder/b.so").ok());
}

TEST(AnnouncementFile, SaysWhichProgramDidNotAnnounceItself) {
  const auto file = AnnouncementFile::create();
  ASSERT_TRUE(file.ok()) << file.status();
  const std::string variable = (*file)->variable();
  const std::string path = variable.substr(variable.find('=') + 1);
  EXPECT_NE(
      (*file)->check("./two", "the lock").message().find("./two: not seen to load the lock; "),
      std::string::npos);
  std::ofstream(path) << "begun 7 /bin/env\n";
  EXPECT_TRUE((*file)->check("env", "the lock").ok());
  std::ofstream(path, std::ios::app) << "starts 7 ./two\n";
  EXPECT_NE((*file)->check("env", "the lock").message().find("./two: not seen to load the lock; "),
            std::string::npos);
}

TEST(AnnouncementFile, EndsWithItsObject) {
  std::string variable;
  {
    const auto file = AnnouncementFile::create();
    ASSERT_TRUE(file.ok());
    variable = (*file)->variable();
    EXPECT_TRUE(fs::exists(variable.substr(variable.find('=') + 1)));
  }
  EXPECT_FALSE(fs::exists(variable.substr(variable.find('=') + 1)));
}

}  // namespace
}  // namespace lockbench
