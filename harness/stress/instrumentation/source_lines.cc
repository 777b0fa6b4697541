// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/instrumentation/source_lines.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include <absl/strings/str_cat.h>

#include "harness/stress/instrumentation/debug_information.h"
#include "harness/stress/instrumentation/function_names.h"

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

}  // namespace

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
    const std::vector<SourceLine> lines =
        DebugInformation::of_this_process().lines_at(call_before(return_address));
    return std::any_of(lines.begin(), lines.end(), [&](const SourceLine& line) {
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
    const std::vector<SourceLine> lines = DebugInformation::of_this_process().lines_at(call);
    for (const SourceLine& line : lines) {
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
