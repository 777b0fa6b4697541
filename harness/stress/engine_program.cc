// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/engine_program.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "harness/stress/litmus/demand.h"
#include "harness/stress/litmus/generate.h"
#include "harness/stress/litmus/program.h"
#include "harness/terminal/exit_code.h"

namespace lockbench::stress {
namespace {

constexpr std::size_t kMostThreadsOfAnEngine = 255;

int complain(const absl::Status& status) {
  std::cerr << "lockbench: " << std::string(status.message()) << "\n";
  return absl::IsInvalidArgument(status) || absl::IsNotFound(status) ? kBadInput : kCouldNotFinish;
}

absl::StatusOr<const RegisteredLock*> find(std::span<const RegisteredLock> entry,
                                           const std::string& name) {
  const auto found = std::find_if(entry.begin(), entry.end(),
                                  [&](const RegisteredLock& line) { return line.name == name; });
  if (found != entry.end()) return &*found;
  return absl::NotFoundError(
      absl::StrCat("`", name, "` is none of this engine's locks; `list` names them"));
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

// Whether the lock has room for the program that the user named. Whether that is a program at all
// is for the engine to say.
absl::Status check_room(const RegisteredLock& lock, const std::string& text) {
  const absl::StatusOr<LitmusProgram> program = program_from(text, kMostThreadsOfAnEngine);
  const std::string excess = program.ok() ? excess_of(*program, lock.abilities) : "";
  if (excess.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("program: `", text, "` ", excess));
}

std::string listing(const RegisteredLock& line) {
  const std::string oracles =
      absl::StrJoin(line.expected_oracles, ",",
                    [](std::string* out, Oracle oracle) { out->append(name_of(oracle)); });
  return absl::StrCat(line.name, "\t", line.summary, "\t", oracles, "\t", line.unseen);
}

}  // namespace

int run_engine_program(std::span<const char* const> words, std::span<const RegisteredLock> entry,
                       const Engine& engine) {
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
  const absl::StatusOr<const RegisteredLock*> lock = find(entry, order->lock);
  if (!lock.ok()) return complain(lock.status());
  if (const absl::Status sound = check_programs(**lock); !sound.ok()) return complain(sound);
  if (const absl::Status sound = check_room(**lock, order->program); !sound.ok()) {
    return complain(sound);
  }
  const auto report_progress = [](const std::string& said) {
    std::cout << " " << said << std::endl;
  };
  absl::StatusOr<Report> report = engine(**lock, *order, report_progress);
  if (!report.ok()) return complain(report.status());
  if (const LockLimits& limits = (*lock)->abilities.limits; limits.any()) {
    report->remarks.push_back(
        absl::StrCat("within what the lock promises to have room for: ", to_text(limits)));
  }
  std::cout << to_json(*report) << std::endl;
  return 0;
}

}  // namespace lockbench::stress
