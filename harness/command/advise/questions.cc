// SPDX-License-Identifier: Apache-2.0

#include "harness/command/advise/questions.h"

#include <algorithm>
#include <functional>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/base/quantity.h"
#include "harness/plan/spelling.h"
#include "harness/plan/sweep_fields.h"

namespace lockbench {
namespace {

// The timeout in the measured workload if an acquisition may fail.
constexpr Nanoseconds kGivesUpAfter = std::chrono::milliseconds(10);

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

template <class T>
Take parsed(absl::StatusOr<T> (*parse)(std::string_view), std::function<void(const T&)> use) {
  return [parse, use = std::move(use)](const std::string& text) {
    const absl::StatusOr<T> value = parse(text);
    if (value.ok()) use(*value);
    return value.status();
  };
}

Take counted(CountRange range, std::function<void(std::uint64_t)> use) {
  return [range, use = std::move(use)](const std::string& text) {
    const absl::StatusOr<std::uint64_t> count = parse_count(text, range);
    if (count.ok()) use(*count);
    return count.status();
  };
}

Take yes_or_no(bool& answer) {
  return [&answer](const std::string& text) {
    if (text != "y" && text != "n") return absl::InvalidArgumentError("answer y or n");
    answer = text == "y";
    return absl::OkStatus();
  };
}

constexpr char kThisMachine[] = "this";
constexpr char kUnknown[] = "unknown";

struct Question {
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

std::vector<Question> questions_for(const AskedAbout& about, Asked& asked, bool& may_fail) {
  Cell& cell = asked.wanted.cell;
  const auto shared = [&] { return cell.threads > about.processors && !about.machines.empty(); };
  return {
      {"How many threads lock?", absl::StrCat(about.processors),
       counted(kThreadRange,
               [&](std::uint64_t n) { cell.threads = static_cast<std::uint32_t>(n); })},
      {absl::StrFormat("They share %d processors here. For which machine is the answer (this: it "
                       "is measured; a name from `lockbench list machines`: it is predicted)?",
                       about.processors),
       kThisMachine, machine_of(about, asked), shared},
      {"How many keys are there (users, accounts, shards; 1: one resource)?", "1000",
       counted(kKeyRange, [&](std::uint64_t n) { cell.keys = n; })},
      {"How often is each key used (uniform; zipf:0.99: few are used most; hot:0.01,0.9: 1 % of "
       "the keys get 90 % of the operations; own: each thread its own)?",
       "uniform",
       parsed<KeyDistribution>(parse_key_distribution,
                               [&](const KeyDistribution& d) { cell.key_distribution = d; })},
      {"How long is a lock held (0, 200ns, 5us, sleep:1ms)?", "200ns",
       parsed<Work>(parse_work, [&](const Work& work) { cell.hold = work; })},
      {"Must a thread that holds a lock be able to lock it again (y, n)?", "n",
       yes_or_no(asked.wanted.reentrant)},
      {"How many times per second is a lock taken, by all threads together (64000; unknown: "
       "several loads are compared)?",
       kUnknown, rate_for(about, asked), [&] { return !asked.wanted.reentrant; }},
      {"May locking fail after a time (y, n)?", "n", yes_or_no(may_fail)},
  };
}

}  // namespace

absl::Status ask_case(std::istream& in, std::ostream& out, const AskedAbout& about, Asked& asked) {
  bool may_fail = false;
  for (const Question& question : questions_for(about, asked, may_fail)) {
    if (!question.applies()) continue;
    const absl::Status done = ask(in, out, question.text, question.usual, question.take);
    if (!done.ok()) return done;
  }
  Cell& cell = asked.wanted.cell;
  if (may_fail) cell.timeout = kGivesUpAfter;
  if (asked.wanted.reentrant) {
    cell.workload = {.name = "nested", .scenario = "reentrant_lock_unlock"};
    cell.keys = 1;
  }
  if (asked.machine.empty()) {
    // The usual budget is long enough for most cases, and the answer says what is needed.
    const absl::Status done = ask(in, out, "How long may the measurement take?",
                                  to_text(asked.budget), budget_of(about, asked));
    if (!done.ok()) return done;
  }
  out << '\n' << std::flush;
  return absl::OkStatus();
}

}  // namespace lockbench
