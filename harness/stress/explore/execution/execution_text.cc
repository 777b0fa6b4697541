// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/execution/execution_text.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include "harness/stress/explore/memory/order_sites.h"
#include "harness/stress/trace/trace_text.h"
#include "harness/symbols/function_names.h"

namespace lockbench::stress::explore {
namespace {

bool acquires(std::memory_order order) {
  return order != std::memory_order_relaxed && order != std::memory_order_release;
}

bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

// Formats small numbers as decimal and others as hexadecimal, since they are bits or addresses.
std::string value(std::uint64_t bits, unsigned bytes) {
  constexpr std::uint64_t kSmall = 100'000;
  const std::uint64_t all = bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
  if (bits <= kSmall) return absl::StrCat(bits);
  if (all - bits < kSmall) return absl::StrCat("-", all - bits + 1);
  return absl::StrFormat("0x%x", bits);
}

// One fixed word for each kind. It stays the same if the wording of the texts changes.
const char* act_of(Access::Kind kind) {
  switch (kind) {
    case Access::kLoad:
      return "load";
    case Access::kStore:
      return "store";
    case Access::kBufferedStore:
      return "buffered_store";
    case Access::kFlush:
      return "flush";
    case Access::kUpdate:
      return "update";
    case Access::kCompared:
      return "compare";
    case Access::kFence:
    case Access::kFenceAll:
      return "fence";
    case Access::kSleep:
      return "sleep";
    case Access::kAwake:
      return "no_sleep";
    case Access::kWake:
      return "wake";
    case Access::kWoken:
      return "woken";
    case Access::kTimedOut:
      return "timed_out";
    case Access::kInterrupted:
      return "interrupted";
    case Access::kFree:
      return "free";
    case Access::kGone:
      return "gone";
    case Access::kProcessor:
      return "processor";
    case Access::kPlain:
      break;
  }
  return "use";
}

// True if other threads can see another value after it.
bool changes(const Access& access) {
  const bool is_write = access.kind == Access::kStore || access.kind == Access::kUpdate ||
                        access.kind == Access::kFlush;
  return is_write && access.was != access.now;
}

std::uint64_t value_read(const Access& access) {
  return access.kind == Access::kCompared ? access.was : access.now;
}

bool ends_sleep(Access::Kind kind) {
  return kind == Access::kWoken || kind == Access::kTimedOut || kind == Access::kInterrupted;
}

bool has_order(Access::Kind kind) {
  return kind == Access::kLoad || kind == Access::kStore || kind == Access::kBufferedStore ||
         kind == Access::kUpdate || kind == Access::kCompared || kind == Access::kFence;
}

bool sleeps_or_wakes(Access::Kind kind) {
  return kind == Access::kSleep || kind == Access::kAwake || kind == Access::kWake ||
         kind == Access::kWoken || kind == Access::kTimedOut || kind == Access::kInterrupted;
}

// Thread 0 of the world starts the threads of the program.
std::int32_t program_thread(std::uint32_t of_world) {
  return of_world == 0 ? kMainThread : static_cast<std::int32_t>(of_world) - 1;
}

std::string thread_name(std::uint32_t of_world) {
  return of_world == 0 ? std::string("the main thread") : absl::StrCat("thread ", of_world - 1);
}

// The position of the last event of this kind and thread; absent if there is none.
std::optional<std::size_t> last_event(const std::vector<TimedEvent>& events, Event::Kind kind,
                                      std::uint32_t thread) {
  for (std::size_t i = events.size(); i-- > 0;) {
    if (events[i].event.kind == kind && events[i].event.thread == thread) return i;
  }
  return std::nullopt;
}

}  // namespace

// ---- names

std::string ExecutionText::line_of(const CallStack& stack) {
  return lines_.line_in(stack);
}

std::string ExecutionText::line_of(const Access& access) {
  // A write leaves its store buffer while its thread is anywhere. It has the line of the write.
  if (access.kind == Access::kFlush) {
    const Access* const write = write_of(access);
    return write == nullptr ? "" : line_of(write->stack);
  }
  // Sleeps and wake-ups often lie in a function for the system call: its caller says which they
  // are.
  return sleeps_or_wakes(access.kind) ? lines_.line_in(access.stack, 2) : line_of(access.stack);
}

const Access* ExecutionText::write_of(const Access& flush) const {
  // A store buffer is a queue: its writes leave it in the order in which they entered.
  const std::vector<Access>& accesses = told_.log.accesses();
  const auto is_of_thread = [&](const Access& access, Access::Kind kind) {
    return access.kind == kind && access.thread == flush.thread;
  };
  std::size_t left_before = 0;
  for (const Access& access : accesses) {
    if (&access == &flush) break;
    if (is_of_thread(access, Access::kFlush)) ++left_before;
  }
  for (const Access& access : accesses) {
    if (is_of_thread(access, Access::kBufferedStore) && left_before-- == 0) return &access;
  }
  return nullptr;
}

std::string ExecutionText::line_of(const void* code) {
  const std::string line = lines_.line_in({&code, 1});
  return line.find(':') == std::string::npos ? "" : line;
}

std::string ExecutionText::block_name(const Block& block) {
  if (block.contains(told_.lock)) return "lock";
  if (block.is_handle) return absl::StrCat("handle of ", thread_name(block.thread));
  const std::size_t number = numbers_.try_emplace(block.begin, numbers_.size()).first->second;
  return absl::StrCat("block ", number);
}

std::string ExecutionText::word(const void* location) {
  for (const Block& block : told_.log.blocks()) {
    if (!block.contains(location)) continue;
    // The object may begin later than its block because of its alignment.
    const auto* const begin =
        block.contains(told_.lock) ? static_cast<const std::byte*>(told_.lock) : block.begin;
    return absl::StrCat(block_name(block), "+", static_cast<const std::byte*>(location) - begin);
  }
  if (!told_.arena.contains(location)) return variable_at(location);
  const std::size_t thread = told_.arena.offset(location) / Arena::kStackBytes;
  const std::size_t number = numbers_.try_emplace(location, numbers_.size()).first->second;
  return absl::StrCat("variable ", number, " of ", thread_name(static_cast<std::uint32_t>(thread)));
}

// ---- one access

std::string ExecutionText::text_of(const Access& access) {
  const std::string name = access.word == nullptr ? std::string() : word(access.word);
  const std::string was = value(access.was, access.bytes);
  const std::string now = value(access.now, access.bytes);
  switch (access.kind) {
    case Access::kLoad:
      return absl::StrCat("reads ", name, ": ", now);
    case Access::kStore:
      return absl::StrCat("writes ", name, ": ", was, " → ", now);
    case Access::kBufferedStore:
      return absl::StrCat("writes ", name, ": ", was, " → ", now, " into its store buffer");
    case Access::kFlush:
      return absl::StrCat("its write leaves its store buffer, ", name, ": ", was, " → ", now);
    case Access::kUpdate:
      return absl::StrCat("changes ", name, ": ", was, " → ", now);
    case Access::kCompared:
      return absl::StrCat("fails to exchange ", name, ": it is ", was);
    case Access::kFence:
      return "fence";
    case Access::kFenceAll:
      return "barrier for all threads";
    case Access::kSleep:
      return absl::StrCat("sleeps while ", name, " is ", now);
    case Access::kAwake:
      if (access.was == access.now) return absl::StrCat("does not sleep at ", name, ": too late");
      return absl::StrCat("does not sleep: ", name, " is ", was, ", not ", now);
    case Access::kWake:
      if (access.now == 0) return absl::StrCat("wakes nobody at ", name);
      return absl::StrCat("wakes ", now, access.now == 1 ? " thread" : " threads", " at ", name);
    case Access::kWoken:
      return absl::StrCat("wakes up at ", name);
    case Access::kTimedOut:
      return absl::StrCat("its sleep at ", name, " times out");
    case Access::kInterrupted:
      return absl::StrCat("a signal ends its sleep at ", name);
    case Access::kFree:
      return absl::StrCat("frees ", name.substr(0, name.rfind('+')));
    case Access::kGone:
      return absl::StrCat("ends the life of ", name);
    case Access::kProcessor:
      return absl::StrCat("is told that it runs on processor ", now, ", of node ", now);
    case Access::kPlain:
      break;
  }
  return absl::StrCat("uses ", name);
}

// Says when the thread read the value with which it sleeps, if others changed the word since then:
// the value may have come back, with the wake-up between.
std::string ExecutionText::since_it_read(const Access& sleep) {
  constexpr std::size_t kMostValues = 8;
  const Access* read = nullptr;
  std::vector<std::string> values;
  for (const Access& access : told_.log.accesses()) {
    if (&access == &sleep) break;
    if (access.word != sleep.word) continue;
    const bool is_own = access.thread == sleep.thread;
    if (is_own && access.reads() && value_read(access) == sleep.now) {
      read = &access;
      values.clear();
    }
    if (!is_own && changes(access)) values.push_back(value(access.now, access.bytes));
  }
  if (read == nullptr || values.empty()) return "";
  if (values.size() > kMostValues) {
    values.erase(values.begin(), values.end() - kMostValues);
    values.insert(values.begin(), "…");
  }
  return absl::StrCat(", which it read in step ", read->step, "; since then it was ",
                      absl::StrJoin(values, ", "));
}

// Names the threads that wait forever because they sleep at the word, and nobody wakes one after
// this write. Of several writes, at the first.
std::string ExecutionText::sleepers_left_by(const Access& write) const {
  std::map<std::uint32_t, std::uint64_t> asleep;  // by thread, the step in which it went to sleep
  bool is_first = true;
  bool is_before = true;
  for (const Access& access : told_.log.accesses()) {
    if (access.word != write.word) continue;
    if (access.kind == Access::kSleep) {
      if (!is_before) continue;
      asleep[access.thread] = access.step;
      is_first = true;
    } else if (ends_sleep(access.kind)) {
      asleep.erase(access.thread);
    } else if (access.kind == Access::kWake) {
      if (!is_before) return "";
      is_first = true;
    } else if (&access == &write) {
      if (asleep.empty() || !is_first) return "";
      is_before = false;
    } else if (is_before && changes(access) && !asleep.empty()) {
      is_first = false;
    }
  }
  std::vector<std::string> named;
  for (const auto& [thread, step] : asleep) {
    const bool forever =
        std::find(told_.waiting.begin(), told_.waiting.end(), thread - 1) != told_.waiting.end();
    if (!forever) continue;
    named.push_back(absl::StrCat(thread_name(thread), " (since step ", step, ")"));
  }
  if (named.empty()) return "";
  return absl::StrCat("; nobody is woken after it: ", absl::StrJoin(named, ", "),
                      named.size() == 1 ? " sleeps there" : " sleep there");
}

TraceStep ExecutionText::step_of(const Access& access) {
  TraceStep step{.at = access.step,
                 .thread = program_thread(access.thread),
                 .text = text_of(access),
                 .act = act_of(access.kind),
                 .source_line = line_of(access),
                 .access = true};
  if (access.word != nullptr) step.word = word(access.word);
  if (has_order(access.kind)) {
    step.order = name_of(access.order);
    absl::StrAppend(&step.text, " (", step.order,
                    access.kind == Access::kCompared ? " on failure)" : ")");
  }
  if (access.reads() || access.writes()) {
    step.was = value(access.was, access.bytes);
    step.now = value(access.now, access.bytes);
  }
  if (access.times > 1) absl::StrAppend(&step.text, ", ", access.times, " times");
  if (access.kind == Access::kSleep) step.text += since_it_read(access);
  if (changes(access)) step.text += sleepers_left_by(access);
  return step;
}

// ---- explanations

// Looks at the words that the earlier holder wrote in its release and the later holder read in its
// acquisition. The last of these reads shows which side lacks a memory order.
std::string ExecutionText::why_unordered(std::uint32_t before) {
  if (told_.events.empty() || told_.log.accesses().empty()) return "";
  const std::uint32_t after = told_.events.back().event.thread;
  const auto released = last_event(told_.events, Event::kRelease, before);
  const auto requested = last_event(told_.events, Event::kRequest, after);
  if (!released || !requested || before == after) return "";
  std::map<const void*, const Access*> writers;  // the last write to each word so far
  const Access* write = nullptr;
  const Access* read = nullptr;
  for (const Access& access : told_.log.accesses()) {
    const bool acquires_now = access.thread == after + 1 && access.events > *requested;
    if (acquires_now && access.reads() && writers.contains(access.word)) {
      const Access* const writer = writers[access.word];
      const bool by_release = writer->thread == before + 1 && writer->events > *released;
      if (by_release) std::tie(write, read) = std::pair(writer, &access);
    }
    if (access.writes()) writers[access.word] = &access;
  }
  const std::string earlier = absl::StrCat("thread ", before);
  const std::string later = absl::StrCat("thread ", after);
  if (read == nullptr) {
    return absl::StrCat("; ", later, " read nothing that the unlock() of ", earlier,
                        " wrote: the lock does not wait for the holder");
  }
  const auto missing_order = [&](const char* what, const Access& access, const std::string& who) {
    const std::string line = line_of(access.stack);
    return absl::StrCat(what, who, " ", step_of(access).text,
                        line.empty() ? std::string() : " at " + line);
  };
  std::string why;
  if (!releases(write->order)) why += missing_order("; a release is missing: ", *write, earlier);
  if (!acquires(read->order)) why += missing_order("; an acquire is missing: ", *read, later);
  if (!why.empty()) return why;
  return "; a release or an acquire is missing between the two";
}

std::string ExecutionText::misuse() {
  const std::vector<Access>& accesses = told_.log.accesses();
  if (accesses.empty()) return "";
  const Access& last = accesses.back();
  const std::string line = line_of(last.stack);
  std::string text = absl::StrCat(thread_name(last.thread), " ", step_of(last).text,
                                  line.empty() ? std::string() : " at " + line);
  for (std::size_t i = accesses.size() - 1; i-- > 0;) {
    const Access& end = accesses[i];
    if (end.kind != Access::kFree && end.kind != Access::kGone) continue;
    const auto block = std::find_if(told_.log.blocks().begin(), told_.log.blocks().end(),
                                    [&](const Block& one) { return one.contains(last.word); });
    const bool of_block = block != told_.log.blocks().end() && block->begin == end.word;
    if (end.word != last.word && !of_block) continue;
    const std::string where = line_of(end.stack);
    return absl::StrCat(text, "; ", thread_name(end.thread),
                        end.kind == Access::kFree ? " freed it" : " ended its life", " in step ",
                        end.step, where.empty() ? std::string() : " at " + where);
  }
  return text;
}

// ---- the whole execution

std::vector<bool> ExecutionText::wrong_accesses(Oracle oracle) const {
  const std::vector<Access>& accesses = told_.log.accesses();
  std::vector<bool> wrong(accesses.size(), false);
  if (oracle == Oracle::kLifetime && !wrong.empty()) wrong.back() = true;
  for (const std::uint32_t thread : told_.waiting) {
    for (std::size_t i = accesses.size(); i-- > 0;) {
      if (accesses[i].thread != thread + 1) continue;
      wrong[i] = true;
      break;
    }
  }
  return wrong;
}

std::vector<TraceStep> ExecutionText::steps(Oracle oracle) {
  const std::vector<Access>& accesses = told_.log.accesses();
  const std::vector<bool> wrong = wrong_accesses(oracle);
  const bool marked = std::find(wrong.begin(), wrong.end(), true) != wrong.end();
  std::vector<TraceStep> steps;
  std::size_t next = 0;
  for (std::size_t i = 0; i <= told_.events.size(); ++i) {
    for (; next < accesses.size() && accesses[next].events <= i; ++next) {
      const Access::Kind kind = accesses[next].kind;
      if (kind == Access::kGone) continue;
      steps.push_back(step_of(accesses[next]));
      // Leaves out memory that the harness frees, because it does not belong to the lock.
      if (kind == Access::kFree && steps.back().source_line.empty() && !wrong[next]) {
        steps.pop_back();
        continue;
      }
      steps.back().wrong = wrong[next];
    }
    if (i == told_.events.size()) break;
    steps.push_back(stress::step_of(told_.events[i]));
    steps.back().wrong = !marked && i + 1 == told_.events.size();
  }
  return steps;
}

}  // namespace lockbench::stress::explore
