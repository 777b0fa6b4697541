// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/attach/futex_trace.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <linux/futex.h>
#include <optional>
#include <system_error>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>

namespace lockbench {
namespace {

// The size of the stack, in lines of so many words.
constexpr int kWordsInALine = 12;
constexpr int kLines = 12;

// After its end, what happens is neither reported nor noted, so the waits that last then remain: it
// takes time until the tracepoints are removed. Without an end, the process has ended.
//
// The registers of a thread in a system call are at the top of its kernel stack, below nothing, or
// below the padding of kernels with FRED. Which of the two it is says the number of the call.
constexpr char kProgram[] = R"(BEGIN { printf("begin %llu\n", nsecs); }
tracepoint:syscalls:sys_enter_futex /pid == PROCESS && !@over/ {
  $operation = args->op & 0x7f;
  if ($operation == 0 || $operation == 9 || $operation == 6 || $operation == 13) {
    @since[tid] = nsecs;
    @at[tid] = (uint64)args->uaddr;
    @operation[tid] = $operation;
    @times[(uint64)args->uaddr, tid]++;
    $times = (uint64)@times[(uint64)args->uaddr, tid];
    if ($times <= 4 || $times % 64 == 0) {
      $top = (uint64)curtask->stack + 16384 - sizeof(struct pt_regs);
      if (((struct pt_regs *)$top)->orig_ax != 202) { $top = $top - 16; }
      $registers = (struct pt_regs *)$top;
      if ($registers->orig_ax == 202) {
        printf("stack %d %d %lx %lx %lx %lx\n", tid, $operation, (uint64)args->uaddr,
               $registers->ip, $registers->sp, $registers->bp);
        $from = $registers->sp;
        unroll(LINES) { printf("words %d FORMATS\n", tid, WORDS); $from = $from + BYTES; }
      }
    }
  }
  if ($operation == 1 || $operation == 10 || $operation == 3 || $operation == 4 ||
      $operation == 5 || $operation == 7) {
    @wakes[(uint64)args->uaddr, tid] = count();
  }
}
tracepoint:syscalls:sys_exit_futex /@since[tid] && !@over/ {
  if (args->ret != -11) {
    printf("wait %d %d %lx %llu %llu\n", tid, @operation[tid], @at[tid], @since[tid], nsecs);
  }
  delete(@since[tid]);
  delete(@at[tid]);
  delete(@operation[tid]);
}
tracepoint:syscalls:sys_exit_futex /pid == PROCESS && !@known[tid] && !@over/ {
  @known[tid] = 1;
  printf("left %d %llu\n", tid, nsecs);
}
interval:ms:TIME { if (!@over) { @over = 1; printf("end %llu\n", nsecs); exit(); } }
END {
  if (!@over) { printf("end %llu\n", nsecs); }
  clear(@times);
  clear(@known);
}
)";

// The words of a line, one after the other.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  std::string_view next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
    const std::string_view word = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(word.size());
    return word;
  }
  template <class Number>
  std::optional<Number> number(int base = 10) {
    return read<Number>(next(), base);
  }

  template <class Number>
  static std::optional<Number> read(std::string_view word, int base = 10) {
    Number number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number, base);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return number;
  }

 private:
  std::string_view rest_;
};

// `@name[KEY]: VALUE` or `@name[KEY, KEY]: VALUE`; the first key may be hexadecimal.
struct MapLine {
  std::string_view name;
  std::uint64_t first = 0;
  std::uint32_t second = 0;
  std::uint64_t value = 0;
};

std::optional<std::uint64_t> any_base(std::string_view word) {
  if (word.substr(0, 2) == "0x") return Words::read<std::uint64_t>(word.substr(2), 16);
  return Words::read<std::uint64_t>(word);
}

std::optional<MapLine> map_line(std::string_view line) {
  const std::size_t open = line.find('[');
  const std::size_t close = line.find("]: ");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  const std::string_view keys = line.substr(open + 1, close - open - 1);
  const std::size_t comma = keys.find(", ");
  const auto first = any_base(keys.substr(0, comma));
  const auto second = comma == std::string_view::npos
                          ? std::optional<std::uint32_t>(0)
                          : Words::read<std::uint32_t>(keys.substr(comma + 2));
  const auto value = any_base(line.substr(close + 3));
  if (!first || !second || !value) return std::nullopt;
  return MapLine{.name = line.substr(0, open), .first = *first, .second = *second, .value = *value};
}

class TraceReader {
 public:
  FutexTrace read(std::string_view printed) {
    while (!printed.empty()) {
      const std::size_t end = std::min(printed.find('\n'), printed.size());
      line(printed.substr(0, end));
      printed.remove_prefix(std::min(end + 1, printed.size()));
    }
    for (auto& [thread, open] : trace_.open) open.stack = newest_at(thread, open.address);
    // An open wait has its time and its address in two maps.
    std::erase_if(trace_.open, [](const auto& one) {
      return one.second.begin_ns == 0 || one.second.address == 0;
    });
    return std::move(trace_);
  }

 private:
  void line(std::string_view text) {
    Words words(text);
    const std::string_view what = words.next();
    if (what == "begin") {
      trace_.begin_ns = words.number<std::uint64_t>().value_or(0);
    } else if (what == "end") {
      trace_.end_ns = words.number<std::uint64_t>().value_or(0);
    } else if (what == "wait") {
      wait(words);
    } else if (what == "stack") {
      stack(words);
    } else if (what == "words") {
      stack_words(words);
    } else if (what == "left") {
      left(words);
    } else if (what == "Lost") {
      trace_.lost += words.number<std::uint64_t>().value_or(0);
    } else if (what.substr(0, 1) == "@") {
      map(text);
    }
  }

  void wait(Words words) {
    const auto thread = words.number<std::uint32_t>();
    const auto operation = words.number<std::uint32_t>();
    const auto address = words.number<std::uint64_t>(16);
    const auto begin_ns = words.number<std::uint64_t>();
    const auto end_ns = words.number<std::uint64_t>();
    if (!thread || !operation || !address || !begin_ns || !end_ns || *end_ns < *begin_ns) return;
    trace_.waits.push_back({.thread = *thread,
                            .address = *address,
                            .begin_ns = *begin_ns,
                            .end_ns = *end_ns,
                            .operation = *operation,
                            .stack = newest_at(*thread, *address)});
  }

  void stack(Words words) {
    const auto thread = words.number<std::uint32_t>();
    const auto operation = words.number<std::uint32_t>();
    const auto address = words.number<std::uint64_t>(16);
    const auto instruction = words.number<std::uint64_t>(16);
    const auto stack_pointer = words.number<std::uint64_t>(16);
    const auto frame_pointer = words.number<std::uint64_t>(16);
    if (!thread || !operation || !address || !instruction || !stack_pointer || !frame_pointer)
      return;
    newest_[*thread] = trace_.stacks.size();
    newest_at_[{*thread, *address}] = trace_.stacks.size();
    trace_.stacks.push_back({.thread = *thread,
                             .address = *address,
                             .operation = *operation,
                             .stack = {.instruction = *instruction,
                                       .stack_pointer = *stack_pointer,
                                       .frame_pointer = *frame_pointer,
                                       .words = {}}});
  }

  // They follow the stack of their thread; those of other threads may be between.
  void stack_words(Words words) {
    const auto thread = words.number<std::uint32_t>();
    const auto found = thread ? newest_.find(*thread) : newest_.end();
    if (found == newest_.end()) return;
    std::vector<std::uint64_t>& known = trace_.stacks[found->second].stack.words;
    while (const auto word = words.number<std::uint64_t>(16)) known.push_back(*word);
  }

  std::size_t newest_at(std::uint32_t thread, std::uint64_t address) const {
    const auto found = newest_at_.find({thread, address});
    return found == newest_at_.end() ? FutexWait::kNoStack : found->second;
  }

  void left(Words words) {
    const auto thread = words.number<std::uint32_t>();
    const auto at_ns = words.number<std::uint64_t>();
    if (thread && at_ns) trace_.left_ns.emplace(*thread, *at_ns);
  }

  void map(std::string_view text) {
    const std::optional<MapLine> line = map_line(text);
    if (!line) return;
    const auto thread = static_cast<std::uint32_t>(line->first);
    if (line->name == "@wakes") trace_.wakes[{line->first, line->second}] += line->value;
    if (line->name == "@since") trace_.open[thread].begin_ns = line->value;
    if (line->name == "@at") trace_.open[thread].address = line->value;
    if (line->name == "@operation") {
      trace_.open[thread].operation = static_cast<std::uint32_t>(line->value);
    }
  }

  FutexTrace trace_;
  std::map<std::uint32_t, std::size_t> newest_;  // stack, by thread
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> newest_at_;
};

}  // namespace

bool is_futex_wait(std::uint32_t operation) {
  return operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET || operation == FUTEX_LOCK_PI ||
         operation == 13;  // FUTEX_LOCK_PI2, of new kernels
}

std::string futex_trace_program(std::uint32_t process, std::chrono::milliseconds time) {
  std::string formats;
  std::string words;
  for (int i = 0; i < kWordsInALine; ++i) {
    absl::StrAppend(&formats, i == 0 ? "" : " ", "%lx");
    absl::StrAppend(&words, i == 0 ? "" : ", ", "*(uint64 *)uptr($from + ", 8 * i, ")");
  }
  return absl::StrReplaceAll(kProgram, {{"PROCESS", absl::StrCat(process)},
                                        {"TIME", absl::StrCat(time.count())},
                                        {"LINES", absl::StrCat(kLines)},
                                        {"BYTES", absl::StrCat(8 * kWordsInALine)},
                                        {"FORMATS", formats},
                                        {"WORDS", words}});
}

FutexTrace read_futex_trace(std::string_view printed) {
  return TraceReader().read(printed);
}

}  // namespace lockbench
