// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/engine_program.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include "harness/base/exit_code.h"
#include "harness/stress/litmus/demand.h"
#include "harness/stress/litmus/generate.h"
#include "harness/stress/litmus/program.h"

namespace lockbench::stress {
namespace {

constexpr std::size_t kMostThreadsOfAnEngine = 255;

int complain(const absl::Status& status) {
  std::cerr << "lockbench: " << std::string(status.message()) << "\n";
  return absl::IsInvalidArgument(status) || absl::IsNotFound(status) ? kBadInput : kCouldNotFinish;
}

const RegisteredLock* find(std::span<const RegisteredLock> entry, std::string_view name) {
  const auto found = std::find_if(entry.begin(), entry.end(),
                                  [&](const RegisteredLock& line) { return line.name == name; });
  return found == entry.end() ? nullptr : &*found;
}

// Reads `capacity=3,lease_ms=300`.
absl::StatusOr<std::map<std::string, std::uint64_t>> numbers_from(const std::string& text,
                                                                  const RegisteredLock& lock) {
  std::map<std::string, std::uint64_t> given;
  const std::vector<std::string> pieces = absl::StrSplit(text, ',');
  for (const std::string& piece : pieces) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(piece, absl::MaxSplits('=', 1));
    const auto number = std::find_if(lock.numbers.begin(), lock.numbers.end(),
                                     [&](const LockNumber& n) { return n.name == parts.first; });
    if (number == lock.numbers.end()) {
      const auto name_of_number = [](std::string* out, const LockNumber& n) { *out += n.name; };
      return absl::InvalidArgumentError(
          absl::StrCat("lock '", lock.name, "' has no parameter '", parts.first, "'; it has ",
                       absl::StrJoin(lock.numbers, ", ", name_of_number)));
    }
    std::uint64_t value = 0;
    if (!absl::SimpleAtoi(parts.second, &value) || value < number->least || value > number->most) {
      return absl::InvalidArgumentError(absl::StrCat("lock '", lock.name, "': ", piece,
                                                     "; it is a whole number from ", number->least,
                                                     " to ", number->most));
    }
    if (!given.emplace(number->name, value).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("lock '", lock.name, "': ", number->name, " is given twice; give it once"));
    }
  }
  return given;
}

// The lock of the order, which may name numbers: `redis:lease_ms=300`.
absl::StatusOr<RegisteredLock> lock_named(std::span<const RegisteredLock> entry,
                                          const std::string& name) {
  if (const RegisteredLock* const whole = find(entry, name)) return *whole;
  const RegisteredLock* plain = nullptr;
  for (const RegisteredLock& lock : entry) {
    if (!lock.with_numbers || numbers_of(lock.name, name).empty()) continue;
    if (plain == nullptr || plain->name.size() < lock.name.size()) plain = &lock;
  }
  if (plain == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("`", name, "` is none of this engine's locks; `list` names them"));
  }
  const auto given = numbers_from(std::string(numbers_of(plain->name, name)), *plain);
  if (!given.ok()) return given.status();
  RegisteredLock lock = plain->with_numbers(*given);
  lock.name = name;
  return lock;
}

// Checks the programs that come from a plug-in before they are used.
absl::Status check_programs(const RegisteredLock& lock) {
  for (const std::string& text : lock.programs) {
    const absl::Status sound = program_for(lock.abilities, text).status();
    if (sound.ok()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "`", lock.name, "` brings a program of its own: ", std::string(sound.message())));
  }
  return absl::OkStatus();
}

// OK if the lock has what the program asks that the user named. Whether that is a program at all is
// for the engine to say.
absl::Status check_program(const RegisteredLock& lock, const std::string& text) {
  const absl::StatusOr<LitmusProgram> program = program_from(text, kMostThreadsOfAnEngine);
  const std::string misfit = program.ok() ? misfit_of(*program, lock.abilities) : "";
  if (misfit.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("program `", text, "`, of `", lock.name, "`: ", misfit));
}

std::string listing(const RegisteredLock& line) {
  const std::string oracles =
      absl::StrJoin(line.expected_oracles, ",",
                    [](std::string* out, Oracle oracle) { out->append(name_of(oracle)); });
  return absl::StrCat(line.name, "\t", line.summary, "\t", oracles, "\t", line.unseen, "\t",
                      line.with_numbers ? "numbers" : "");
}

}  // namespace

int run_engine_program(std::span<const char* const> words, std::span<const RegisteredLock> entry,
                       const Engine& test_lock, const Engine& check_net) {
  if (words.size() == 2 && std::string_view(words[1]) == "list") {
    for (const RegisteredLock& line : entry) std::cout << listing(line) << "\n";
    return 0;
  }
  if (words.size() != 1) {
    return complain(absl::InvalidArgumentError("an engine takes `list`, or nothing and an order"));
  }
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const absl::StatusOr<Order> order = order_from_json(text);
  if (!order.ok()) return complain(order.status());
  const absl::StatusOr<RegisteredLock> lock = lock_named(entry, order->lock);
  if (!lock.ok()) return complain(lock.status());
  if (const absl::Status sound = check_programs(*lock); !sound.ok()) return complain(sound);
  if (const absl::Status sound = check_program(*lock, order->program); !sound.ok()) {
    return complain(sound);
  }
  const Engine& engine = order->net.empty() ? test_lock : check_net;
  if (!engine) {
    return complain(
        absl::InvalidArgumentError("net: this engine, as it is built here, has no check of a lock "
                                   "against a net; leave the net out, or name another engine"));
  }
  const auto report_progress = [](const std::string& said) {
    std::cout << " " << said << std::endl;
  };
  absl::StatusOr<Report> report = engine(*lock, *order, report_progress);
  if (!report.ok()) return complain(report.status());
  if (const LockLimits& limits = lock->abilities.limits; limits.any()) {
    report->remarks.push_back(
        absl::StrCat("within what the lock promises to have room for: ", to_text(limits)));
  }
  std::cout << to_json(*report) << std::endl;
  return 0;
}

}  // namespace lockbench::stress
