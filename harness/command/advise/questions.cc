// SPDX-License-Identifier: Apache-2.0

#include "harness/command/advise/questions.h"

#include <functional>

#include <absl/strings/str_cat.h>

#include "harness/plan/quantity.h"
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

struct Question {
  std::string text;
  std::string usual;
  Take take;
};

}  // namespace

absl::StatusOr<AdviceCase> ask_case(std::istream& in, std::ostream& out, std::uint32_t threads) {
  AdviceCase wanted;
  Cell& cell = wanted.cell;
  bool may_fail = false;
  const std::vector<Question> questions{
      {"How many threads lock?", absl::StrCat(threads),
       counted(kThreadRange,
               [&](std::uint64_t n) { cell.threads = static_cast<std::uint32_t>(n); })},
      {"How many keys are there (users, accounts, shards; 1: one resource)?", "1000",
       counted(kKeyRange, [&](std::uint64_t n) { cell.keys = n; })},
      {"How often is each key used (uniform; zipf:0.99: few are used most; own: each thread its "
       "own)?",
       "uniform",
       parsed<KeyDistribution>(parse_key_distribution,
                               [&](const KeyDistribution& d) { cell.key_distribution = d; })},
      {"How long is a lock held (0, 200ns, 5us, sleep:1ms)?", "200ns",
       parsed<Work>(parse_work, [&](const Work& work) { cell.hold = work; })},
      {"Must a thread that holds a lock be able to lock it again (y, n)?", "n",
       yes_or_no(wanted.reentrant)},
      {"May locking fail after a time (y, n)?", "n", yes_or_no(may_fail)},
  };
  for (const Question& question : questions) {
    const absl::Status asked = ask(in, out, question.text, question.usual, question.take);
    if (!asked.ok()) return asked;
  }
  if (may_fail) cell.timeout = kGivesUpAfter;
  if (wanted.reentrant) {
    cell.workload = {.name = "nested", .scenario = "reentrant_lock_unlock"};
    cell.keys = 1;
  }
  out << '\n' << std::flush;
  return wanted;
}

}  // namespace lockbench
