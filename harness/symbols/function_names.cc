// SPDX-License-Identifier: Apache-2.0

#include "harness/symbols/function_names.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <map>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_replace.h>

namespace lockbench::stress {
namespace {

// The identifiers of a name that Rust mangled (RFC 2603), without its generic arguments' structure:
// `_RNvNtCs1_3std4sync4lock` is std::sync::lock. Empty if it is no name of this kind.
std::string readable_in_rust(std::string_view name) {
  std::string text;
  const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  for (std::size_t at = 2; at < name.size();) {
    if (name[at] == 's' || name[at] == 'B') {  // a number that tells namesakes apart; a reference
      at = name.find('_', at);
      if (at == std::string_view::npos) return "";
      ++at;
    } else if (is_digit(name[at])) {
      std::size_t length = 0;
      while (at < name.size() && is_digit(name[at])) {
        length = 10 * length + static_cast<std::size_t>(name[at++] - '0');
      }
      if (at < name.size() && name[at] == '_') ++at;
      if (length > name.size() - at) return "";
      if (length != 0) absl::StrAppend(&text, text.empty() ? "" : "::");
      text += name.substr(at, length);
      at += length;
    } else if (name[at] == '.') {
      break;  // what the compiler added
    } else {
      ++at;
    }
  }
  return text;
}

// `::h` and 16 digits, at the end of names that Rust mangled as C++ does.
void remove_hash_of_rust(std::string& text) {
  constexpr std::size_t kBytes = 19;
  if (text.size() <= kBytes || text.compare(text.size() - kBytes, 3, "::h") != 0) return;
  if (text.find_first_not_of("0123456789abcdef", text.size() - kBytes + 3) == std::string::npos) {
    text.resize(text.size() - kBytes);
  }
}

std::string readable(const char* name) {
  if (std::string_view(name).starts_with("_R")) {
    std::string text = readable_in_rust(name);
    return text.empty() ? name : text;
  }
  // Else it is no mangled name, and what a type is called: `f` would become `float`.
  if (!std::string_view(name).starts_with("_Z")) return name;
  int status = 0;
  char* const demangled = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string text = status == 0 ? demangled : name;
  std::free(demangled);
  remove_hash_of_rust(text);
  return text;
}

// A file in the format of this machine's programs, empty if it cannot be read. It is mapped, since
// a program has tens of megabytes, of which a look-up needs the table of symbols.
class SymbolFile {
 public:
  explicit SymbolFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status = {};
    if (fstat(file, &status) == 0) map(file, static_cast<std::size_t>(status.st_size));
    close(file);
  }
  SymbolFile(const SymbolFile&) = delete;
  SymbolFile& operator=(const SymbolFile&) = delete;
  ~SymbolFile() {
    if (bytes_ != nullptr) munmap(const_cast<char*>(bytes_), size_);
  }

  // The sources, as their compilers named them, that have no object with the function that the
  // compiler adds to instrumented code.
  std::vector<std::string> sources_without_instrumentation() const {
    std::vector<std::string> without;
    for_each_table([&](const ElfW(Shdr) & table, const ElfW(Shdr) & names) {
      add_sources(table, names, without);
      return false;
    });
    return without;
  }

  // The name of the function (STT_FUNC) or variable (STT_OBJECT) at `offset` from the address at
  // which the file was loaded; empty if there is none.
  std::string name_at(std::uint64_t offset, unsigned type) const {
    std::string name;
    for_each_table([&](const ElfW(Shdr) & table, const ElfW(Shdr) & names) {
      name = name_in(table, names, offset, type);
      return !name.empty();
    });
    return name;
  }

 private:
  void map(int file, std::size_t size) {
    void* const memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (memory == MAP_FAILED) return;
    bytes_ = static_cast<const char*>(memory);
    size_ = size;
  }

  // Null if the file has no such bytes.
  template <class T>
  const T* at(std::uint64_t offset, std::uint64_t count) const {
    if (offset > size_ || count > (size_ - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(bytes_ + offset);
  }

  // Calls `visit` for each symbol table and the table of its names, until `visit` returns true.
  template <class Visit>
  void for_each_table(const Visit& visit) const {
    const auto* const header = at<ElfW(Ehdr)>(0, 1);
    if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
    const auto* const sections = at<ElfW(Shdr)>(header->e_shoff, header->e_shnum);
    if (sections == nullptr) return;
    for (std::size_t i = 0; i < header->e_shnum; ++i) {
      if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= header->e_shnum) continue;
      if (visit(sections[i], sections[sections[i].sh_link])) return;
    }
  }

  // In a symbol table, local symbols follow the symbol that names their source.
  void add_sources(const ElfW(Shdr) & table, const ElfW(Shdr) & names,
                   std::vector<std::string>& without) const {
    const std::uint64_t count = table.sh_size / sizeof(ElfW(Sym));
    const auto* const symbols = at<ElfW(Sym)>(table.sh_offset, count);
    const auto* const text = at<char>(names.sh_offset, names.sh_size);
    if (symbols == nullptr || text == nullptr) return;
    std::string source;
    bool instrumented = true;
    const auto end_source = [&] {
      if (!instrumented && !is_of_the_compiler(source)) without.push_back(source);
    };
    for (std::uint64_t i = 0; i < count; ++i) {
      const ElfW(Sym)& symbol = symbols[i];
      if (ELF64_ST_BIND(symbol.st_info) != STB_LOCAL || symbol.st_name >= names.sh_size) continue;
      const char* const name = text + symbol.st_name;
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FILE) {
        end_source();
        source = name;
        instrumented = source.empty();
      } else if (begins_instrumented(name)) {
        instrumented = true;
      }
    }
    end_source();
  }

  // The functions that gcc and clang add to each source that they instrument.
  static bool begins_instrumented(std::string_view name) {
    return name.starts_with("_sub_I_00099") || name.starts_with("_GLOBAL__sub_I_00099") ||
           name.starts_with("tsan.module_ctor");
  }

  // Sources of the compiler that are linked into every library.
  static bool is_of_the_compiler(std::string_view source) {
    return source == "crtstuff.c" || source.starts_with("libgcc") || source.starts_with("lse");
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

  const char* bytes_ = nullptr;
  std::size_t size_ = 0;
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
  static std::map<const void*, std::string> names;  // a look-up goes through a table
  const auto [name, added] = names.try_emplace(address);
  if (added) name->second = symbol_at(address, STT_FUNC);
  return name->second;
}

std::string readable_name(const char* name) {
  return readable(name);
}

std::string without_parameters(const std::string& function) {
  std::string text = function.substr(0, function.find(" [clone "));
  for (const std::string_view qualifier : {" const", " volatile", " &&", " &", " noexcept"}) {
    if (text.ends_with(qualifier)) text.resize(text.size() - qualifier.size());
  }
  if (!text.ends_with(')')) return text;
  // Backwards: parentheses before the last pair are of a call operator, an anonymous namespace or a
  // template's argument.
  int open = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    if (text[at] == ')') ++open;
    if (text[at] == '(' && --open == 0) return text.substr(0, at);
  }
  return text;
}

namespace {

constexpr std::string_view kOperator = "operator";

// The bytes of `text` from `at` on that spell an operator with angle brackets: 0 if none is there.
std::size_t angled_operator_at(std::string_view text, std::size_t at) {
  if (!text.substr(0, at).ends_with(kOperator)) return 0;
  for (const std::string_view spelled :
       {"<=>", "->*", "<<=", ">>=", "->", "<<", ">>", "<=", ">=", "<", ">"}) {
    if (text.substr(at).starts_with(spelled)) return spelled.size();
  }
  return 0;
}

std::string without_template_arguments(std::string_view text) {
  std::string kept;
  int depth = 0;
  int parentheses = 0;  // within arguments: a > in them is no bracket
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t bytes = angled_operator_at(text, at)) {
      if (depth == 0) kept += text.substr(at, bytes);
      at += bytes;
      continue;
    }
    const char c = text[at++];
    if (depth > 0 && (c == '(' || c == ')')) parentheses += c == '(' ? 1 : -1;
    if (c == '<' && parentheses == 0 && depth++ == 0) kept += "<…";
    if (depth == 0) kept += c;
    if (c == '>' && parentheses == 0 && depth > 0 && --depth == 0) kept += '>';
  }
  return kept;
}

// `pick<…>` of `Flag<…> pick<…>`: of a template's function the name begins with what it returns.
// A space within parentheses or braces is of the parameters of an enclosing function or lambda.
std::string without_result(const std::string& text) {
  const std::size_t end = std::min(text.find(kOperator), text.size());
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at < end; ++at) {
    if (text[at] == '(' || text[at] == '{') ++depth;
    if (text[at] == ')' || text[at] == '}') --depth;
    if (text[at] == ' ' && depth == 0) begin = at + 1;
  }
  return text.substr(begin);
}

}  // namespace

std::string short_function_name(const std::string& function) {
  const std::string name = absl::StrReplaceAll(
      without_parameters(function), {{"(anonymous namespace)::", ""}, {"[abi:cxx11]", ""}});
  return without_result(without_template_arguments(name));
}

std::vector<std::string> sources_without_instrumentation(const char* library) {
  return SymbolFile(library).sources_without_instrumentation();
}

std::string variable_at(const void* address) {
  return symbol_at(address, STT_OBJECT);
}

}  // namespace lockbench::stress
