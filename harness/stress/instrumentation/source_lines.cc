// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/instrumentation/source_lines.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <map>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>

#include "harness/stress/instrumentation/function_names.h"

#if defined(LOCKBENCH_HAS_LIBDW)
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#endif

namespace lockbench::stress {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Whether the file belongs to the harness, the platform layer or the system's libraries.
bool is_not_the_locks(std::string_view file) {
  return contains(file, "harness/stress/") || contains(file, "primitives/platform/") ||
         file.starts_with("/usr/");
}

// The same by the name of a function, for code without debug information.
bool is_function_of_the_harness(std::string_view name) {
  constexpr std::string_view kTheirs[] = {
      "lockbench::platform::", "lockbench::stress::", "__tsan_", "__wrap_", "_Unwind_", "std::",
      "lockbench_fibre_start"};
  for (const std::string_view prefix : kTheirs) {
    if (name.starts_with(prefix)) return true;
  }
  return contains(name, "lockbench::stress::") || name.starts_with("(anonymous");
}

std::string short_name(std::string_view file) {
  const std::size_t ours = file.rfind("/primitives/");
  if (ours != std::string_view::npos) return std::string(file.substr(ours + 1));
  return std::string(file.substr(file.rfind('/') + 1));
}

struct Line {
  std::string file;
  int number = 0;
};

}  // namespace

#if defined(LOCKBENCH_HAS_LIBDW)

namespace {

class DebugInformation {
 public:
  DebugInformation() : session_(dwfl_begin(&kCallbacks)) {
    if (session_ == nullptr) return;
    dwfl_report_begin(session_);
    dwfl_linux_proc_report(session_, getpid());
    dwfl_report_end(session_, nullptr, nullptr);
  }
  ~DebugInformation() { dwfl_end(session_); }
  DebugInformation(const DebugInformation&) = delete;
  DebugInformation& operator=(const DebugInformation&) = delete;

  // Of what is loaded now. To read it takes a tenth of a second or more: it is read again only if
  // another library was loaded since.
  static const DebugInformation& current() {
    static std::optional<DebugInformation> read;
    static unsigned long long loads_then = 0;
    const unsigned long long loads = loads_so_far();
    if (!read || loads != loads_then) read.emplace();
    loads_then = loads;
    return *read;
  }

  // Innermost first: an address in inlined functions has one line in each of them.
  std::vector<Line> lines_at(Dwarf_Addr address) const {
    std::vector<Line> lines;
    Dwfl_Module* const module = session_ == nullptr ? nullptr : dwfl_addrmodule(session_, address);
    if (module == nullptr) return lines;
    Dwfl_Line* const line = dwfl_module_getsrc(module, address);
    int number = 0;
    const char* const file = line == nullptr
                                 ? nullptr
                                 : dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
    if (file == nullptr) return lines;
    lines.push_back({file, number});
    add_callers(module, address, lines);
    return lines;
  }

 private:
  static constexpr Dwfl_Callbacks kCallbacks{.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = nullptr,
                                             .debuginfo_path = nullptr};

  static unsigned long long loads_so_far() {
    unsigned long long loads = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* found) {
          *static_cast<unsigned long long*>(found) = object->dlpi_adds;
          return 1;  // each object says the same
        },
        &loads);
    return loads;
  }

  // Adds the calls of the functions that were inlined at the address.
  static void add_callers(Dwfl_Module* module, Dwarf_Addr address, std::vector<Line>& lines) {
    Dwarf_Addr bias = 0;
    Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias);
    if (unit == nullptr) return;
    Dwarf_Die* around = nullptr;
    if (dwarf_getscopes(unit, address - bias, &around) <= 0) return;
    Dwarf_Die innermost = around[0];
    std::free(around);
    Dwarf_Die* scopes = nullptr;
    const int count = dwarf_getscopes_die(&innermost, &scopes);
    Dwarf_Files* files = nullptr;
    if (count > 0 && dwarf_getsrcfiles(unit, &files, nullptr) == 0) {
      for (int i = 0; i < count; ++i) add_caller(&scopes[i], files, lines);
    }
    std::free(scopes);
  }

  static void add_caller(Dwarf_Die* scope, Dwarf_Files* files, std::vector<Line>& lines) {
    if (dwarf_tag(scope) != DW_TAG_inlined_subroutine) return;
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0;
    Dwarf_Word number = 0;
    if (dwarf_formudata(dwarf_attr(scope, DW_AT_call_file, &attribute), &file) != 0) return;
    if (dwarf_formudata(dwarf_attr(scope, DW_AT_call_line, &attribute), &number) != 0) return;
    const char* const name = dwarf_filesrc(files, file, nullptr, nullptr);
    if (name != nullptr) lines.push_back({name, static_cast<int>(number)});
  }

  Dwfl* const session_;
};

}  // namespace

#else

namespace {

class DebugInformation {
 public:
  static DebugInformation current() { return {}; }
  static std::vector<Line> lines_at(std::uintptr_t) { return {}; }
};

}  // namespace

#endif

class SourceLines::Impl {
 public:
  std::string place_in(std::span<const void* const> stack) {
    std::string by_name;
    for (const void* const address : stack) {
      if (address == nullptr) break;
      const Frame& frame = frame_at(address);
      if (!frame.place.empty()) return frame.place;
      if (by_name.empty()) by_name = frame.name;
    }
    return by_name;
  }

  bool comes_from(const void* return_address, std::string_view file_ending) {
    const std::vector<Line> lines =
        DebugInformation::current().lines_at(call_before(return_address));
    return std::any_of(lines.begin(), lines.end(), [&](const Line& line) {
      return std::string_view(line.file).ends_with(file_ending);
    });
  }

 private:
  // A return address is the address after the call, so the call is at a lower address.
  static std::uintptr_t call_before(const void* return_address) {
    return reinterpret_cast<std::uintptr_t>(return_address) - 1;
  }

  struct Frame {
    std::string place;  // in the lock's source
    std::string name;   // of the function, if there is no line information at all
  };

  const Frame& frame_at(const void* return_address) {
    const auto [found, is_new] = frames_.try_emplace(return_address);
    if (!is_new) return found->second;
    const std::uintptr_t call = call_before(return_address);
    const std::vector<Line> lines = DebugInformation::current().lines_at(call);
    for (const Line& line : lines) {
      if (is_not_the_locks(line.file)) continue;
      found->second.place = absl::StrCat(short_name(line.file), ":", line.number);
      return found->second;
    }
    if (!lines.empty()) return found->second;
    const std::string name = function_at(reinterpret_cast<const void*>(call));
    if (!is_function_of_the_harness(name)) found->second.name = name;
    return found->second;
  }

  std::map<const void*, Frame> frames_;
};

SourceLines::SourceLines() : impl_(std::make_unique<Impl>()) {}
SourceLines::~SourceLines() = default;

std::string SourceLines::place_in(std::span<const void* const> stack) {
  return impl_->place_in(stack);
}

bool SourceLines::comes_from(const void* return_address, std::string_view file_ending) {
  return impl_->comes_from(return_address, file_ending);
}

}  // namespace lockbench::stress
