// SPDX-License-Identifier: Apache-2.0

#include "harness/symbols/source_places.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <map>
#include <string_view>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include "harness/symbols/debug_information.h"
#include "harness/symbols/function_names.h"

namespace lockbench::stress {

namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// True of the platform layer: of the checkout, or as it is installed for plug-ins.
bool is_of_the_platform(std::string_view file) {
  return contains(file, "primitives/platform/") || contains(file, "/lockbench/platform/");
}

// True if the file belongs to the harness, the platform layer or the system's libraries.
bool is_not_the_locks(std::string_view file) {
  return contains(file, "harness/stress/") || is_of_the_platform(file) || file.starts_with("/usr/");
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
  std::string line_in(std::span<const void* const> stack, std::size_t most) {
    std::vector<std::string> lines;
    std::string by_name;
    for (const void* const address : stack) {
      if (address == nullptr || lines.size() >= most) break;
      const Frame& frame = frame_at(address);
      for (const std::string& line : frame.lines) {
        if (lines.size() < most && (lines.empty() || lines.back() != line)) {
          lines.push_back(line);
        }
      }
      if (by_name.empty()) by_name = frame.name;
    }
    return lines.empty() ? by_name : absl::StrJoin(lines, " < ");
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
    std::vector<std::string> lines;  // in the lock's source; callers of inlined calls follow them
    std::string name;                // of the function, if there is no line information at all
  };

  const Frame& frame_at(const void* return_address) {
    const auto [found, is_new] = frames_.try_emplace(return_address);
    if (!is_new) return found->second;
    const std::uintptr_t call = call_before(return_address);
    const std::vector<SourceLine> lines = DebugInformation::of_this_process().lines_at(call);
    for (const SourceLine& line : lines) {
      if (is_not_the_locks(line.file)) continue;
      found->second.lines.push_back(absl::StrCat(short_name(line.file), ":", line.number));
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

std::string SourceLines::line_in(std::span<const void* const> stack, std::size_t most) {
  return impl_->line_in(stack, most);
}

bool SourceLines::comes_from(const void* return_address, std::string_view file_ending) {
  return impl_->comes_from(return_address, file_ending);
}

namespace {

// The call before a return address.
struct Call {
  std::string file;  // that is loaded at this address
  std::uint64_t offset = 0;
};

Call call_before(const void* return_address) {
  const auto* const call = static_cast<const char*>(return_address) - 1;
  Dl_info info;
  if (dladdr(call, &info) == 0) return {};
  const auto offset = static_cast<std::uint64_t>(call - static_cast<const char*>(info.dli_fbase));
  return {info.dli_fname, offset};
}

std::string quoted(const std::string& word) {
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string output_of(const std::string& command) {
  std::string out;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return out;
  std::array<char, 4096> buffer;
  while (const std::size_t bytes = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    out.append(buffer.data(), bytes);
  }
  pclose(pipe);
  return out;
}

// The path from the project folder (`primitives/`, `tests/`, …) on.
std::string shortened(std::string_view file) {
  for (const std::string_view folder : {"/primitives/", "/tests/", "/examples/", "/harness/"}) {
    const std::size_t at = file.rfind(folder);
    if (at != std::string_view::npos) return std::string(file.substr(at + 1));
  }
  return std::string(file);
}

bool stands_for_an_access(std::string_view file) {
  return (is_of_the_platform(file) && contains(file, "/simulated/atomic.h")) ||
         contains(file, "/include/c++/");
}

// Parses one line of addr2line: `file:line`, perhaps followed by ` (discriminator 3)`.
SourceLocation location_from(std::string_view line, std::string_view function) {
  line = line.substr(0, line.find(' '));
  const std::size_t colon = line.rfind(':');
  SourceLocation location;
  location.function = function;
  if (colon == std::string_view::npos) return location;
  std::from_chars(line.data() + colon + 1, line.data() + line.size(), location.line);
  if (location.line != 0) location.file = shortened(line.substr(0, colon));
  return location;
}

// Chooses a location from the frames of one address. The frames come innermost first, as pairs of
// lines: function and location.
SourceLocation chosen_from(std::string_view frames) {
  SourceLocation chosen;
  while (!frames.empty()) {
    const std::size_t first = std::min(frames.find('\n'), frames.size());
    const std::string_view function = frames.substr(0, first);
    frames.remove_prefix(std::min(first + 1, frames.size()));
    const std::size_t second = std::min(frames.find('\n'), frames.size());
    const std::string_view line = frames.substr(0, second);
    frames.remove_prefix(std::min(second + 1, frames.size()));
    chosen = location_from(line, function);
    if (!stands_for_an_access(line)) break;
  }
  return chosen;
}

}  // namespace

std::vector<SourceLocation> locations_of_calls(const std::vector<const void*>& return_addresses) {
  std::vector<SourceLocation> locations(return_addresses.size());
  std::map<std::string, std::vector<std::size_t>> by_file;
  std::vector<Call> calls;
  for (const void* address : return_addresses) {
    calls.push_back(call_before(address));
    by_file[calls.back().file].push_back(calls.size() - 1);
  }
  for (const auto& [file, positions] : by_file) {
    if (file.empty()) continue;
    // With -a, addr2line prints a line with the address before the frames of each address.
    std::string command = absl::StrCat("addr2line -a -i -f -C -e ", quoted(file));
    for (const std::size_t i : positions) absl::StrAppendFormat(&command, " 0x%x", calls[i].offset);
    const std::string out = output_of(command + " 2>/dev/null");
    std::size_t at = 0;
    for (const std::size_t i : positions) {
      if (out.compare(at, 2, "0x") != 0) break;
      const std::size_t begin = out.find('\n', at) + 1;
      const std::size_t end = out.find("\n0x", begin);
      at = end == std::string::npos ? out.size() : end + 1;
      locations[i] = chosen_from(std::string_view(out).substr(begin, at - begin));
    }
  }
  for (std::size_t i = 0; i < locations.size(); ++i) {
    if (locations[i].line == 0) locations[i].function = function_at(return_addresses[i]);
  }
  return locations;
}

std::string to_text(const SourceLocation& location) {
  return location.line == 0 ? location.function : absl::StrCat(location.file, ":", location.line);
}

}  // namespace lockbench::stress
