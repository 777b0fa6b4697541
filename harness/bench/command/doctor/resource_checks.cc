// SPDX-License-Identifier: Apache-2.0

// Checks memory, addresses, limits of threads and space, and the tools that read results.
#include <array>

#include <absl/strings/str_format.h>

#include "harness/bench/command/doctor/checks.h"

namespace lockbench::internal {
namespace {

std::optional<Finding> layout(const SystemFacts& facts) {
  if (!facts.layout_random) return std::nullopt;
  if (*facts.layout_random) return fine("layout", "addresses are random in each process");
  return Finding{
      Severity::kProblem, "layout", "every process has the same addresses",
      "Each repetition has the same alignment, which changes speed by 5 to 20 %: it shows as a "
      "difference between locks instead of as spread.",
      facts.layout_ours.value_or(false)
          ? "start lockbench without `setarch -R`, and not from a debugger"
          : "sudo sysctl kernel.randomize_va_space=2"};
}

std::optional<Finding> mmap_rnd_bits(const SystemFacts& facts) {
  if (!facts.mmap_rnd_bits) return std::nullopt;
  constexpr std::uint64_t kMostForThreadSanitizer = 28;
  const std::string what = absl::StrFormat("vm.mmap_rnd_bits is %d", *facts.mmap_rnd_bits);
  if (*facts.mmap_rnd_bits <= kMostForThreadSanitizer) return fine("mmap_rnd_bits", what);
  return Finding{
      Severity::kNote, "mmap_rnd_bits", what,
      "Programs of the tsan build may stop before main(), \"unexpected memory mapping\". "
      "Measurements are not affected.",
      "sudo sysctl vm.mmap_rnd_bits=28, or start them under `setarch -R`"};
}

std::optional<Finding> membarrier(const SystemFacts& facts) {
  if (!facts.membarrier) return std::nullopt;
  if (*facts.membarrier == Membarrier::kOffered) return fine("membarrier", "membarrier works");
  const bool forbidden = *facts.membarrier == Membarrier::kForbidden;
  return Finding{
      Severity::kNote, "membarrier",
      forbidden ? "membarrier is forbidden" : "the kernel has no private membarrier",
      "Biased locks use a fence on every acquisition instead: they are slower here than on "
      "other machines.",
      forbidden ? "allow membarrier(2) in the sandbox, as `docker run --security-opt "
                  "seccomp=unconfined` does"
                : "boot a kernel of 4.14 or later that has CONFIG_MEMBARRIER"};
}

std::optional<Finding> huge_pages(const SystemFacts& facts) {
  if (!facts.huge_pages) return std::nullopt;
  const std::string what = "transparent huge pages: " + *facts.huge_pages;
  if (*facts.huge_pages != "always") return fine("huge_pages", what);
  return Finding{
      Severity::kNote, "huge_pages", what,
      "Stacks and tables are allocated in pieces of 2 MiB, so peak_rss_bytes shows the kernel's "
      "choice more than the lock's; joining pages stops threads during a window.",
      "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"};
}

std::string raise_command(const ThreadLimit& limit) {
  const std::string wanted = std::to_string(2 * kThreadsWanted + limit.in_use);
  if (limit.name.starts_with('/')) {
    return "echo max | sudo tee " + limit.name + "; in a container, start it with a higher limit";
  }
  if (limit.name.starts_with("ulimit")) {
    return limit.name + " " + wanted + " (beyond the hard limit: in /etc/security/limits.conf)";
  }
  return "sudo sysctl " + limit.name + "=" + wanted;
}

// Reports the lowest limit.
std::optional<Finding> threads(const SystemFacts& facts) {
  const auto room = [](const ThreadLimit& limit) {
    return limit.most > limit.in_use ? limit.most - limit.in_use : 0;
  };
  const ThreadLimit* tightest = nullptr;
  for (const ThreadLimit& limit : facts.thread_limits) {
    if (tightest == nullptr || room(limit) < room(*tightest)) tightest = &limit;
  }
  if (tightest == nullptr) return std::nullopt;
  if (room(*tightest) > kThreadsWanted) {
    return fine("threads", absl::StrFormat("room for %d threads", kThreadsWanted));
  }
  return Finding{Severity::kNote, "threads",
                 absl::StrFormat("room for %d more threads", room(*tightest)),
                 absl::StrFormat("A cell may have up to %d threads; if %s does not let them "
                                 "start, its row has no figures (failed).",
                                 kThreadsWanted, tightest->name),
                 raise_command(*tightest)};
}

std::optional<Finding> space(const SystemFacts& facts) {
  if (!facts.space) return std::nullopt;
  const std::string what =
      absl::StrFormat("%d MiB free in %s", facts.space->bytes >> 20, facts.space->folder);
  if (facts.space->bytes >= kBytesWanted) return fine("space", what);
  return Finding{Severity::kNote, "space", what,
                 "A run stops if its rows cannot be written; complete rows are kept, and "
                 "`--resume` continues it when there is space.",
                 "lockbench run PRESET --out DIR, on another disk"};
}

std::optional<Finding> python(const SystemFacts& facts) {
  if (!facts.python_trouble) return std::nullopt;
  if (facts.python_trouble->empty()) return fine("python", "Python has what plots need");
  return Finding{Severity::kNote, "python", "no Python for plot, compare and report",
                 "Runs are measured and written, but not analysed: " + *facts.python_trouble + ".",
                 "sudo apt install python3-jinja2 python3-matplotlib python3-pandas python3-scipy"};
}

}  // namespace

std::span<const Check> resource_checks() {
  static constexpr std::array<Check, 7> kChecks{layout,  mmap_rnd_bits, membarrier, huge_pages,
                                                threads, space,         python};
  return kChecks;
}

}  // namespace lockbench::internal
