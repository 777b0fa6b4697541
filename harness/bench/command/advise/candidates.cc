// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/advise/candidates.h"

#include <bit>

namespace lockbench {
namespace {

using Candidates = std::vector<PrimitiveSpec>;

constexpr std::uint64_t kStripeBytes = 64;
// Stripes per thread: with few, two threads seldom share one; with many, they hardly ever do.
constexpr std::uint64_t kFewStripes = 4;
constexpr std::uint64_t kManyStripes = 64;
constexpr std::uint64_t kUsualBuckets = 1024;

PrimitiveSpec plain(const std::string& name) {
  return {.name = name, .parameters = {}};
}

PrimitiveSpec over(const std::string& name, const std::string& lock) {
  return {.name = name, .parameters = {{"lock", lock}}};
}

PrimitiveSpec with(PrimitiveSpec primitive, const std::string& parameter, std::uint64_t number) {
  primitive.parameters.emplace(parameter, std::to_string(number));
  return primitive;
}

std::uint64_t stripes_for(const AdviceCase& wanted, std::uint64_t per_thread) {
  std::uint64_t stripes = std::bit_ceil(per_thread * wanted.cell.threads);
  while (wanted.memory_bytes && stripes > 1 &&
         (stripes + 1) * kStripeBytes > *wanted.memory_bytes) {
    stripes /= 2;
  }
  return stripes;
}

PrimitiveSpec by_key(const std::string& name, const Cell& cell) {
  // About twice the number of keys held at once, so that a bucket has few keys.
  const std::uint64_t buckets = std::bit_ceil(std::uint64_t{2} * cell.threads);
  return buckets <= kUsualBuckets ? plain(name) : with(plain(name), "buckets", buckets);
}

Candidates mutexes(const AdviceCase& wanted) {
  Candidates found{over("global", "std"), plain("global")};
  if (wanted.cell.timeout != Nanoseconds{0}) found.front() = over("global", "std_timed");
  if (wanted.fair) found.push_back(over("global", "tbb_queuing"));
  found.push_back(by_key("keyed", wanted.cell));
  // With one key, there is only one stripe or shard in use.
  if (wanted.cell.keys == 1) return found;
  const std::uint64_t few = stripes_for(wanted, kFewStripes);
  const std::uint64_t many = stripes_for(wanted, kManyStripes);
  found.push_back(plain("keyed_table64"));
  found.push_back(plain("keyed_absl"));
  found.push_back(with(plain("striped"), "stripes", few));
  if (many != few) found.push_back(with(plain("striped"), "stripes", many));
  found.push_back(with(plain("striped_vector"), "stripes", many));
  return found;
}

// A mutex for all keys and one for each, and the same of locks that readers share: the C++
// library's, Abseil's, TBB's and ours. With one key, stripes are one lock.
Candidates for_readers(const AdviceCase& wanted) {
  Candidates found{over("global", "std"), plain("global"), over("global", "std_shared")};
  found.push_back(by_key("keyed_shared", wanted.cell));
  if (wanted.cell.keys == 1) {
    for (const char* const lock : {"absl_shared", "tbb_rw"}) found.push_back(over("global", lock));
    return found;
  }
  found.push_back(by_key("keyed", wanted.cell));
  const std::uint64_t many = stripes_for(wanted, kManyStripes);
  found.push_back(with(plain("striped"), "stripes", many));
  for (const char* const lock : {"std_shared", "absl_shared", "tbb_rw"}) {
    found.push_back(with(over("striped", lock), "stripes", many));
  }
  return found;
}

Candidates for_several(const AdviceCase& wanted) {
  Candidates found{over("global", "std"), plain("global"), by_key("keyed", wanted.cell)};
  const std::uint64_t many = stripes_for(wanted, kManyStripes);
  found.push_back(with(plain("striped"), "stripes", many));
  found.push_back(with(plain("striped_vector"), "stripes", many));
  found.push_back(plain("stripe_word"));
  return found;
}

Candidates for_capacity(const AdviceCase& wanted) {
  Candidates found;
  for (const char* const name : {"lease_condvar", "lease", "lease_semaphore", "lease_tbb"}) {
    found.push_back(with(plain(name), "leases", wanted.capacity));
  }
  if (wanted.fair) {
    found.push_back(with({"lease", {{"order", "fifo"}}}, "leases", wanted.capacity));
  }
  return found;
}

}  // namespace

std::vector<PrimitiveSpec> candidates_for(const AdviceCase& wanted) {
  if (wanted.when && wanted.beats) return {*wanted.when, *wanted.beats};
  if (!wanted.services.empty()) return wanted.services;
  switch (wanted.kind) {
    case QuestionKind::kReaders:
      return for_readers(wanted);
    case QuestionKind::kNested:
      return {plain("recursive_mutex"), plain("reentrant"), plain("recursive_parking")};
    case QuestionKind::kSeveral:
      return for_several(wanted);
    case QuestionKind::kCapacity:
      return for_capacity(wanted);
    case QuestionKind::kProcesses:
      return {plain("file_flock"), plain("file_ofd"), plain("file_robust_mutex"), plain("file")};
    case QuestionKind::kMutex:
    case QuestionKind::kMachines:
      break;
  }
  return mutexes(wanted);
}

std::vector<PrimitiveSpec> map_candidates_for(const AdviceCase& wanted) {
  if (wanted.cell.keys == 1) {
    return {over("global", "std"), plain("global"), over("global", "std_shared"),
            over("global", "tbb_rw")};
  }
  const std::uint64_t many = stripes_for(wanted, kManyStripes);
  return {by_key("keyed", wanted.cell), with(over("striped", "std"), "stripes", many),
          by_key("keyed_shared", wanted.cell),
          with(over("striped", "std_shared"), "stripes", many)};
}

PrimitiveSpec striped_std_for(const AdviceCase& wanted) {
  return with(over("striped", "std"), "stripes", stripes_for(wanted, kManyStripes));
}

}  // namespace lockbench
