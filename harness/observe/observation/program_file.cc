// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/program_file.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <link.h>
#include <optional>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <vector>

namespace lockbench {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> locate(const std::string& word) {
  const auto runs = [](const fs::path& path) {
    std::error_code none;
    return fs::is_regular_file(path, none) && access(path.c_str(), X_OK) == 0;
  };
  if (word.find('/') != std::string::npos) {
    return runs(word) ? std::optional<fs::path>(word) : std::nullopt;
  }
  const char* const path = std::getenv("PATH");
  std::stringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path found = fs::path(folder.empty() ? "." : folder) / word;
    if (runs(found)) return found;
  }
  return std::nullopt;
}

absl::Status refused(const fs::path& path, const std::string& why) {
  return absl::FailedPreconditionError(path.string() + ": " + why);
}

// The words of the first line of a script after `#!`.
std::vector<std::string> interpreter_words(std::ifstream& file) {
  std::string line;
  file.seekg(2);
  std::getline(file, line);
  std::stringstream text(line);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

// Removes what comes before the program in the words of `env`: its options, and variables.
void skip_options_of_env(std::vector<std::string>& words) {
  const auto takes_a_word = [](const std::string& word) {
    return word == "-u" || word == "--unset" || word == "-C" || word == "--chdir";
  };
  constexpr std::string_view kSplit = "-S";
  while (!words.empty()) {
    std::string& word = words.front();
    if (word == "-S" || word == "--split-string") {
      words.erase(words.begin());
    } else if (word.starts_with(kSplit)) {
      word.erase(0, kSplit.size());  // `-Spython3`
    } else if (word.starts_with("--split-string=")) {
      word.erase(0, word.find('=') + 1);
    } else if (takes_a_word(word)) {
      words.erase(words.begin(), words.begin() + std::min<std::ptrdiff_t>(2, std::ssize(words)));
    } else if (word.starts_with('-') || word.find('=') != std::string::npos) {
      words.erase(words.begin());
    } else {
      return;
    }
  }
}

// The loader that the program names, which loads libraries; empty: none.
std::string loader_of(std::ifstream& file, const ElfW(Ehdr) & header) {
  for (int i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + std::size_t{header.e_phentsize} * i));
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) return {};
    if (segment.p_type != PT_INTERP) continue;
    std::string path(std::min<std::size_t>(segment.p_filesz, 4096), '\0');
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    file.read(path.data(), static_cast<std::streamsize>(path.size()));
    return path.c_str();
  }
  return {};
}

// The libraries that the program names.
std::vector<std::string> libraries_of(std::ifstream& file, const ElfW(Ehdr) & header) {
  std::vector<ElfW(Phdr)> segments(header.e_phnum);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    file.seekg(static_cast<std::streamoff>(header.e_phoff + header.e_phentsize * i));
    file.read(reinterpret_cast<char*>(&segments[i]), sizeof segments[i]);
  }
  const auto offset_of = [&segments](ElfW(Addr) address) {
    for (const ElfW(Phdr) & one : segments) {
      if (one.p_type == PT_LOAD && address >= one.p_vaddr && address < one.p_vaddr + one.p_filesz) {
        return static_cast<std::streamoff>(address - one.p_vaddr + one.p_offset);
      }
    }
    return std::streamoff{0};
  };
  std::vector<ElfW(Xword)> names;  // offsets in the table of strings
  std::streamoff strings = 0;
  for (const ElfW(Phdr) & segment : segments) {
    if (segment.p_type != PT_DYNAMIC) continue;
    ElfW(Dyn) entry{};
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    while (file.read(reinterpret_cast<char*>(&entry), sizeof entry) && entry.d_tag != DT_NULL) {
      if (entry.d_tag == DT_NEEDED) names.push_back(entry.d_un.d_val);
      if (entry.d_tag == DT_STRTAB) strings = offset_of(entry.d_un.d_ptr);
    }
  }
  std::vector<std::string> libraries;
  for (const ElfW(Xword) name : names) {
    file.seekg(strings + static_cast<std::streamoff>(name));
    std::getline(file, libraries.emplace_back(), '\0');
  }
  return libraries;
}

bool wants_to_be_first(std::ifstream& file, const ElfW(Ehdr) & header) {
  const char* const options = std::getenv("ASAN_OPTIONS");
  if (options != nullptr && std::strstr(options, "verify_asan_link_order=0") != nullptr) {
    return false;
  }
  const std::vector<std::string> libraries = libraries_of(file, header);
  return std::any_of(libraries.begin(), libraries.end(),
                     [](const std::string& one) { return one.starts_with("libasan.so"); });
}

bool has_other_rights(const fs::path& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return false;
  const bool other_user = (found.st_mode & S_ISUID) != 0 && found.st_uid != geteuid();
  const bool other_group = (found.st_mode & S_ISGID) != 0 && found.st_gid != getegid();
  const bool capabilities =
      geteuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
  return other_user || other_group || capabilities;
}

// `depth`: of scripts whose interpreter is a script.
absl::StatusOr<ProgramFile> check(const fs::path& path, int depth) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 2> mark{};
  if (!file.read(mark.data(), mark.size())) {
    return refused(path, "cannot be read; its kind of program is unknown");
  }
  if (mark == std::array<char, 2>{'#', '!'} && depth < 4) {
    std::vector<std::string> words = interpreter_words(file);
    if (!words.empty() && words[0].ends_with("/env")) {
      words.erase(words.begin());
      skip_options_of_env(words);
    }
    if (words.empty()) return refused(path, "names no interpreter after #!");
    const std::optional<fs::path> interpreter = locate(words[0]);
    if (!interpreter) return refused(path, "its interpreter " + words[0] + " does not exist");
    const absl::StatusOr<ProgramFile> checked = check(*interpreter, depth + 1);
    if (!checked.ok()) return checked.status();
    return ProgramFile{.path = path, .interpreter = interpreter->string()};
  }
  switch (preloadable(path)) {
    case Preloadable::kUnknown:
      return refused(path, "is neither a program nor a script that begins with #!");
    case Preloadable::kOtherMachine:
      return refused(path, "is a program for another kind of processor than lockbench");
    case Preloadable::kOtherRights:
      return refused(path,
                     "runs with rights that its caller does not have (setuid, setgid or "
                     "capabilities), so the loader ignores LD_PRELOAD; use a copy without them");
    case Preloadable::kStatic:
      return refused(path,
                     "is linked statically, so its calls of pthread functions cannot be replaced; "
                     "link it dynamically");
    case Preloadable::kOtherLibrary:
      return refused(path,
                     "is linked with musl, whose loader cannot load a library for glibc; build it "
                     "with glibc");
    case Preloadable::kSanitizer:
      return refused(path,
                     "is built with AddressSanitizer, which wants to be the first library; set "
                     "ASAN_OPTIONS=verify_asan_link_order=0");
    case Preloadable::kYes:
      break;
  }
  return ProgramFile{.path = path};
}

}  // namespace

Preloadable preloadable(const fs::path& program) {
  std::ifstream file(program, std::ios::binary);
  ElfW(Ehdr) header{};
  const bool whole = static_cast<bool>(file.read(reinterpret_cast<char*>(&header), sizeof header));
  if (!whole || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return Preloadable::kUnknown;
  ElfW(Ehdr) own{};
  std::ifstream("/proc/self/exe", std::ios::binary).read(reinterpret_cast<char*>(&own), sizeof own);
  if (header.e_ident[EI_CLASS] != own.e_ident[EI_CLASS] || header.e_machine != own.e_machine) {
    return Preloadable::kOtherMachine;
  }
  if (has_other_rights(program)) return Preloadable::kOtherRights;
  const std::string loader = loader_of(file, header);
  if (loader.empty()) return Preloadable::kStatic;
  if (loader.find("musl") != std::string::npos) return Preloadable::kOtherLibrary;
  return wants_to_be_first(file, header) ? Preloadable::kSanitizer : Preloadable::kYes;
}

std::optional<fs::path> program_on_path(const std::string& word) {
  return locate(word);
}

absl::StatusOr<ProgramFile> find_preloadable(const std::string& word) {
  const std::optional<fs::path> found = locate(word);
  if (found) return check(*found, 0);
  return absl::NotFoundError("'" + word + "' is no program" +
                             (word.find('/') == std::string::npos ? " on the PATH" : ""));
}

}  // namespace lockbench
