// SPDX-License-Identifier: Apache-2.0

// Memory and its addresses, room for threads and results, and the tools that read them.
#include <array>

#include <absl/strings/str_format.h>

#include "harness/command/doctor/checks.h"

namespace lockbench::internal {
namespace {

std::optional<Finding> layout(const SystemFacts& facts) {
  if (!facts.layout_random) return std::nullopt;
  if (*facts.layout_random) return fine("layout", "addresses are drawn anew for each process");
  return Finding{
      .severity = Severity::kSpoils,
      .name = "layout",
      .what = "every process has the same addresses",
      .how =
          "Each repetition has the same accidents of alignment, worth 5 to 20 %: they show as a "
          "difference between locks where they ought to show as spread.",
      .mend = facts.layout_ours.value_or(false)
                  ? "start lockbench without `setarch -R`, and not from a debugger"
                  : "sudo sysctl kernel.randomize_va_space=2"};
}

std::optional<Finding> mmap_rnd_bits(const SystemFacts& facts) {
  if (!facts.mmap_rnd_bits) return std::nullopt;
  constexpr std::uint64_t kMostForThreadSanitizer = 28;
  const std::string what = absl::StrFormat("vm.mmap_rnd_bits is %d", *facts.mmap_rnd_bits);
  if (*facts.mmap_rnd_bits <= kMostForThreadSanitizer) return fine("mmap_rnd_bits", what);
  return Finding{
      .severity = Severity::kNote,
      .name = "mmap_rnd_bits",
      .what = what,
      .how =
          "Programs of the tsan build may stop before main(), \"unexpected memory mapping\": "
          "the check of the locks is lost, though no measurement is.",
      .mend = "sudo sysctl vm.mmap_rnd_bits=28, or start them under `setarch -R`"};
}

std::optional<Finding> membarrier(const SystemFacts& facts) {
  if (!facts.membarrier) return std::nullopt;
  if (*facts.membarrier == Membarrier::kOffered) return fine("membarrier", "membarrier works");
  const bool forbidden = *facts.membarrier == Membarrier::kForbidden;
  return Finding{
      .severity = Severity::kNote,
      .name = "membarrier",
      .what = forbidden ? "membarrier is forbidden" : "the kernel has no private membarrier",
      .how =
          "Locks that make their owner's path cheap at the cost of everybody else's fall back "
          "to a fence on each: they are measured slower than they are elsewhere.",
      .mend = forbidden ? "allow membarrier(2) in the sandbox, as `docker run --security-opt "
                          "seccomp=unconfined` does"
                        : "boot a kernel of 4.14 or later that has CONFIG_MEMBARRIER"};
}

std::optional<Finding> huge_pages(const SystemFacts& facts) {
  if (!facts.huge_pages) return std::nullopt;
  const std::string what = "transparent huge pages: " + *facts.huge_pages;
  if (*facts.huge_pages != "always") return fine("huge_pages", what);
  return Finding{
      .severity = Severity::kNote,
      .name = "huge_pages",
      .what = what,
      .how =
          "Stacks and tables come in pieces of 2 MiB, so that peak_rss_bytes tells of the "
          "kernel's choice more than of the lock's; gathering them stops threads in a window.",
      .mend = "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"};
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

// The tightest limit is told; once it is raised, the next one is.
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
  return Finding{.severity = Severity::kNote,
                 .name = "threads",
                 .what = absl::StrFormat("room for %d more threads", room(*tightest)),
                 .how = absl::StrFormat("Cells of up to %d threads can be asked for; those that %s "
                                        "does not let start are rows without figures (failed).",
                                        kThreadsWanted, tightest->name),
                 .mend = raise_command(*tightest)};
}

std::optional<Finding> space(const SystemFacts& facts) {
  if (!facts.space) return std::nullopt;
  const std::string what =
      absl::StrFormat("%d MiB free in %s", facts.space->bytes >> 20, facts.space->folder);
  if (facts.space->bytes >= kBytesWanted) return fine("space", what);
  return Finding{.severity = Severity::kNote,
                 .name = "space",
                 .what = what,
                 .how =
                     "A run stops when its rows cannot be written; those it has stay, and "
                     "`--resume` goes on once there is space.",
                 .mend = "lockbench run PRESET --out DIR, on another disk"};
}

std::optional<Finding> python(const SystemFacts& facts) {
  if (!facts.python_trouble) return std::nullopt;
  if (facts.python_trouble->empty()) return fine("python", "Python has what plots need");
  return Finding{
      .severity = Severity::kNote,
      .name = "python",
      .what = "no Python for plot, compare and report",
      .how = "Runs are measured and written all the same; reading them does not work: " +
             *facts.python_trouble + ".",
      .mend = "sudo apt install python3-jinja2 python3-matplotlib python3-pandas python3-scipy"};
}

}  // namespace

std::span<const Check> resource_checks() {
  static constexpr std::array<Check, 7> kChecks{layout,  mmap_rnd_bits, membarrier, huge_pages,
                                                threads, space,         python};
  return kChecks;
}

}  // namespace lockbench::internal
