// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/advise/questions.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include "harness/base/quantity.h"
#include "harness/bench/plan/spelling.h"
#include "harness/bench/plan/sweep_fields.h"

namespace lockbench {
namespace {

using Take = std::function<absl::Status(const std::string&)>;

absl::Status ask(std::istream& in, std::ostream& out, const std::string& question,
                 const std::string& usual, const Take& take) {
  for (;;) {
    out << question << " [" << usual << "] " << std::flush;
    std::string line;
    if (!std::getline(in, line)) {
      out << '\n';
      return absl::InvalidArgumentError(
          "the questions were not answered; name the case by flags, "
          "as --threads 8 --keys 1000 --hold 200ns");
    }
    const absl::Status taken = take(line.empty() ? usual : line);
    if (taken.ok()) return taken;
    out << "  " << taken.message() << '\n';
  }
}

Take counted(CountRange range, std::function<void(std::uint64_t)> use) {
  return [range, use = std::move(use)](const std::string& text) {
    const absl::StatusOr<std::uint64_t> count = parse_count(text, range);
    if (count.ok()) use(*count);
    return count.status();
  };
}

constexpr double kUsualReads = 0.95;
constexpr std::uint32_t kUsualDepth = 3;
constexpr std::uint32_t kUsualCapacity = 4;
constexpr char kThisMachine[] = "this";
constexpr char kUnknown[] = "unknown";
constexpr char kNever[] = "never";
constexpr char kAny[] = "any";
constexpr char kAllOfThem[] = "all";

// The question with what was answered so far.
absl::Status posed(Asked& asked) {
  return pose(asked.question, asked.wanted);
}

// Each kind has a usual value, until the user is asked for it.
absl::Status take_kind(Asked& asked, const std::string& text) {
  const std::vector<NamedKind>& kinds = question_kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                 [&](const NamedKind& one) { return one.word == text; });
  if (kind == kinds.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is none of them; write one of the words, as mutex"));
  }
  Question& question = asked.question;
  question = {};
  switch (kind->kind) {
    case QuestionKind::kReaders:
      question.reads = kUsualReads;
      break;
    case QuestionKind::kNested:
      question.nested = kUsualDepth;
      break;
    case QuestionKind::kSeveral:
      question.several = 2;
      break;
    case QuestionKind::kCapacity:
      question.capacity = kUsualCapacity;
      break;
    case QuestionKind::kProcesses:
      question.processes = true;
      break;
    case QuestionKind::kMutex:
    case QuestionKind::kMachines:
      break;
  }
  return posed(asked);
}

std::string offered_kinds() {
  return absl::StrJoin(question_kinds(), "; ", [](std::string* out, const NamedKind& one) {
    absl::StrAppend(out, one.word, ": ", one.meaning);
  });
}

// A value of the question, which must fit the rest of it.
template <class T>
Take part_of(Asked& asked, absl::StatusOr<T> (*parse)(std::string_view), std::optional<T>& part) {
  return [&asked, &part, parse](const std::string& text) {
    const absl::StatusOr<T> value = parse(text);
    if (!value.ok()) return value.status();
    part = *value;
    return posed(asked);
  };
}

Take count_of(Asked& asked, CountRange range, std::optional<std::uint32_t>& part) {
  return [&asked, &part, range](const std::string& text) {
    const absl::StatusOr<std::uint64_t> count = parse_count(text, range);
    if (!count.ok()) return count.status();
    part = static_cast<std::uint32_t>(*count);
    return posed(asked);
  };
}

// A time, or the word that stands for none.
Take time_or(Asked& asked, const std::string& none, std::optional<Nanoseconds>& part) {
  return [&asked, &part, none](const std::string& text) {
    part.reset();
    if (text == none) return posed(asked);
    const absl::StatusOr<Nanoseconds> time = parse_limit(text);
    if (!time.ok()) return time.status();
    part = *time;
    return posed(asked);
  };
}

struct Ask {
  std::string text;
  std::string usual;
  Take take;
  std::function<bool()> applies = [] { return true; };
};

Take machine_of(const AskedAbout& about, Asked& asked) {
  return [&](const std::string& text) {
    const bool known =
        std::find(about.machines.begin(), about.machines.end(), text) != about.machines.end();
    if (!known && text != kThisMachine && !text.ends_with(".toml")) {
      return absl::InvalidArgumentError(
          absl::StrFormat("'%s' is no machine that is known; write this, a name from `lockbench "
                          "list machines`, or a file ending in .toml",
                          text));
    }
    asked.machine = text == kThisMachine ? "" : text;
    return absl::OkStatus();
  };
}

Take cores_of(const AskedAbout& about, Asked& asked) {
  return [&](const std::string& text) {
    const absl::StatusOr<std::string> cores = parse_cores(text);
    if (!cores.ok()) return cores.status();
    AdviceCase wanted = asked.wanted;
    run_on(*cores, wanted);
    const absl::Status there = check_cores(wanted, about.kinds(asked.machine),
                                           asked.machine.empty() ? "this machine" : asked.machine);
    if (there.ok()) asked.wanted = std::move(wanted);
    return there;
  };
}

Take rate_for(const AskedAbout& about, Asked& asked) {
  return [&](const std::string& text) {
    asked.wanted.rate_per_s.reset();
    if (text == kUnknown) return absl::OkStatus();
    const absl::StatusOr<std::uint64_t> count = parse_count(text, kRateRange);
    if (!count.ok()) return count.status();
    asked.wanted.rate_per_s = *count;
    return asked.machine.empty() ? about.possible(asked.wanted) : absl::OkStatus();
  };
}

Take budget_of(const AskedAbout& about, Asked& asked) {
  return [&](const std::string& text) {
    const absl::StatusOr<Nanoseconds> budget = parse_duration(text);
    if (!budget.ok()) return budget.status();
    asked.budget = *budget;
    return about.affordable(asked.wanted, *budget);
  };
}

std::vector<Ask> questions_for(const AskedAbout& about, Asked& asked) {
  Cell& cell = asked.wanted.cell;
  Question& question = asked.question;
  const auto is = [&asked](std::initializer_list<QuestionKind> kinds) {
    return [&asked, kinds = std::vector(kinds)] {
      return std::find(kinds.begin(), kinds.end(), asked.wanted.kind) != kinds.end();
    };
  };
  const auto has_keys = [&asked] {
    return asked.wanted.kind != QuestionKind::kNested &&
           asked.wanted.kind != QuestionKind::kProcesses;
  };
  const auto shared = [&] {
    return asked.wanted.kind == QuestionKind::kMutex && cell.threads > about.processors &&
           !about.machines.empty();
  };
  const auto may_fail = [&asked] {
    return asked.wanted.kind != QuestionKind::kNested &&
           asked.wanted.kind != QuestionKind::kSeveral;
  };
  return {
      {"What is your question (" + offered_kinds() + ")?", "mutex",
       [&asked](const std::string& text) { return take_kind(asked, text); }},
      {"Which share of the operations only reads?", share_text(kUsualReads),
       part_of<double>(asked, parse_share, question.reads), is({QuestionKind::kReaders})},
      {"How deep does a holder lock again (2 to 5)?", absl::StrCat(kUsualDepth),
       count_of(asked, kNestedRange, question.nested), is({QuestionKind::kNested})},
      {"How many threads may hold a key at once (connections of a shard)?",
       absl::StrCat(kUsualCapacity), count_of(asked, kCapacityRange, question.capacity),
       is({QuestionKind::kCapacity})},
      {"How many threads (or processes) lock?", absl::StrCat(about.processors),
       counted(kThreadRange,
               [&](std::uint64_t n) { cell.threads = static_cast<std::uint32_t>(n); })},
      {absl::StrFormat("They share %d processors here. For which machine is the answer (this: it "
                       "is measured; a name from `lockbench list machines`: it is predicted)?",
                       about.processors),
       kThisMachine, machine_of(about, asked), shared},
      {"On which cores do the threads run (all: the fast ones first, then slower ones; fast: on "
       "these alone)?",
       kAllOfThem, cores_of(about, asked),
       [&about, &asked] { return !about.kinds(asked.machine).empty(); }},
      {"How many keys are there (users, accounts, shards; 1: one resource)?", "1000",
       [&](const std::string& text) {
         const absl::StatusOr<std::uint64_t> count = parse_count(text, kKeyRange);
         if (!count.ok()) return count.status();
         cell.keys = *count;
         return posed(asked);
       },
       has_keys},
      {"How often is each key used (uniform; zipf:0.99: few are used most; hot:0.01,0.9: 1 % of "
       "the keys get 90 % of the operations; own: each thread its own)?",
       "uniform",
       [&](const std::string& text) {
         const absl::StatusOr<KeyDistribution> distribution = parse_key_distribution(text);
         if (!distribution.ok()) return distribution.status();
         cell.key_distribution = *distribution;
         return posed(asked);
       },
       has_keys},
      {"How long is a lock held (0, 200ns, 5us, sleep:1ms)?", "200ns",
       [&](const std::string& text) {
         const absl::StatusOr<Work> hold = parse_work(text);
         if (!hold.ok()) return hold.status();
         cell.hold = *hold;
         return posed(asked);
       }},
      {"How many times per second is a lock taken, by all threads together (64000; unknown: "
       "several loads are compared)?",
       kUnknown, rate_for(about, asked)},
      {"After which time may locking fail (5ms; never)?", kNever,
       time_or(asked, kNever, question.timeout), may_fail},
      {"Up to which p99 wait is it fast enough (100us; any: the fastest is wanted)?", kAny,
       time_or(asked, kAny, question.wait_limit),
       [&asked] { return asked.machine.empty() && !asked.question.timeout; }},
  };
}

}  // namespace

absl::Status ask_case(std::istream& in, std::ostream& out, const AskedAbout& about, Asked& asked) {
  for (const Ask& question : questions_for(about, asked)) {
    if (!question.applies()) continue;
    const absl::Status done = ask(in, out, question.text, question.usual, question.take);
    if (!done.ok()) return done;
  }
  if (asked.machine.empty()) {
    // The usual budget is long enough for most cases, and the answer says what is needed.
    const absl::Status done = ask(in, out, "How long may the measurement take?",
                                  to_text(asked.budget.value_or(usual_budget(asked.wanted.kind))),
                                  budget_of(about, asked));
    if (!done.ok()) return done;
  }
  out << '\n' << std::flush;
  return absl::OkStatus();
}

}  // namespace lockbench
