// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/advise/question.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/bench/plan/spelling.h"

namespace lockbench {
namespace {

struct KindFlag {
  QuestionKind kind;
  std::string_view flag;
};

// In the order of the flags.
std::vector<KindFlag> kinds_in(const Question& question) {
  std::vector<KindFlag> found;
  if (question.reads) found.push_back({QuestionKind::kReaders, "--reads"});
  if (question.nested) found.push_back({QuestionKind::kNested, "--nested"});
  if (question.several) found.push_back({QuestionKind::kSeveral, "--several"});
  if (question.capacity) found.push_back({QuestionKind::kCapacity, "--capacity"});
  if (question.processes) found.push_back({QuestionKind::kProcesses, "--processes"});
  if (question.across_machines) found.push_back({QuestionKind::kMachines, "--across-machines"});
  return found;
}

// Two kinds that nothing does at once, and what is possible instead.
struct Conflict {
  QuestionKind one;
  QuestionKind other;
  std::string_view reason;
};

constexpr std::array kConflicts{
    Conflict{QuestionKind::kReaders, QuestionKind::kNested,
             "no lock here has readers and lets its holder lock again"},
    Conflict{QuestionKind::kReaders, QuestionKind::kSeveral,
             "a transfer writes both of its keys, so nothing is read"},
    Conflict{QuestionKind::kReaders, QuestionKind::kCapacity,
             "a lease has one holder, whether it reads or writes"},
    Conflict{QuestionKind::kReaders, QuestionKind::kProcesses,
             "no lock between processes has readers here"},
    Conflict{QuestionKind::kReaders, QuestionKind::kMachines,
             "no lock of a service has readers here"},
    Conflict{QuestionKind::kNested, QuestionKind::kSeveral,
             "a lock that its holder may lock again is one lock for all keys"},
    Conflict{QuestionKind::kNested, QuestionKind::kCapacity,
             "a second lease of a shard is another question: lockbench run connection-pool"},
    Conflict{QuestionKind::kNested, QuestionKind::kProcesses,
             "no lock between processes lets its holder lock again here"},
    Conflict{QuestionKind::kNested, QuestionKind::kMachines,
             "no lock of a service lets its holder lock again here"},
    Conflict{QuestionKind::kSeveral, QuestionKind::kCapacity,
             "leases of two shards at once are not measured"},
    Conflict{QuestionKind::kSeveral, QuestionKind::kProcesses,
             "processes are measured with one file each time"},
    Conflict{QuestionKind::kSeveral, QuestionKind::kMachines,
             "services are measured with one key each time"},
    Conflict{QuestionKind::kCapacity, QuestionKind::kProcesses,
             "leases are for the threads of one process"},
    Conflict{QuestionKind::kCapacity, QuestionKind::kMachines,
             "leases are for the threads of one process"},
    Conflict{QuestionKind::kProcesses, QuestionKind::kMachines,
             "locks of services are for processes, too, wherever they run"},
};

std::string_view reason_against(const KindFlag& one, const KindFlag& other) {
  const auto found =
      std::find_if(kConflicts.begin(), kConflicts.end(), [&](const Conflict& conflict) {
        return conflict.one == one.kind && conflict.other == other.kind;
      });
  return found == kConflicts.end() ? "" : found->reason;
}

absl::Status check_kinds(const std::vector<KindFlag>& kinds) {
  if (kinds.size() < 2) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat("%s and %s: %s; ask one of the two",
                                                    kinds[0].flag, kinds[1].flag,
                                                    reason_against(kinds[0], kinds[1])));
}

absl::Status check_limits(const Question& question, QuestionKind kind) {
  if (question.timeout && question.wait_limit) {
    return absl::InvalidArgumentError(
        "--timeout and --wait-limit: a wait that is given up is not among the waits of which the "
        "p99 is; leave out one");
  }
  if (question.timeout && kind == QuestionKind::kNested) {
    return absl::InvalidArgumentError(
        "--timeout and --nested: a holder that locks again is measured without a timeout; leave "
        "out one");
  }
  if (question.timeout && kind == QuestionKind::kSeveral) {
    return absl::InvalidArgumentError(
        "--timeout and --several: no primitive here gives up a wait for two keys at once; leave "
        "out one");
  }
  if (kind == QuestionKind::kMachines && (question.timeout || question.wait_limit)) {
    return absl::InvalidArgumentError(
        absl::StrCat(question.timeout ? "--timeout" : "--wait-limit",
                     " and --across-machines: waits at a service are asked of its "
                     "server; leave out one"));
  }
  return absl::OkStatus();
}

absl::Status pose_readers(double reads, AdviceCase& wanted) {
  if (reads >= 1) {
    return absl::InvalidArgumentError(
        "--reads: what nobody writes needs no lock; say how much is written, as --reads 99%");
  }
  if (reads <= 0) {
    return absl::InvalidArgumentError(
        "--reads: nobody reads, so a mutex is the question; leave it out");
  }
  if (wanted.cell.hold.kind == Work::Kind::kTouch) {
    return absl::InvalidArgumentError(
        "--reads: readers write no cache lines; say a --hold with a duration, as 200ns");
  }
  wanted.cell.workload = {.name = "read_mostly", .scenario = {}};
  wanted.cell.write_share = std::max(1 - reads, kLeastWriteShare);
  return absl::OkStatus();
}

// The workloads have two depths: up to 3 deep, where 60 % of the acquisitions are by a holder, and
// 5 deep, where 80 % are. At depth d, (d - 1) / d of them are.
bool is_mixed(std::uint32_t depth) {
  return depth <= 3;
}

absl::Status pose_nested(std::uint32_t depth, AdviceCase& wanted) {
  if (wanted.cell.keys > 1) {
    return absl::InvalidArgumentError(
        "--nested: a holder locks one key again, so there is 1 key; leave --keys out");
  }
  wanted.cell.workload = {
      .name = "nested",
      .scenario = is_mixed(depth) ? "mixed_lock_unlock" : "reentrant_lock_unlock"};
  wanted.cell.keys = 1;
  return absl::OkStatus();
}

absl::Status pose_several(std::uint32_t several, AdviceCase& wanted) {
  if (several != 2) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "--several: %d keys at once are not measured; 2 are, as --several 2", several));
  }
  if (wanted.cell.keys == 1) {
    return absl::InvalidArgumentError(
        "--several: 2 keys of 1 are one lock; say --keys 2 or more, or leave --several out");
  }
  if (wanted.cell.key_distribution.kind == KeyDistribution::Kind::kOwn) {
    return absl::InvalidArgumentError(
        "--several: a thread with a key of its own has no second one; leave out --distribution "
        "own");
  }
  wanted.cell.workload = {.name = "transfer", .scenario = {}};
  return absl::OkStatus();
}

absl::Status pose_processes(AdviceCase& wanted) {
  if (wanted.cell.keys > 1) {
    return absl::InvalidArgumentError(
        "--processes: they add to a number in one file, so there is 1 key; leave --keys out");
  }
  wanted.cell.workload = {.name = "file_counter", .scenario = {}};
  wanted.cell.keys = 1;
  return absl::OkStatus();
}

absl::Status pose_kind(const Question& question, AdviceCase& wanted) {
  switch (wanted.kind) {
    case QuestionKind::kReaders:
      return pose_readers(*question.reads, wanted);
    case QuestionKind::kNested:
      return pose_nested(*question.nested, wanted);
    case QuestionKind::kSeveral:
      return pose_several(*question.several, wanted);
    case QuestionKind::kCapacity:
      wanted.cell.workload = {.name = "checkout", .scenario = {}};
      wanted.capacity = *question.capacity;
      return absl::OkStatus();
    case QuestionKind::kProcesses:
      return pose_processes(wanted);
    case QuestionKind::kMutex:
    case QuestionKind::kMachines:
      break;
  }
  return absl::OkStatus();
}

}  // namespace

const std::vector<NamedKind>& question_kinds() {
  static const std::vector<NamedKind> kinds{
      {QuestionKind::kMutex, "mutex", "one thread at a time"},
      {QuestionKind::kReaders, "readers", "many read, few write"},
      {QuestionKind::kNested, "nested", "a holder locks again"},
      {QuestionKind::kSeveral, "several", "two keys at once"},
      {QuestionKind::kCapacity, "capacity", "n threads may hold a key"},
      {QuestionKind::kProcesses, "processes", "processes of one machine"},
  };
  return kinds;
}

absl::StatusOr<Nanoseconds> parse_limit(std::string_view text) {
  const absl::StatusOr<Nanoseconds> limit = parse_duration(text);
  if (!limit.ok() || *limit != Nanoseconds{0}) return limit;
  return absl::InvalidArgumentError("0: nothing waits so short; write a time, as 100us");
}

absl::Status pose(const Question& question, AdviceCase& wanted) {
  const std::vector<KindFlag> kinds = kinds_in(question);
  if (absl::Status fits = check_kinds(kinds); !fits.ok()) return fits;
  wanted.kind = kinds.empty() ? QuestionKind::kMutex : kinds.front().kind;
  if (absl::Status fits = check_limits(question, wanted.kind); !fits.ok()) return fits;
  if (absl::Status posed = pose_kind(question, wanted); !posed.ok()) return posed;
  wanted.cell.timeout = question.timeout.value_or(Nanoseconds{0});
  wanted.wait_limit = question.wait_limit;
  return absl::OkStatus();
}

Nanoseconds usual_budget(QuestionKind kind) {
  // The map of readers and writers takes 24 s.
  return std::chrono::seconds(kind == QuestionKind::kReaders ? 40 : 30);
}

std::vector<std::string> differences_of(const Question& question) {
  std::vector<std::string> found;
  if (question.reads && 1 - *question.reads < kLeastWriteShare) {
    found.push_back("--reads: one operation in 512 writes, which is the least that is measured");
  }
  if (question.nested) {
    found.push_back(is_mixed(*question.nested)
                        ? "--nested: an operation locks five times, up to 3 deep; a holder locks "
                          "again in 60 % of them"
                        : "--nested: an operation locks five times, 5 deep; a holder locks again "
                          "in 80 % of them");
  }
  return found;
}

}  // namespace lockbench
