// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/litmus/program.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include "harness/stress/litmus/keys.h"

namespace lockbench::stress {
namespace {

bool has_key(Act::Kind kind) {
  return !releases(kind) && kind != Act::kSleep;
}

std::string to_text(const Act& act) {
  std::string text(1, static_cast<char>(act.kind));
  if (has_key(act.kind)) absl::StrAppend(&text, act.key);
  if (act.kind == Act::kLockBoth) absl::StrAppend(&text, "+", act.other);
  if (act.kind == Act::kTryLockFor) absl::StrAppend(&text, ":", act.ns);
  if (act.kind == Act::kSleep) absl::StrAppend(&text, act.ns);
  return text;
}

// Reads a number from the front of `text` and removes it.
template <class Number>
bool read_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

// Reads `K16`, `C254` or `D254`. These come before all acts.
bool read_heading(std::string_view word, LitmusProgram& program) {
  const char what = word.front();
  std::uint32_t number = 0;
  word.remove_prefix(1);
  if (!read_number(word, number) || !word.empty()) return false;
  switch (what) {
    case 'K':
      program.key_set = number;
      return is_key_set(number);
    case 'C':
      program.warm_up = number;
      return number <= kMostWarmUp;
    case 'D':
      program.refusals = number;
      return number <= kMostWarmUp;
    default:
      return false;
  }
}

bool read_sign(std::string_view& text, char sign) {
  if (text.empty() || text.front() != sign) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<Act> act_from(std::string_view text) {
  if (text.empty() || std::string_view("LTWBUERAFX").find(text.front()) == std::string_view::npos) {
    return std::nullopt;
  }
  Act act{.kind = static_cast<Act::Kind>(text.front())};
  text.remove_prefix(1);
  if (has_key(act.kind) && !read_number(text, act.key)) return std::nullopt;
  if (act.kind == Act::kLockBoth && !(read_sign(text, '+') && read_number(text, act.other))) {
    return std::nullopt;
  }
  if (act.kind == Act::kTryLockFor && !(read_sign(text, ':') && read_number(text, act.ns))) {
    return std::nullopt;
  }
  if (act.kind == Act::kSleep && !read_number(text, act.ns)) return std::nullopt;
  if (!text.empty() || act.ns < 0) return std::nullopt;
  return act;
}

// What is wrong with the acts that wait for the end of a thread; null if nothing is.
const char* await_error(const LitmusProgram& program, std::size_t thread) {
  for (const Act& act : program.threads[thread]) {
    if (act.kind != Act::kAwaitEnd) continue;
    if (act.key >= program.threads.size()) return "waits for a thread that does not exist";
    if (act.key == thread) return "waits for its own end";
  }
  return nullptr;
}

// What is wrong with the acts of kind kLeaveForGood; null if nothing is.
const char* leaving_error(const LitmusProgram& program, std::size_t thread) {
  if (!program.has(Act::kLeaveForGood)) return nullptr;
  const std::vector<Act>& acts = program.threads[thread];
  if (acts.empty() || acts.back().kind != Act::kLeaveForGood) {
    return "does not leave for good, as another thread does; let its last act be X0";
  }
  const auto others = std::count_if(acts.begin(), acts.end(),
                                    [](const Act& act) { return act.kind == Act::kLeaveForGood; });
  if (others > 1) return "leaves for good more than once; X is the last act of a thread";
  return acts.back().key == program.threads[0].back().key
             ? nullptr
             : "leaves another key than the first thread does; let all say X0";
}

}  // namespace

std::string name_of_keys(const Act& act) {
  if (act.kind == Act::kLockBoth) return absl::StrCat("keys ", act.key, " and ", act.other);
  return absl::StrCat("key ", act.key);
}

bool acquires(Act::Kind kind) {
  return kind == Act::kLock || kind == Act::kTryLock || kind == Act::kTryLockFor ||
         kind == Act::kLockBoth;
}

bool releases(Act::Kind kind) {
  return kind == Act::kUnlock || kind == Act::kUnlockThrowing;
}

std::uint32_t LitmusProgram::keys() const {
  std::uint32_t highest = 0;
  for (const auto& acts : threads) {
    for (const Act& act : acts) {
      if (act.kind != Act::kAwaitEnd) highest = std::max({highest, act.key, act.other});
    }
  }
  return highest + 1;
}

bool LitmusProgram::has(Act::Kind kind) const {
  return std::any_of(threads.begin(), threads.end(), [kind](const auto& acts) {
    return std::any_of(acts.begin(), acts.end(),
                       [kind](const Act& act) { return act.kind == kind; });
  });
}

std::string to_text(const LitmusProgram& program) {
  std::string text;
  if (program.key_set != 0) absl::StrAppend(&text, "K", program.key_set, " ");
  if (program.warm_up != 0) absl::StrAppend(&text, "C", program.warm_up, " ");
  if (program.refusals != 0) absl::StrAppend(&text, "D", program.refusals, " ");
  for (std::size_t i = 0; i < program.threads.size(); ++i) {
    if (i != 0) text += "| ";
    for (const Act& act : program.threads[i]) text += to_text(act) + " ";
  }
  if (!text.empty()) text.pop_back();
  return text;
}

std::size_t end_of_hold(const std::vector<Act>& acts, std::size_t position) {
  int open = 0;
  for (; position < acts.size(); ++position) {
    if (acquires(acts[position].kind)) ++open;
    if (releases(acts[position].kind) && --open == 0) break;
  }
  return position;
}

absl::StatusOr<LitmusProgram> program_from(std::string_view text, std::size_t most_threads) {
  LitmusProgram program{.threads = {{}}};
  int open = 0;
  const auto wrong = [&](std::string_view word, const std::string& what) {
    return absl::InvalidArgumentError(absl::StrCat("program, thread ", program.threads.size() - 1,
                                                   ", `", std::string(word), "`: ", what));
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (word == "|") {
      if (open != 0) return wrong(word, "the thread ends before it unlocks everything; add U");
      program.threads.emplace_back();
      continue;
    }
    const bool first = program.threads.size() == 1 && program.threads[0].empty();
    if (first && read_heading(word, program)) continue;
    const std::optional<Act> act = act_from(word);
    if (!act)
      return wrong(
          word,
          "not an act; acts are L0 T0 W0:2000000 B0+1 U R500 A1, and first of all K16 C254 D254");
    if (std::max(act->key, act->other) > kHighestKey) {
      return wrong(word, absl::StrCat("the highest key is ", kHighestKey));
    }
    open += acquires(act->kind) ? 1 : releases(act->kind) ? -1 : 0;
    if (open < 0) return wrong(word, "unlocks what was not locked; remove it");
    program.threads.back().push_back(*act);
  }
  if (open != 0) return wrong("", "the thread ends before it unlocks everything; add U");
  if (program.threads.size() > most_threads) {
    return absl::InvalidArgumentError(absl::StrCat("program: ", program.threads.size(),
                                                   " threads; at most ", most_threads,
                                                   " can be simulated"));
  }
  for (std::size_t i = 0; i < program.threads.size(); ++i) {
    if (const char* const error = leaving_error(program, i)) {
      return absl::InvalidArgumentError(absl::StrCat("program, thread ", i, ": ", error));
    }
    const char* const error = await_error(program, i);
    if (error == nullptr) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("program, thread ", i, ": ", error,
                     "; A takes the number of another thread, and the first is 0"));
  }
  return program;
}

}  // namespace lockbench::stress
