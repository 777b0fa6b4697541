// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/instrumentation/function_names.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <link.h>
#include <map>
#include <string_view>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

namespace lockbench::stress {
namespace {

std::string readable(const char* name) {
  int status = 0;
  char* const demangled = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string text = status == 0 ? demangled : name;
  std::free(demangled);
  return text;
}

// A file in the format of this machine's programs; what lies outside of the file reads as empty.
class SymbolFile {
 public:
  explicit SymbolFile(const char* path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }

  // The name of the function (STT_FUNC) or variable (STT_OBJECT) at `offset` from where the file
  // was loaded; empty if there is none.
  std::string name_at(std::uint64_t offset, unsigned type) const {
    const auto* const header = at<ElfW(Ehdr)>(0, 1);
    if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return "";
    const auto* const sections = at<ElfW(Shdr)>(header->e_shoff, header->e_shnum);
    if (sections == nullptr) return "";
    for (std::size_t i = 0; i < header->e_shnum; ++i) {
      if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= header->e_shnum) continue;
      std::string name = name_in(sections[i], sections[sections[i].sh_link], offset, type);
      if (!name.empty()) return name;
    }
    return "";
  }

 private:
  template <class T>
  const T* at(std::uint64_t offset, std::uint64_t count) const {
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(bytes_.data() + offset);
  }

  std::string name_in(const ElfW(Shdr) & table, const ElfW(Shdr) & names, std::uint64_t offset,
                      unsigned type) const {
    const std::uint64_t count = table.sh_size / sizeof(ElfW(Sym));
    const auto* const symbols = at<ElfW(Sym)>(table.sh_offset, count);
    const auto* const text = at<char>(names.sh_offset, names.sh_size);
    if (symbols == nullptr || text == nullptr) return "";
    for (std::uint64_t i = 0; i < count; ++i) {
      const ElfW(Sym)& symbol = symbols[i];
      if (ELF64_ST_TYPE(symbol.st_info) != type || symbol.st_name >= names.sh_size) continue;
      if (offset < symbol.st_value || offset >= symbol.st_value + symbol.st_size) continue;
      const std::uint64_t within = offset - symbol.st_value;
      const bool begins = type == STT_FUNC || within == 0;
      return readable(text + symbol.st_name) + (begins ? "" : absl::StrCat("+", within));
    }
    return "";
  }

  std::vector<char> bytes_;
};

std::string symbol_at(const void* address, unsigned type) {
  Dl_info info;
  if (dladdr(address, &info) == 0) return absl::StrFormat("%p", address);
  const auto offset = static_cast<std::uint64_t>(static_cast<const char*>(address) -
                                                 static_cast<const char*>(info.dli_fbase));
  const std::string name = SymbolFile(info.dli_fname).name_at(offset, type);
  if (!name.empty()) return name;
  if (type == STT_FUNC && info.dli_sname != nullptr) return readable(info.dli_sname);
  std::string_view file = info.dli_fname;
  file.remove_prefix(file.rfind('/') + 1);
  return absl::StrFormat("%s+0x%x", file, offset);
}

}  // namespace

std::string function_at(const void* address) {
  static std::map<const void*, std::string> names;  // to look one up reads a file
  const auto [name, added] = names.try_emplace(address);
  if (added) name->second = symbol_at(address, STT_FUNC);
  return name->second;
}

std::string variable_at(const void* address) {
  return symbol_at(address, STT_OBJECT);
}

}  // namespace lockbench::stress
