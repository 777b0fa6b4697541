// SPDX-License-Identifier: Apache-2.0

#include "harness/base/files.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/message_of.h"
#include "tests/base/small_disk.h"
#include "tests/base/temporary_folder.h"

namespace lockbench {
namespace {

using testing::HasSubstr;

TEST(AppendFile, GrowsByPiecesAndGoesOnAtItsEnd) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "f";
  {
    auto file = AppendFile::create(path).value();
    ASSERT_TRUE(file.append("one\n").ok());
  }
  auto file = AppendFile::open(path).value();
  EXPECT_EQ(file.size(), 4u);
  ASSERT_TRUE(file.append("two\n").ok());
  EXPECT_EQ(text_of(path), "one\ntwo\n");
}

TEST(AppendFile, APieceThatDoesNotFitLeavesNoTraceAndMayBeTriedAgain) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "f";
  auto file = AppendFile::create(path).value();
  ASSERT_TRUE(file.append("whole\n").ok());
  std::string meanwhile;
  const absl::Status status = on_small_disk(10, [&] {
    const absl::Status appended = file.append("too long\n");
    meanwhile = text_of(path);
    return appended;
  });
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(message_of(status), HasSubstr(path.string()));
  EXPECT_EQ(meanwhile, "whole\n");
  ASSERT_TRUE(file.append("too long\n").ok());
  EXPECT_EQ(text_of(path), "whole\ntoo long\n");
}

TEST(AppendFile, AFullDiskIsToldAsSuch) {
  auto file = AppendFile::open("/dev/full").value();
  const absl::Status status = file.append("row\n");
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(message_of(status), HasSubstr("/dev/full: disk full"));
}

TEST(AppendFile, WhatExistsIsNotCreatedAndWhatDoesNotIsNotOpened) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "f";
  EXPECT_TRUE(absl::IsNotFound(AppendFile::open(path).status()));
  write_text(path, "kept");
  EXPECT_TRUE(absl::IsAlreadyExists(AppendFile::create(path).status()));
  EXPECT_EQ(text_of(path), "kept");
}

TEST(AppendFile, HasOneWriterAtATime) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "f";
  {
    const auto first = AppendFile::create(path).value();
    const absl::Status second = AppendFile::open(path).status();
    EXPECT_TRUE(absl::IsFailedPrecondition(second)) << second;
    EXPECT_THAT(message_of(second), HasSubstr("another process is writing it"));
  }
  EXPECT_TRUE(AppendFile::open(path).ok());
}

TEST(ReplaceFile, OldOrNewButNothingBetween) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "f";
  ASSERT_TRUE(replace_file(path, "old").ok());
  EXPECT_TRUE(absl::IsResourceExhausted(
      on_small_disk(2, [&] { return replace_file(path, "new and longer"); })));
  EXPECT_EQ(text_of(path), "old");
  ASSERT_TRUE(replace_file(path, "new").ok());
  EXPECT_EQ(text_of(path), "new");
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".new"));
}

TEST(ReplaceFile, WhatIsNoFileIsWrittenToAndStays) {
  const absl::Status full = replace_file("/dev/full", "text");
  EXPECT_TRUE(absl::IsResourceExhausted(full)) << full;
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  EXPECT_TRUE(replace_file("/dev/null", "text").ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(ReplaceFile, ALinkStaysAndLeadsToTheNewText) {
  const TemporaryFolder folder;
  write_text(folder.path() / "f", "old");
  std::filesystem::create_symlink("f", folder.path() / "link");
  ASSERT_TRUE(replace_file(folder.path() / "link", "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path() / "link"));
  EXPECT_EQ(text_of(folder.path() / "f"), "new");
}

TEST(ReadFile, StopsAtTheMostThatIsWanted) {
  EXPECT_TRUE(absl::IsOutOfRange(read_file("/dev/zero", 1000).status()));
  const TemporaryFolder folder;
  write_text(folder.path() / "f", "four");
  EXPECT_TRUE(read_file(folder.path() / "f", 4).ok());
  EXPECT_TRUE(absl::IsOutOfRange(read_file(folder.path() / "f", 3).status()));
}

TEST(ReadFile, WaitsForNobodyToWriteToAFifo) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "f";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(read_file(path, 100).value(), "");
}

TEST(ReadFile, TakesWhatAPipeHasUntilItsWriterCloses) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "f";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const std::string text(100'000, 'x');  // more than a pipe holds
  // O_RDWR: opening a FIFO for that waits for no reader, and gives it a writer at once.
  const int fd = open(path.c_str(), O_RDWR);
  ASSERT_GE(fd, 0);
  std::jthread writer([&] {
    for (std::size_t at = 0; at < text.size(); at += 10'000) {
      ASSERT_EQ(write(fd, text.data() + at, 10'000), 10'000);
    }
    close(fd);
  });
  EXPECT_EQ(read_file(path, text.size()).value(), text);
}

TEST(AppendFile, WaitsForNobodyToReadFromAFifo) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "f";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(AppendFile::open(path).ok());
  EXPECT_FALSE(replace_file(path, "text").ok());
}

TEST(FolderLock, HasOneHolderAtATime) {
  const TemporaryFolder folder;
  {
    const auto first = FolderLock::take(folder.path()).value();
    EXPECT_TRUE(absl::IsFailedPrecondition(FolderLock::take(folder.path()).status()));
  }
  EXPECT_TRUE(FolderLock::take(folder.path()).ok());
  EXPECT_TRUE(absl::IsNotFound(FolderLock::take(folder.path() / "missing").status()));
}

TEST(MakeFolders, MakesAllThatAreMissing) {
  const TemporaryFolder folder;
  EXPECT_TRUE(make_folders(folder.path() / "a" / "b" / "c").ok());
  EXPECT_TRUE(std::filesystem::is_directory(folder.path() / "a" / "b" / "c"));
  EXPECT_TRUE(make_folders(folder.path() / "a" / "b").ok());
  write_text(folder.path() / "file", "");
  EXPECT_FALSE(make_folders(folder.path() / "file" / "b").ok());
}

TEST(ReadFile, GivesAllBytesOrSaysWhyNot) {
  const TemporaryFolder folder;
  const std::string text(100'000, 'x');
  write_text(folder.path() / "f", text);
  const auto read = read_file(folder.path() / "f", text.size()).value();
  EXPECT_EQ(read, text);
  EXPECT_TRUE(absl::IsNotFound(read_file(folder.path() / "none", 1).status()));
  EXPECT_THAT(message_of(read_file(folder.path(), 1).status()), HasSubstr("Is a directory"));
}

}  // namespace
}  // namespace lockbench
