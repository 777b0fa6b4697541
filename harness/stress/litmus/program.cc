// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/litmus/program.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "harness/stress/litmus/keys.h"
#include "harness/stress/litmus/program_file.h"

namespace lockbench::stress {
namespace {

bool has_key(Act::Kind kind) {
  return !releases(kind) && kind != Act::kSleep && kind != Act::kMakeAgain;
}

std::string to_text(const Act& act) {
  std::string text(1, static_cast<char>(act.kind));
  if (has_key(act.kind)) absl::StrAppend(&text, act.key);
  if (names_two_keys(act.kind)) absl::StrAppend(&text, "+", act.other);
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

// Reads `K16`, `C254` or another setting. These come before all acts.
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
    case 'N':
      program.other_keys = number;
      return number <= kMostWarmUp;
    case 'H':
      program.nest = number;
      return number <= kMostWarmUp;
    case 'M':
      program.repeats = number;
      return number <= kMostWarmUp;
    case 'V':
      program.spread = number;
      return number <= kMostSpread;
    case 'P':
      program.polls = number;
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
  if (text.empty() ||
      std::string_view("LTWBQUERAFXZ").find(text.front()) == std::string_view::npos) {
    return std::nullopt;
  }
  Act act{.kind = static_cast<Act::Kind>(text.front())};
  text.remove_prefix(1);
  if (has_key(act.kind) && !read_number(text, act.key)) return std::nullopt;
  if (names_two_keys(act.kind) && !(read_sign(text, '+') && read_number(text, act.other))) {
    return std::nullopt;
  }
  if (act.kind == Act::kTryLockFor && !(read_sign(text, ':') && read_number(text, act.ns))) {
    return std::nullopt;
  }
  if (act.kind == Act::kSleep && !read_number(text, act.ns)) return std::nullopt;
  // A timeout that is over already is an ordinary argument of try_lock_for().
  if (!text.empty() || (act.kind == Act::kSleep && act.ns < 0)) return std::nullopt;
  return act;
}

// The error in acts that cannot be repeated; null if there is none.
const char* repeating_error(const LitmusProgram& program, std::size_t thread) {
  if (program.repeats == 0) return nullptr;
  for (const Act& act : program.threads[thread]) {
    if (act.kind == Act::kAwaitEnd || act.kind == Act::kLeaveForGood) {
      return "has an A or an X, which happens once; leave out M";
    }
  }
  return nullptr;
}

// The error in the acts at which the lock is made again; null if there is none.
const char* making_error(const LitmusProgram& program, std::size_t thread) {
  if (!program.has(Act::kMakeAgain)) return nullptr;
  if (program.has(Act::kAwaitEnd) || program.has(Act::kLeaveForGood)) {
    return "all threads meet at a Z, so that none may await the end of another or leave for good; "
           "leave out A and X";
  }
  const auto meetings = [](const std::vector<Act>& acts) {
    return std::count_if(acts.begin(), acts.end(),
                         [](const Act& act) { return act.kind == Act::kMakeAgain; });
  };
  if (meetings(program.threads[thread]) != meetings(program.threads[0])) {
    return "has another number of Z than thread 0; all threads meet at each";
  }
  int open = 0;
  for (const Act& act : program.threads[thread]) {
    open += acquires(act.kind) ? 1 : releases(act.kind) ? -1 : 0;
    if (act.kind == Act::kMakeAgain && open != 0) {
      return "has a Z while it holds a key; let the U come before it";
    }
  }
  return nullptr;
}

// The error in the acts that wait for the end of a thread; null if there is none.
const char* await_error(const LitmusProgram& program, std::size_t thread) {
  for (const Act& act : program.threads[thread]) {
    if (act.kind != Act::kAwaitEnd) continue;
    if (act.key >= program.threads.size()) return "waits for a thread that does not exist";
    if (act.key == thread) return "waits for its own end";
  }
  return nullptr;
}

// The error in the acts of kind kLeaveForGood; null if there is none.
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
  if (names_two_keys(act.kind)) return absl::StrCat("keys ", act.key, " and ", act.other);
  return absl::StrCat("key ", act.key);
}

bool acquires(Act::Kind kind) {
  return kind == Act::kLock || kind == Act::kLockBoth || tries(kind);
}

bool tries(Act::Kind kind) {
  return kind == Act::kTryLock || kind == Act::kTryLockFor || kind == Act::kTryBoth;
}

bool names_two_keys(Act::Kind kind) {
  return kind == Act::kLockBoth || kind == Act::kTryBoth;
}

bool releases(Act::Kind kind) {
  return kind == Act::kUnlock || kind == Act::kUnlockThrowing;
}

std::uint32_t LitmusProgram::keys() const {
  return std::max(named_keys(), spread);
}

std::uint32_t LitmusProgram::named_keys() const {
  std::uint32_t highest = 0;
  for (const auto& acts : threads) {
    for (const Act& act : acts) {
      if (act.kind != Act::kAwaitEnd) highest = std::max({highest, act.key, act.other});
    }
  }
  return highest + 1;
}

std::uint64_t LitmusProgram::acts() const {
  std::uint64_t once = 0;
  for (const std::vector<Act>& thread : threads) once += thread.size();
  return once * passes();
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
  if (program.other_keys != 0) absl::StrAppend(&text, "N", program.other_keys, " ");
  if (program.nest != 0) absl::StrAppend(&text, "H", program.nest, " ");
  if (program.repeats != 0) absl::StrAppend(&text, "M", program.repeats, " ");
  if (program.spread != 0) absl::StrAppend(&text, "V", program.spread, " ");
  if (program.polls != 0) absl::StrAppend(&text, "P", program.polls, " ");
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

namespace internal {
namespace {

// Reads a program word by word and knows where each thread begins.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  // Returns what is wrong with a word or with the program; empty if nothing is.
  std::string read(std::size_t most_threads) {
    for (std::string_view word = next(); !word.empty(); word = next()) {
      const std::string error = word == "|" ? end_thread() : add(word);
      if (!error.empty()) return of_word(word, error);
    }
    if (!open_.empty()) {
      end_ = open_.back();
      return of_word(next(), kStillOpen);
    }
    if (program_.threads.size() > most_threads) {
      at_ = begins_[most_threads];
      return absl::StrCat(program_.threads.size(), " threads; at most ", most_threads,
                          " can be simulated");
    }
    return whole_program_error();
  }

  std::size_t at() const { return at_; }
  LitmusProgram take() { return std::move(program_); }

 private:
  static constexpr char kStillOpen[] = "the thread ends before it unlocks everything; add U";
  static constexpr std::size_t kMostShown = 40;

  // The next word, whose position becomes at_. Empty at the end.
  std::string_view next() {
    at_ = std::min(text_.find_first_not_of(' ', end_), text_.size());
    end_ = std::min(text_.find(' ', at_), text_.size());
    return text_.substr(at_, end_ - at_);
  }

  std::string end_thread() {
    if (!open_.empty()) return kStillOpen;
    program_.threads.emplace_back();
    begins_.push_back(at_);
    return {};
  }

  std::string add(std::string_view word) {
    const bool first = program_.threads.size() == 1 && program_.threads[0].empty();
    if (first && read_heading(word, program_)) return {};
    const std::optional<Act> act = act_from(word);
    if (!act && first && word.front() == 'K') {
      return absl::StrCat("not a key set; K is followed by one of ", absl::StrJoin(kKeySets, ", "));
    }
    std::string_view number = word.substr(1);
    std::uint64_t ignored = 0;
    if (!act && first && std::string_view("CDNMVP").find(word.front()) != std::string_view::npos &&
        read_number(number, ignored) && number.empty()) {
      return absl::StrCat("the number after C, D, N, M or P is at most ", kMostWarmUp,
                          ", and after V ", kMostSpread);
    }
    if (!act) {
      return "not an act; acts are L0 T0 W0:2000000 B0+1 Q0+1 U R500 A1 Z, and first of all K16 "
             "C254 D254 N72 M200 V64 P900";
    }
    if (std::max(act->key, act->other) > kHighestKey) {
      return absl::StrCat("the highest key is ", kHighestKey);
    }
    if (acquires(act->kind)) open_.push_back(at_);
    if (releases(act->kind)) {
      if (open_.empty()) return "unlocks what was not locked; remove it";
      open_.pop_back();
    }
    program_.threads.back().push_back(*act);
    return {};
  }

  std::string whole_program_error() {
    for (std::size_t i = 0; i < program_.threads.size(); ++i) {
      at_ = begins_[i];
      for (const auto wrong : {leaving_error, making_error, repeating_error}) {
        const char* const error = wrong(program_, i);
        if (error != nullptr) return absl::StrCat("thread ", i, ": ", error);
      }
      const char* const error = await_error(program_, i);
      if (error == nullptr) continue;
      return absl::StrCat("thread ", i, ": ", error,
                          "; A takes the number of another thread, and the first is 0");
    }
    return {};
  }

  std::string of_word(std::string_view word, const std::string& error) const {
    return absl::StrCat("thread ", program_.threads.size() - 1, ", `",
                        std::string(word.substr(0, kMostShown)), "`: ", error);
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  LitmusProgram program_{.threads = {{}}};
  std::vector<std::size_t> open_;          // positions of acquisitions that have no U yet
  std::vector<std::size_t> begins_ = {0};  // positions of the threads
};

}  // namespace

absl::StatusOr<LitmusProgram> program_at(std::string_view text, std::size_t most_threads,
                                         std::size_t& wrong_at) {
  Reader reader(text);
  const std::string error = reader.read(most_threads);
  wrong_at = reader.at();
  if (!error.empty()) return absl::InvalidArgumentError(error);
  return reader.take();
}

}  // namespace internal

absl::StatusOr<LitmusProgram> program_from(std::string_view text, std::size_t most_threads) {
  std::size_t wrong_at = 0;
  absl::StatusOr<LitmusProgram> program = internal::program_at(text, most_threads, wrong_at);
  if (program.ok()) return program;
  const std::string error(program.status().message());
  const char* const separator = error.starts_with("thread") ? ", " : ": ";
  return absl::InvalidArgumentError(absl::StrCat("program", separator, error));
}

}  // namespace lockbench::stress
