// SPDX-License-Identifier: Apache-2.0

#include "harness/kernel/processors.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <climits>

#include "harness/kernel/kernel_file.h"

namespace lockbench {
namespace {

constexpr std::size_t kWordBits = sizeof(unsigned long) * CHAR_BIT;

// The least that the C library's cpu_set_t has.
constexpr std::size_t kLeastWords = CPU_SETSIZE / kWordBits;

int ask_kernel(std::size_t bytes, cpu_set_t* set) {
  return sched_getaffinity(0, bytes, set) == 0 ? 0 : errno;
}

}  // namespace

ProcessorMask::ProcessorMask(const std::vector<int>& processors) : words_(kLeastWords) {
  for (const int processor : processors) {
    const std::size_t word = static_cast<std::size_t>(processor) / kWordBits;
    if (word >= words_.size()) words_.resize(word + 1);
    words_[word] |= 1UL << (static_cast<std::size_t>(processor) % kWordBits);
  }
}

std::vector<int> allowed_processor_numbers() {
  std::vector<int> numbers;
  if (internal::ask_processors(ask_kernel, numbers) == 0) return numbers;
  return internal::processors_in_status(kernel_text("/proc/thread-self/status").value_or(""));
}

std::uint32_t usable_processors() {
  return static_cast<std::uint32_t>(std::max<std::size_t>(1, allowed_processor_numbers().size()));
}

int bind_to_processors(pid_t task, const std::vector<int>& processors) {
  const ProcessorMask mask(processors);
  return sched_setaffinity(task, mask.bytes(), mask.get()) == 0 ? 0 : errno;
}

std::string refused_affinity_call() {
  std::vector<int> allowed;
  int error = internal::ask_processors(ask_kernel, allowed);
  if (error != 0) return std::string("sched_getaffinity: ") + std::strerror(error);
  error = bind_to_processors(0, allowed);  // which sets what is set already
  return error == 0 ? "" : std::string("sched_setaffinity: ") + std::strerror(error);
}

namespace internal {

int ask_processors(const AskProcessors& kernel, std::vector<int>& numbers) {
  for (std::size_t words = kLeastWords; words * kWordBits <= kMostProcessors; words *= 2) {
    std::vector<unsigned long> set(words);
    const int error =
        kernel(words * sizeof(unsigned long), reinterpret_cast<cpu_set_t*>(set.data()));
    if (error == EINVAL) continue;
    if (error != 0) return error;
    for (std::size_t i = 0; i < words * kWordBits; ++i) {
      if ((set[i / kWordBits] >> (i % kWordBits) & 1) != 0) numbers.push_back(static_cast<int>(i));
    }
    return 0;
  }
  return EINVAL;
}

std::vector<int> processors_in_status(std::string_view status) {
  constexpr std::string_view kField = "\nCpus_allowed_list:";
  const std::size_t field = status.find(kField);
  if (field == std::string_view::npos) return {};
  status.remove_prefix(field + kField.size());
  status.remove_prefix(std::min(status.find_first_not_of(" \t"), status.size()));
  return parse_processor_list(status.substr(0, status.find('\n'))).value_or(std::vector<int>{});
}

}  // namespace internal

}  // namespace lockbench
