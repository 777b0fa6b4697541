// SPDX-License-Identifier: Apache-2.0

#include "harness/symbols/debug_information.h"

#if defined(LOCKBENCH_HAS_LIBDW)

#include <cstdlib>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <link.h>
#include <memory>
#include <unistd.h>

namespace lockbench::stress {
namespace {

constexpr Dwfl_Callbacks kOfProcess{.find_elf = dwfl_linux_proc_find_elf,
                                    .find_debuginfo = dwfl_standard_find_debuginfo,
                                    .section_address = nullptr,
                                    .debuginfo_path = nullptr};
constexpr Dwfl_Callbacks kOfFiles{.find_elf = dwfl_build_id_find_elf,
                                  .find_debuginfo = dwfl_standard_find_debuginfo,
                                  .section_address = dwfl_offline_section_address,
                                  .debuginfo_path = nullptr};

unsigned long long loads_so_far() {
  unsigned long long loads = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* found) {
        *static_cast<unsigned long long*>(found) = object->dlpi_adds;
        return 1;  // each object says the same
      },
      &loads);
  return loads;
}

void add_caller(Dwarf_Die* scope, Dwarf_Files* files, std::vector<SourceLine>& lines) {
  if (dwarf_tag(scope) != DW_TAG_inlined_subroutine) return;
  Dwarf_Attribute attribute;
  Dwarf_Word file = 0;
  Dwarf_Word number = 0;
  if (dwarf_formudata(dwarf_attr(scope, DW_AT_call_file, &attribute), &file) != 0) return;
  if (dwarf_formudata(dwarf_attr(scope, DW_AT_call_line, &attribute), &number) != 0) return;
  const char* const name = dwarf_filesrc(files, file, nullptr, nullptr);
  if (name != nullptr) lines.push_back({name, static_cast<int>(number)});
}

// Adds the calls of the functions that were inlined at the address.
void add_callers(Dwfl_Module* module, Dwarf_Addr address, std::vector<SourceLine>& lines) {
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

}  // namespace

DebugInformation::DebugInformation() : session_(dwfl_begin(&kOfProcess)) {
  if (session_ == nullptr) return;
  dwfl_report_begin(session_);
  dwfl_linux_proc_report(session_, getpid());
  dwfl_report_end(session_, nullptr, nullptr);
}

DebugInformation::DebugInformation(std::span<const LoadedFile> files)
    : session_(dwfl_begin(&kOfFiles)) {
  if (session_ == nullptr) return;
  dwfl_report_begin(session_);
  for (const LoadedFile& file : files) {
    dwfl_report_elf(session_, file.path.c_str(), file.path.c_str(), -1, file.bias, true);
  }
  dwfl_report_end(session_, nullptr, nullptr);
}

DebugInformation::~DebugInformation() {
  dwfl_end(session_);
}

const DebugInformation& DebugInformation::of_this_process() {
  static std::unique_ptr<DebugInformation> read;
  static unsigned long long loads_then = 0;
  const unsigned long long loads = loads_so_far();
  if (!read || loads != loads_then) read.reset(new DebugInformation());
  loads_then = loads;
  return *read;
}

std::vector<SourceLine> DebugInformation::lines_at(std::uint64_t address) const {
  const auto [known, is_new] = lines_.try_emplace(address);
  if (is_new) known->second = read_lines(address);
  return known->second;
}

std::vector<SourceLine> DebugInformation::read_lines(std::uint64_t address) const {
  std::vector<SourceLine> lines;
  Dwfl_Module* const module = session_ == nullptr ? nullptr : dwfl_addrmodule(session_, address);
  if (module == nullptr) return lines;
  Dwfl_Line* const line = dwfl_module_getsrc(module, address);
  int number = 0;
  const char* const file =
      line == nullptr ? nullptr : dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
  if (file == nullptr) return lines;
  lines.push_back({file, number});
  add_callers(module, address, lines);
  return lines;
}

std::string DebugInformation::function_at(std::uint64_t address) const {
  Dwfl_Module* const module = session_ == nullptr ? nullptr : dwfl_addrmodule(session_, address);
  const char* const name = module == nullptr ? nullptr : dwfl_module_addrname(module, address);
  return name == nullptr ? "" : name;
}

}  // namespace lockbench::stress

#else

namespace lockbench::stress {

DebugInformation::DebugInformation() = default;
DebugInformation::DebugInformation(std::span<const LoadedFile>) {}
DebugInformation::~DebugInformation() = default;

const DebugInformation& DebugInformation::of_this_process() {
  static const DebugInformation nothing;
  return nothing;
}

std::vector<SourceLine> DebugInformation::lines_at(std::uint64_t) const {
  return {};
}

std::string DebugInformation::function_at(std::uint64_t) const {
  return {};
}

}  // namespace lockbench::stress

#endif
