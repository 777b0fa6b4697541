// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/log.h"

#include <algorithm>
#include <numeric>

namespace lockbench::stress::threads {
namespace {

// Before each thread, and after the last, how many entries come before its own.
std::vector<std::size_t> firsts_for(const LitmusProgram& program, std::uint32_t passes) {
  std::vector<std::size_t> firsts{0};
  for (const std::vector<Act>& acts : program.threads) {
    firsts.push_back(firsts.back() + acts.size() * passes);
  }
  return firsts;
}

}  // namespace

Log::Log(const LitmusProgram& program, std::uint32_t passes)
    : firsts_(firsts_for(program, passes)),
      pages_(program.threads.size()),
      entries_(std::max<std::size_t>(firsts_.back(), 1)) {}

std::uint64_t Log::noted() const {
  return std::accumulate(pages_.begin(), pages_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Page& page) { return sum + get(page.noted); });
}

std::span<const Entry> Log::entries_of(std::uint32_t thread) const {
  return {entries_.data() + firsts_[thread], get(pages_[thread].noted)};
}

bool Log::whole() const {
  return noted() == moments_->next.load(std::memory_order_relaxed);
}

std::vector<stress::Deed> Log::deeds(const LitmusProgram& program) const {
  struct Seen {
    Entry entry;
    std::uint32_t thread = 0;
  };
  std::vector<Seen> seen;
  for (std::uint32_t thread = 0; thread < program.threads.size(); ++thread) {
    for (const Entry& entry : entries_of(thread)) seen.push_back({entry, thread});
  }
  std::sort(seen.begin(), seen.end(),
            [](const Seen& a, const Seen& b) { return a.entry.moment < b.entry.moment; });
  std::vector<stress::Deed> deeds;
  for (const auto& [entry, thread] : seen) {
    if (entry.moment != deeds.size()) break;
    deeds.push_back({.kind = entry.takes ? stress::Deed::kTakes : stress::Deed::kLetsGo,
                     .thread = thread,
                     .keys = keys_of(program.threads[thread][entry.act]),
                     .lease = entry.lease});
  }
  return deeds;
}

std::vector<Trace::Wait> Log::waits(const LitmusProgram& program) const {
  std::vector<Trace::Wait> waits;
  for (std::uint32_t thread = 0; thread < program.threads.size(); ++thread) {
    const std::uint64_t wanted = get(pages_[thread].wants);
    if (wanted == 0) continue;
    waits.push_back({.thread = thread, .keys = keys_of(program.threads[thread][wanted - 1])});
  }
  return waits;
}

}  // namespace lockbench::stress::threads
