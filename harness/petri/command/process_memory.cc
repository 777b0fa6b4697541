// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/command/process_memory.h"

#include <algorithm>
#include <string>
#include <unistd.h>
#include <vector>

#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>

#include "harness/kernel/kernel_file.h"

namespace lockbench {
namespace {

constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

std::uint64_t memory_of_machine() {
  const std::string text = kernel_text("/proc/meminfo").value_or("");
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!absl::StartsWith(line, "MemAvailable:")) continue;
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    std::uint64_t kib = 0;
    if (words.size() > 1 && absl::SimpleAtoi(words[1], &kib)) return kib * 1024;
  }
  return kUnlimited;
}

// A container sees its own cgroup as the root.
std::uint64_t memory_of_cgroup() {
  const std::uint64_t most = kernel_number("/sys/fs/cgroup/memory.max").value_or(kUnlimited);
  const std::uint64_t used = kernel_number("/sys/fs/cgroup/memory.current").value_or(0);
  return most - std::min(most, used);
}

}  // namespace

std::uint64_t resident_memory() {
  const std::string text = kernel_text("/proc/self/statm").value_or("");
  const std::vector<absl::string_view> words = absl::StrSplit(text, ' ');
  std::uint64_t pages = 0;
  if (words.size() < 2 || !absl::SimpleAtoi(words[1], &pages)) return 0;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t available_memory() {
  return std::min(memory_of_machine(), memory_of_cgroup());
}

}  // namespace lockbench
