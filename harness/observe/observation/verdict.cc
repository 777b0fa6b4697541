// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/verdict.h"

#include <algorithm>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/base/printable.h"
#include "harness/observe/observation/figures_text.h"

namespace lockbench {
namespace {

// The end of a process, after its last chance to say how much processor time it has used.
constexpr double kEndTakesS = 0.003;

std::string short_name(const std::string& program) {
  return printable(program.substr(program.rfind('/') + 1));
}

std::string with_number(const std::string& program, std::uint32_t pid) {
  return pid == 0 ? short_name(program) : absl::StrCat(short_name(program), " (process ", pid, ")");
}

// True if it may have done a part of the work that matters.
bool matters(const UnseenProcess& process, const Coverage& coverage) {
  if (process.pid == 0) return true;  // of these, nothing is known
  return process.life_s >= kProblemFrom * coverage.life_s ||
         process.processor_s >= kProblemFrom * coverage.processor_s;
}

// Processor time that no record explains.
double unseen_processor_share(const Coverage& coverage) {
  const double unseen_s = coverage.processor_s - coverage.seen_processor_s;
  if (coverage.unseen.empty() && unseen_s <= kEndTakesS * coverage.processes) return 0;
  return 1 - coverage.seen_processor_share();
}

std::string unseen_text(const UnseenProcess& process) {
  return absl::StrCat(with_number(process.program, process.pid), ": ", why_text(process.why), "; ",
                      advice_text(process.why));
}

// True if what runs on may be what the program is for. A helper that it started is left behind by a
// program that has done much more.
bool works_on(const Coverage& coverage) {
  constexpr double kMuchS = 0.1;
  double processor_s = 0;
  for (const RunningProcess& process : coverage.running) processor_s += process.processor_s;
  return !coverage.running.empty() &&
         (coverage.processor_s < kMuchS || processor_s >= kProblemFrom * coverage.processor_s);
}

// The parts that were not seen and may matter, the most important first, each as a sentence without
// its end.
std::vector<std::string> gaps_of(const Observation& observation) {
  const Coverage& coverage = observation.coverage;
  std::vector<std::string> gaps;
  for (const RunningProcess& process : coverage.running) {
    gaps.push_back(absl::StrCat(with_number(process.program, process.pid),
                                " still runs after the program that started it ended: start it in "
                                "the foreground"));
  }
  for (const UnseenProcess& process : coverage.unseen) {
    if (matters(process, coverage)) gaps.push_back(unseen_text(process));
  }
  const double unseen = unseen_processor_share(coverage);
  if (unseen >= kProblemFrom && gaps.empty()) {
    if (!coverage.unseen.empty()) gaps.push_back(unseen_text(coverage.unseen[0]));
    gaps.push_back(absl::StrCat(
        percent(unseen), " of the processor time was in processes that began without the library"));
  }
  if (coverage.starts_lost != 0) {
    gaps.push_back(
        absl::StrCat("of ", coverage.starts_lost, " programs that were started, nothing is known"));
  }
  if (coverage.placeless_acquisitions != 0) {
    gaps.push_back(absl::StrCat(grouped(coverage.placeless_acquisitions), " acquisitions (",
                                grouped(coverage.placeless_contended),
                                " after a wait) are in no place of the table, because there were "
                                "too many places or no memory"));
  }
  return gaps;
}

bool is_of_python(const ObservedPlace& place) {
  const std::string name = short_name(place.callers.empty() ? "" : place.callers[0].module);
  return name.starts_with("python") || name.starts_with("libpython") || name.starts_with("pypy") ||
         name.starts_with("libpypy");
}

// True if threads may have waited for the runtime's own locks. Each thread of Python takes the
// interpreter's lock by a mutex: if one thread alone took the mutexes of the interpreter, it waited
// for nobody, and the other threads are those of libraries.
bool may_wait_for(const std::string& runtime, const Observation& observation) {
  const auto has_threads = [&](const ObservedProcess& process) {
    if (runtime != "Python" || observation.coverage.view == View::kKernel) {
      return process.threads > 1;
    }
    return std::any_of(
        process.places.begin(), process.places.end(),
        [](const ObservedPlace& place) { return is_of_python(place) && place.threads > 1; });
  };
  return std::any_of(observation.processes.begin(), observation.processes.end(), has_threads);
}

// Waits that the records do not explain, or that may be of locks although they count as events.
std::vector<std::string> doubts_of(const Observation& observation) {
  const Coverage& coverage = observation.coverage;
  std::vector<std::string> doubts;
  if (coverage.view == View::kKernel && coverage.seen_futex_samples < coverage.futex_samples) {
    doubts.push_back(absl::StrCat(grouped(coverage.futex_samples - coverage.seen_futex_samples),
                                  " of ", grouped(coverage.futex_samples),
                                  " futex waits, which bpftrace lost or whose place is not known"));
  } else if (1 - coverage.seen_futex_share() >= kProblemFrom) {
    doubts.push_back(absl::StrCat(
        percent(1 - coverage.seen_futex_share()), " of ", grouped(coverage.futex_samples),
        " sampled futex waits were of locks that this program makes without the C library's "
        "functions, or inside of the C library (malloc, stdio)"));
  }
  for (const ObservedProcess& process : observation.processes) {
    if (process.stopped) {
      doubts.push_back(absl::StrCat(with_number(process.program, process.pid),
                                    " restricted itself so that nothing could be recorded after"));
    }
    for (const ObservedPlace& place : process.events) {
      if (place.kind != observe::LockKind::kFutexUnknown) continue;
      if (place.blocked_s < kProblemFrom * process.wall_s) continue;
      doubts.push_back(
          absl::StrCat("at ", printable(place.name()), " threads waited for a futex in ",
                       percent(process.wall_s > 0 ? place.blocked_s / process.wall_s : 0),
                       " of the time, and whether that is a lock or an event is not known"));
    }
  }
  if (coverage.view == View::kKernel) {
    doubts.push_back(
        "acquisitions without a wait, holds and spinning, which only the program itself knows: to "
        "count them, start it with `lockbench observe -- PROGRAM`");
  }
  for (const std::string& runtime : coverage.runtimes) {
    if (may_wait_for(runtime, observation)) doubts.push_back(runtime_text(runtime));
  }
  return doubts;
}

std::string seen_text(const Coverage& coverage) {
  std::string text = absl::StrCat("seen: ", coverage.processes,
                                  coverage.processes == 1 ? " process" : " processes");
  if (coverage.processor_s > 0) {
    absl::StrAppend(&text, ", ", percent(coverage.seen_processor_share()),
                    " of the processor time");
  }
  if (coverage.futex_samples > 0) {
    absl::StrAppend(&text, ", ", percent(coverage.seen_futex_share()), " of ",
                    grouped(coverage.futex_samples),
                    coverage.view == View::kKernel ? " futex waits" : " sampled futex waits");
  } else {
    absl::StrAppend(&text, coverage.view == View::kKernel
                               ? ", no thread slept in a futex"
                               : ", no thread slept in a futex when it was looked at");
  }
  if (coverage.window_s < coverage.life_s * 0.99) {
    absl::StrAppend(&text, ", ", duration_text(coverage.window_s * 1e9), " of ",
                    duration_text(coverage.life_s * 1e9));
  }
  return absl::StrCat(
      text, "; ",
      coverage.runs == 1 ? std::string("one run") : absl::StrCat(coverage.runs, " runs"));
}

std::string other_locks_text(const Observation& observation) {
  if (observation.coverage.view == View::kKernel) return {};  // a doubt says it of all
  for (const ObservedProcess& process : observation.processes) {
    for (const ObservedPlace& place : process.places) {
      if (!place.is_futex()) continue;
      return absl::StrCat("of locks that the program makes of futexes, as at ",
                          printable(place.name()),
                          ", only waits are known: neither acquisitions without a wait nor holds");
    }
  }
  return {};
}

std::string events_text(const Observation& observation) {
  for (const ObservedProcess& process : observation.processes) {
    for (const ObservedPlace& place : process.events) {
      if (place.kind == observe::LockKind::kFutexUnknown) continue;
      if (place.blocked_s < kProblemFrom * process.wall_s) continue;
      return absl::StrCat(
          "not counted: threads slept at ", printable(place.name()), " for ",
          percent(place.blocked_s / process.wall_s),
          " of the time until others woke them, or to the end, which is an event and no lock");
    }
  }
  return {};
}

std::string while_busy_text(const Coverage& coverage) {
  if (!coverage.is_disturbed()) return {};
  return " on a machine that is busy with other programs";
}

std::string other_programs_text(const Coverage& coverage) {
  if (!coverage.is_disturbed()) return {};
  return absl::StrCat("other programs had ", percent(coverage.other_programs_share),
                      " of the processors, so waits are longer than on a quiet machine: observe it "
                      "there");
}

std::string older_sleepers_text(const Coverage& coverage) {
  if (coverage.older_sleepers == 0) return {};
  const bool one = coverage.older_sleepers == 1;
  return absl::StrCat(coverage.older_sleepers, one ? " thread was" : " threads were",
                      " asleep when the observation began, and slept on: what ",
                      one ? "it waits" : "they wait", " for is not known");
}

std::string spread_text(const std::vector<double>& gains) {
  if (gains.empty()) return {};
  const auto [least, most] = std::minmax_element(gains.begin(), gains.end());
  return absl::StrCat("greatest gain of ", gains.size(), " runs: ", percent(*least), " to ",
                      percent(*most));
}

std::string no_locks_text(const std::string& program, View view) {
  if (view == View::kKernel) {
    return absl::StrCat("no thread of ", short_name(program),
                        " waited for a lock while it was watched");
  }
  return absl::StrCat("no process of ", printable(program),
                      " acquired a lock of the C library while it was observed");
}

Verdict not_seen(std::string answer) {
  return {.kind = VerdictKind::kNotSeen, .answer = std::move(answer), .notes = {}};
}

// The gain as a share of the program's time.
double gain_of_program(const ObservedProcess& process, const Coverage& coverage) {
  if (coverage.life_s <= 0) return process.greatest_gain;
  return process.greatest_gain * std::min(1.0, process.wall_s / coverage.life_s);
}

const ObservedProcess* worst(const Observation& observation) {
  const auto found = std::max_element(observation.processes.begin(), observation.processes.end(),
                                      [&](const ObservedProcess& a, const ObservedProcess& b) {
                                        return gain_of_program(a, observation.coverage) <
                                               gain_of_program(b, observation.coverage);
                                      });
  return found == observation.processes.end() ? nullptr : &*found;
}

}  // namespace

double greatest_gain(const Observation& observation) {
  double gain = 0;
  double gained_s = 0;
  double wall_s = 0;
  for (const ObservedProcess& process : observation.processes) {
    gain = std::max(gain, gain_of_program(process, observation.coverage));
    gained_s += process.greatest_gain * process.wall_s;
    wall_s += process.wall_s;
  }
  // The gains of processes that run one after the other add up.
  const double all_s = std::max(wall_s, observation.coverage.life_s);
  if (all_s > 0) gain = std::max(gain, gained_s / all_s);
  for (const double one : observation.gains) gain = std::max(gain, one);
  return gain;
}

std::string to_text(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kNotSeen:
      return "not_seen";
    case VerdictKind::kPartlySeen:
      return "partly_seen";
    case VerdictKind::kNotTheProblem:
      return "not_the_problem";
    case VerdictKind::kMayCost:
      break;
  }
  return "may_cost";
}

std::string process_text(const ObservedProcess& process) {
  return absl::StrCat(
      "if the locks of ", short_name(process.program), " cost nothing, it would gain at most ",
      percent(process.greatest_gain), " of its ", duration_text(process.wall_s * 1e9),
      " (a thread waited in ", percent(process.wall_s > 0 ? process.blocked_s / process.wall_s : 0),
      " of the time", process.processor_bound ? ", but the processors were busy" : "", ")");
}

Verdict verdict_of(const Observation& observation, const std::string& program) {
  const Coverage& coverage = observation.coverage;
  if (coverage.window_s <= 0) {
    return not_seen(absl::StrCat("no verdict: ", printable(program), " ended (", coverage.end,
                                 ") after ", duration_text(coverage.life_s * 1e9),
                                 ", before the observation began (--delay ",
                                 duration_text(coverage.delay_s * 1e9), ")"));
  }
  const std::vector<std::string> gaps = gaps_of(observation);
  const ObservedProcess* const process = worst(observation);
  const bool nothing = process == nullptr || process->places.empty();
  Verdict verdict;
  std::vector<std::string> doubts = doubts_of(observation);
  const bool unseen_work = unseen_processor_share(coverage) > 0.5 || works_on(coverage);
  if (coverage.processes == 0 || (!gaps.empty() && (nothing || unseen_work))) {
    const std::string which =
        gaps.empty() ? absl::StrCat(printable(program), " did not load the library") : gaps[0];
    verdict = not_seen(works_on(coverage)
                           ? absl::StrCat("no verdict: ", which)
                           : absl::StrCat("the program that did the work was not seen: ", which));
    for (std::size_t i = 1; i < gaps.size(); ++i) verdict.notes.push_back("not seen: " + gaps[i]);
  } else {
    const std::string what =
        nothing ? no_locks_text(program, coverage.view) : process_text(*process);
    doubts.insert(doubts.begin(), gaps.begin(), gaps.end());
    if (greatest_gain(observation) >= kProblemFrom) {
      verdict = {
          .kind = VerdictKind::kMayCost,
          .answer = absl::StrCat("how much locks cost is not known", while_busy_text(coverage),
                                 doubts.empty() ? ": " : "; of what was seen: ", what)};
    } else if (!doubts.empty()) {
      verdict = {.kind = VerdictKind::kPartlySeen,
                 .answer = absl::StrCat(
                     "not all was seen, so there is no verdict; of what was seen: ", what)};
    } else {
      verdict = {.kind = VerdictKind::kNotTheProblem,
                 .answer = "locks are not your problem: " + what};
    }
    for (const std::string& doubt : doubts) verdict.notes.push_back("not seen: " + doubt);
  }
  for (std::string note :
       {spread_text(observation.gains), other_locks_text(observation), events_text(observation),
        older_sleepers_text(coverage), other_programs_text(coverage), seen_text(coverage)}) {
    if (!note.empty()) verdict.notes.push_back(std::move(note));
  }
  if (verdict.kind == VerdictKind::kNotTheProblem) {
    verdict.notes.back() += "; never seen: locks whose threads only spin";
  }
  return verdict;
}

}  // namespace lockbench
