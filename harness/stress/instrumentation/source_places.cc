// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/instrumentation/source_places.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <map>
#include <string_view>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/stress/instrumentation/function_names.h"

namespace lockbench::stress {
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
  return file.find("primitives/platform/simulated/atomic.h") != std::string_view::npos ||
         file.find("/include/c++/") != std::string_view::npos;
}

// Parses one line of addr2line: `file:line`, perhaps followed by ` (discriminator 3)`.
SourcePlace place_from(std::string_view line, std::string_view function) {
  line = line.substr(0, line.find(' '));
  const std::size_t colon = line.rfind(':');
  SourcePlace place;
  place.function = function;
  if (colon == std::string_view::npos) return place;
  std::from_chars(line.data() + colon + 1, line.data() + line.size(), place.line);
  if (place.line != 0) place.file = shortened(line.substr(0, colon));
  return place;
}

// Chooses a place from the frames of one address. The frames come innermost first, as pairs of
// lines: function and place.
SourcePlace chosen_from(std::string_view frames) {
  SourcePlace chosen;
  while (!frames.empty()) {
    const std::size_t first = std::min(frames.find('\n'), frames.size());
    const std::string_view function = frames.substr(0, first);
    frames.remove_prefix(std::min(first + 1, frames.size()));
    const std::size_t second = std::min(frames.find('\n'), frames.size());
    const std::string_view line = frames.substr(0, second);
    frames.remove_prefix(std::min(second + 1, frames.size()));
    chosen = place_from(line, function);
    if (!stands_for_an_access(line)) break;
  }
  return chosen;
}

}  // namespace

std::vector<SourcePlace> places_of_calls(const std::vector<const void*>& return_addresses) {
  std::vector<SourcePlace> places(return_addresses.size());
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
      places[i] = chosen_from(std::string_view(out).substr(begin, at - begin));
    }
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].line == 0) places[i].function = function_at(return_addresses[i]);
  }
  return places;
}

std::string to_text(const SourcePlace& place) {
  return place.line == 0 ? place.function : absl::StrCat(place.file, ":", place.line);
}

}  // namespace lockbench::stress
