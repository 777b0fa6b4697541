// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/attach/foreign_process.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <elf.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <optional>
#include <sstream>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <absl/strings/str_cat.h>

namespace lockbench {
namespace {

namespace fs = std::filesystem;

// The words of a stack: as many as the reports of bpftrace have.
constexpr std::size_t kStackWords = 144;

std::uint64_t hexadecimal(const std::string& text) {
  return std::strtoull(text.c_str(), nullptr, 16);
}

// The address of the file's first segment, as the file says; absent if it is no program or library.
std::optional<std::uint64_t> first_address(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  ElfW(Ehdr) header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return std::nullopt;
  if (std::string(reinterpret_cast<const char*>(header.e_ident), SELFMAG) != ELFMAG) {
    return std::nullopt;
  }
  for (int i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + std::size_t{header.e_phentsize} * i));
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) return std::nullopt;
    if (segment.p_type == PT_LOAD) return segment.p_vaddr & ~std::uint64_t{4095};
  }
  return std::nullopt;
}

struct Mapping {
  std::uint64_t begin = 0;
  std::uint64_t offset = 0;
  std::string path;
};

std::optional<Mapping> mapping_of(const std::string& line) {
  std::istringstream words(line);
  std::string range, rights, offset, device, inode;
  if (!(words >> range >> rights >> offset >> device >> inode)) return std::nullopt;
  Mapping mapping{.begin = hexadecimal(range), .offset = hexadecimal(offset), .path = {}};
  std::getline(words >> std::ws, mapping.path);
  return mapping.path.starts_with('/') ? std::optional(mapping) : std::nullopt;
}

// The fields of /proc/PID/stat after the name, which may contain anything.
std::vector<std::string> fields_of(const std::string& folder) {
  std::ifstream file(folder + "/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream words(text.substr(std::min(text.rfind(')') + 1, text.size())));
  std::vector<std::string> fields;
  for (std::string word; words >> word;) fields.push_back(word);
  return fields;
}

std::uint64_t field(const std::vector<std::string>& fields, std::size_t index) {
  return index < fields.size() ? std::strtoull(fields[index].c_str(), nullptr, 10) : 0;
}

// `202 ADDRESS OPERATION … STACK_POINTER INSTRUCTION`, of a thread in a call.
std::optional<FutexStack> sleeper(const std::string& line, std::uint32_t thread) {
  std::istringstream words(line);
  long call = -1;
  std::array<std::string, 8> rest;
  if (!(words >> call) || call != SYS_futex) return std::nullopt;
  for (std::string& word : rest) {
    if (!(words >> word)) return std::nullopt;
  }
  constexpr std::uint64_t kOperations = 0x7f;  // without flags
  const auto operation = static_cast<std::uint32_t>(hexadecimal(rest[1]) & kOperations);
  if (!is_futex_wait(operation)) return std::nullopt;
  return FutexStack{.thread = thread,
                    .address = hexadecimal(rest[0]),
                    .operation = operation,
                    .stack = {.instruction = hexadecimal(rest[7]),
                              .stack_pointer = hexadecimal(rest[6]),
                              .frame_pointer = 0,
                              .words = {}}};
}

}  // namespace

std::string ForeignProcess::folder() const {
  return absl::StrCat("/proc/", pid_);
}

std::string ForeignProcess::root() const {
  return folder() + "/root";
}

bool ForeignProcess::exists() const {
  std::error_code none;
  return fs::exists(folder(), none);
}

std::string ForeignProcess::program() const {
  std::error_code error;
  return fs::read_symlink(folder() + "/exe", error).string();
}

std::uint32_t ForeignProcess::parent() const {
  return static_cast<std::uint32_t>(field(fields_of(folder()), 1));
}

std::uint32_t ForeignProcess::threads() const {
  return static_cast<std::uint32_t>(field(fields_of(folder()), 17));
}

double ForeignProcess::processor_s() const {
  const std::vector<std::string> fields = fields_of(folder());
  return static_cast<double>(field(fields, 11) + field(fields, 12)) /
         static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::vector<stress::LoadedFile> ForeignProcess::files() const {
  const std::string own = program();
  std::vector<stress::LoadedFile> files;
  std::ifstream maps(folder() + "/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::optional<Mapping> mapping = mapping_of(line);
    if (!mapping || mapping->offset != 0) continue;
    // A program whose file was removed since is still there by this name.
    const std::string seen_from_here =
        mapping->path == own ? folder() + "/exe" : root() + mapping->path;
    const std::optional<std::uint64_t> first = first_address(seen_from_here);
    if (!first) continue;
    // A file may be mapped more than once, by the loader and to be read.
    if (!files.empty() && files.back().path == seen_from_here) continue;
    files.push_back({.path = seen_from_here, .bias = mapping->begin - *first});
  }
  return files;
}

std::vector<FutexStack> ForeignProcess::asleep() const {
  std::vector<FutexStack> found;
  const int memory = open((folder() + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder() + "/task", none)) {
    const auto thread =
        static_cast<std::uint32_t>(std::strtoul(entry.path().filename().c_str(), nullptr, 10));
    std::ifstream file(entry.path() / "syscall");
    std::string line;
    std::getline(file, line);
    std::optional<FutexStack> one = sleeper(line, thread);
    if (!one) continue;
    std::vector<std::uint64_t> words(kStackWords);
    const ssize_t bytes = pread(memory, words.data(), words.size() * sizeof words[0],
                                static_cast<off_t>(one->stack.stack_pointer));
    words.resize(bytes < 0 ? 0 : static_cast<std::size_t>(bytes) / sizeof words[0]);
    one->stack.words = std::move(words);
    found.push_back(std::move(*one));
  }
  if (memory >= 0) close(memory);
  return found;
}

}  // namespace lockbench
