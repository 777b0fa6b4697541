// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/language_runtime.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <link.h>
#include <string_view>
#include <vector>

namespace lockbench {
namespace {

constexpr std::size_t kMostNameBytes = std::size_t{1} << 20;

// True if a section of the program has this name.
bool has_section(const std::string& path, std::string_view name) {
  std::ifstream file(path, std::ios::binary);
  ElfW(Ehdr) header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return false;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_shstrndx == SHN_UNDEF) {
    return false;
  }
  ElfW(Shdr) names{};
  file.seekg(static_cast<std::streamoff>(header.e_shoff +
                                         std::size_t{header.e_shstrndx} * header.e_shentsize));
  if (!file.read(reinterpret_cast<char*>(&names), sizeof names)) return false;
  std::string text(std::min<std::size_t>(names.sh_size, kMostNameBytes), '\0');
  file.seekg(static_cast<std::streamoff>(names.sh_offset));
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size()))) return false;
  return text.find(std::string(name) + '\0') != std::string::npos;
}

}  // namespace

std::string language_runtime(std::uint32_t pid, const std::string& program) {
  const std::string name = program.substr(program.rfind('/') + 1);
  if (name.starts_with("python") || name.starts_with("pypy")) return "Python";
  if (name.starts_with("ruby")) return "Ruby";
  const std::string folder = "/proc/" + std::to_string(pid);
  std::ifstream maps(folder + "/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.ends_with("/libjvm.so")) return "Java";
    if (line.ends_with("/libcoreclr.so")) return ".NET";
  }
  return has_section(folder + "/exe", ".go.buildinfo") ? "Go" : "";
}

}  // namespace lockbench
