// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/recorder/program_kind.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <climits>

namespace lockbench::observe {
namespace {

#if defined(__x86_64__)
constexpr ElfW(Half) kOwnMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr ElfW(Half) kOwnMachine = EM_AARCH64;
#else
constexpr ElfW(Half) kOwnMachine = EM_NONE;
#endif
constexpr unsigned char kOwnClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;

bool names_musl(int file, const ElfW(Ehdr) & header) {
  constexpr int kMostSegments = 64;
  for (int i = 0; i < std::min<int>(header.e_phnum, kMostSegments); ++i) {
    ElfW(Phdr) segment{};
    const auto at = static_cast<off_t>(header.e_phoff + std::size_t{header.e_phentsize} * i);
    if (pread(file, &segment, sizeof segment, at) != sizeof segment) return false;
    if (segment.p_type != PT_INTERP) continue;
    std::array<char, 128> loader{};
    const std::size_t bytes = std::min<std::size_t>(segment.p_filesz, loader.size() - 1);
    if (pread(file, loader.data(), bytes, static_cast<off_t>(segment.p_offset)) <= 0) return false;
    return std::strstr(loader.data(), "musl") != nullptr;
  }
  return false;
}

bool can_load(int file) {
  ElfW(Ehdr) header{};
  if (pread(file, &header, sizeof header, 0) != sizeof header) return true;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return true;
  if (header.e_ident[EI_CLASS] != kOwnClass) return false;
  if (kOwnMachine != EM_NONE && header.e_machine != kOwnMachine) return false;
  return !names_musl(file, header);
}

// The program's file; -1: it is not found.
int open_program(const char* word, bool search) {
  if (!search || std::strchr(word, '/') != nullptr) return open(word, O_RDONLY | O_CLOEXEC);
  const char* folder = std::getenv("PATH");
  while (folder != nullptr && *folder != '\0') {
    const std::size_t length = std::strcspn(folder, ":");
    std::array<char, PATH_MAX> path{};
    if (length + 1 + std::strlen(word) < path.size()) {
      std::memcpy(path.data(), folder, length);
      path[length] = '/';
      std::strcpy(path.data() + length + 1, word);
      if (access(path.data(), X_OK) == 0) return open(path.data(), O_RDONLY | O_CLOEXEC);
    }
    folder += length + (folder[length] == ':' ? 1 : 0);
  }
  return -1;
}

}  // namespace

bool can_load_library(const char* word, bool search) {
  const int error = errno;
  const int file = open_program(word, search);
  const bool can = file < 0 || can_load(file);
  if (file >= 0) close(file);
  errno = error;
  return can;
}

}  // namespace lockbench::observe
