// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/preload/preload.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include "harness/base/files.h"
#include "harness/observe/preload/announcements.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostAnnouncedBytes = std::size_t{1} << 30;

// The loader separates names at spaces and colons, and replaces $ORIGIN and others.
bool is_preloadable(const std::string& path) {
  return path.find_first_of(" :$") == std::string::npos;
}

std::string folder_for_temporary_files() {
  std::error_code none;
  const std::string folder = fs::temp_directory_path(none).string();
  return none || !is_preloadable(folder) ? "/tmp" : folder;
}

// Nobody else can put another library there.
bool is_own_folder(const std::string& path) {
  struct stat found {};
  return lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
         (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// The same for the same path, so that a link of an earlier run is used again (FNV-1a).
std::uint64_t number_of(const std::string& path) {
  std::uint64_t number = 0xcbf29ce484222325;
  for (const char letter : path) {
    number = (number ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  }
  return number;
}

absl::StatusOr<std::string> linked(const fs::path& library) {
  const auto failed = [&](const std::string& why) {
    return absl::FailedPreconditionError(
        absl::StrCat(library.string(),
                     ": LD_PRELOAD cannot hold a path with a space, a colon or a "
                     "dollar sign, and ",
                     why, "; install lockbench in another folder"));
  };
  const std::string folder =
      absl::StrCat(folder_for_temporary_files(), "/lockbench-preload-", geteuid());
  // Programs of other users that the program starts load it, too.
  if (mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
    return failed(absl::StrCat(folder, " cannot be made: ", std::strerror(errno)));
  }
  if (!is_own_folder(folder)) return failed(folder + " is not a folder of this user alone");
  const std::string link = absl::StrFormat("%s/%016x-%s", folder, number_of(library.string()),
                                           library.filename().string());
  if (!is_preloadable(link)) return failed("neither can a link of its name");
  std::error_code error;
  if (fs::read_symlink(link, error) == library) return link;
  // Renamed, so that the name always is a whole link.
  const std::string first = absl::StrCat(link, ".", getpid());
  fs::remove(first, error);
  fs::create_symlink(library, first, error);
  if (!error) fs::rename(first, link, error);
  if (error) return failed(absl::StrCat(link, " cannot be made: ", error.message()));
  return link;
}

}  // namespace

absl::StatusOr<std::string> preload_variable(const fs::path& library) {
  absl::StatusOr<std::string> path = library.string();
  if (!is_preloadable(*path)) path = linked(library);
  if (!path.ok()) return path.status();
  const char* const others = std::getenv("LD_PRELOAD");
  const bool alone = others == nullptr || *others == '\0';
  return absl::StrCat("LD_PRELOAD=", *path, alone ? "" : ":", alone ? "" : others);
}

AnnouncementFile::AnnouncementFile(std::string path) : path_(std::move(path)) {}

AnnouncementFile::~AnnouncementFile() {
  unlink(path_.c_str());
}

absl::StatusOr<std::unique_ptr<AnnouncementFile>> AnnouncementFile::create() {
  std::error_code none;
  fs::path folder = fs::temp_directory_path(none);
  if (none) folder = "/tmp";
  std::string path = (folder / "lockbench-announcements-XXXXXX").string();
  const int descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) {
    return absl::InternalError(absl::StrCat("'", path, "' cannot be made: ", std::strerror(errno),
                                            "; set TMPDIR to a folder that can be written"));
  }
  // A program that the run starts as another user announces itself, too.
  fchmod(descriptor, 0666);
  close(descriptor);
  return std::unique_ptr<AnnouncementFile>(new AnnouncementFile(std::move(path)));
}

std::string AnnouncementFile::variable() const {
  return absl::StrCat(kAnnouncementsVariable, "=", path_);
}

absl::Status AnnouncementFile::check(const std::string& first, const std::string& brings) const {
  const absl::StatusOr<std::string> text = read_file(path_, kMostAnnouncedBytes);
  if (!text.ok()) return text.status();
  const std::vector<std::string> without = programs_without_library(*text, first);
  if (without.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      absl::StrJoin(without, ", "), ": not seen to load ", brings,
      "; a program must get LD_PRELOAD in its environment (`env -i` removes it), be linked "
      "dynamically, and be of lockbench's kind of processor and C library"));
}

}  // namespace lockbench
