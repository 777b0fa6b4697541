// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/command/text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include "harness/base/printable.h"
#include "harness/base/shell_command.h"
#include "harness/stress/command/engines.h"
#include "harness/stress/trace/trace_text.h"

namespace lockbench {

namespace {

using stress::ExploredLitmus;
using stress::Report;
using stress::Verdict;

// "1,234,567"; decimals are dropped.
std::string grouped(double number) {
  std::string digits = absl::StrFormat("%.0f", number);
  for (std::size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, 1, ',');
  }
  return digits;
}

// Removes `ending` from the name of a figure. Returns false if the name has a different ending.
bool strip(std::string& name, std::string_view ending) {
  if (!std::string_view(name).ends_with(ending)) return false;
  name.resize(name.size() - ending.size());
  return true;
}

// "12,345 lock operations", "14.9 % contended", "longest wait 3.2 ms": the name contains the unit.
std::string figure_text(std::string name, double value) {
  const bool share = strip(name, "_share");
  const bool time = !share && strip(name, "_ns");
  const bool rate = !time && strip(name, "_per_s");
  std::replace(name.begin(), name.end(), '_', ' ');
  if (share) return absl::StrFormat("%.1f %% %s", value * 100, name);
  if (time) return absl::StrFormat("%s %.1f ms", name, value / 1e6);
  return grouped(value) + " " + name + (rate ? " a second" : "");
}

std::string figures_of(const Report& report) {
  std::vector<std::string> parts;
  parts.reserve(report.figures.size());
  for (const auto& [name, value] : report.figures) parts.push_back(figure_text(name, value));
  return absl::StrJoin(parts, ", ");
}

std::string evaluations_of(const Report& report) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < stress::kOracles; ++i) {
    const auto oracle = static_cast<stress::Oracle>(i);
    if (report.evaluations[oracle] == 0) continue;
    parts.push_back(std::string(name_of(oracle)) + " " +
                    grouped(static_cast<double>(report.evaluations[oracle])));
  }
  return absl::StrJoin(parts, ", ");
}

// A failure that reruns reproduce more rarely counts as seen once: a rerun without it then means
// nothing.
constexpr std::uint32_t kReproducedOf10 = 3;

std::string ending_of(const stress::Reproduction& replay) {
  if (replay.exact) return "It happens each time:";
  if (replay.reruns == 0) return "To run it again:";
  if (replay.command_s != 0) {
    return replay.command_failed
               ? absl::StrFormat(
                     "The epoch alone failed in none of %d reruns. In %.1f s, this failed:",
                     replay.reruns, replay.command_s)
               : absl::StrFormat("Seen once; in none of %d reruns of the epoch, nor in %.1f s of:",
                                 replay.reruns, replay.command_s);
  }
  const bool seen_once = replay.failures * 10 < kReproducedOf10 * replay.reruns;
  return absl::StrFormat(
      "%s in %d of %d reruns of:", seen_once ? "Seen once; it happened again" : "It happened again",
      replay.failures, replay.reruns);
}

// The terminal shows only the end of a long trace, which contains the failure.
constexpr std::size_t kMostTraceLines = 40;

std::string trace_text(const std::vector<std::string>& trace) {
  std::string text;
  const std::size_t left_out = trace.size() > kMostTraceLines ? trace.size() - kMostTraceLines : 0;
  if (left_out != 0) {
    absl::StrAppendFormat(
        &text, "    … %d earlier steps: --report FILE.html and --format json have them\n",
        left_out);
  }
  bool decides = false;
  for (std::size_t i = left_out; i < trace.size(); ++i) {
    text += "    " + trace[i] + "\n";
    decides = decides || absl::StrContains(trace[i], stress::kDecides);
  }
  if (decides) {
    absl::StrAppend(&text, "    ", stress::kDecides,
                    ": if these came in another order, nothing would go wrong\n"
                    "    plain reads and writes are no steps: they lie between those of their "
                    "thread\n");
  }
  return text;
}

// The terminal shows no more programs of one bound than this by name.
constexpr std::size_t kMostProgramsNamed = 3;

std::string group_text(const std::vector<const ExploredLitmus*>& group) {
  const ExploredLitmus& first = *group.front();
  const auto line_of = [&](const std::string& programs, const ExploredLitmus& cost) {
    const std::string states = cost.states == 0 ? "" : absl::StrFormat(", %d states", cost.states);
    return absl::StrFormat("  %s: %s %s: %d executions%s, %.3f s\n",
                           first.whole ? "whole" : "not whole", programs, first.bound,
                           cost.executions, states, cost.seconds);
  };
  std::string lines;
  ExploredLitmus sum;
  for (const ExploredLitmus* one : group) {
    lines += line_of("`" + one->program + "`", *one);
    sum.executions += one->executions;
    sum.states += one->states;
    sum.seconds += one->seconds;
  }
  if (group.size() <= kMostProgramsNamed) return lines;
  return line_of(absl::StrCat(group.size(), " programs"), sum);
}

// In the order of the report, those of one bound together.
std::string explored_text(const std::vector<ExploredLitmus>& explored) {
  std::vector<std::vector<const ExploredLitmus*>> groups;
  for (const ExploredLitmus& one : explored) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return group.front()->bound == one.bound && group.front()->whole == one.whole;
    });
    (same != groups.end() ? *same : groups.emplace_back()).push_back(&one);
  }
  std::string text;
  bool names_all = true;
  for (const auto& group : groups) {
    text += group_text(group);
    names_all = names_all && group.size() <= kMostProgramsNamed;
  }
  if (!names_all) text += "    --report FILE.html and --format json name these programs\n";
  return text;
}

}  // namespace

std::string replay_command(const Report& report) {
  std::vector<std::string> words = {"lockbench", "stress", report.lock};
  words.insert(words.end(), report.replay.options.begin(), report.replay.options.end());
  return shell_command(words);
}

std::string stress_text(const Report& report, const std::string& machine) {
  std::string text = absl::StrFormat("%s, %s: %s", report.lock, report.engine,
                                     std::string(name_of(report.verdict)));
  if (report.failure) {
    absl::StrAppendFormat(&text, ", oracle %s, after %.3f s (%s)\n  %s\n",
                          std::string(name_of(report.failure->oracle)), report.found_after_s,
                          report.how, report.failure->what);
    text += trace_text(report.trace);
    text += "  " + ending_of(report.replay) + "\n    " + replay_command(report) + "\n  " + machine;
  } else {
    absl::StrAppendFormat(&text, " after %.1f s", report.seconds);
  }
  text += "\n";
  if (!report.figures.empty()) text += "  " + figures_of(report) + "\n";
  const std::string evaluations = evaluations_of(report);
  if (!evaluations.empty()) text += "  checks: " + evaluations + "\n";
  text += explored_text(report.explored);
  for (const std::string& remark : report.remarks) text += "  " + remark + "\n";
  return printable_lines(text);
}

std::string live_line(const TestJob& job, std::size_t position, std::size_t jobs,
                      std::size_t failures, std::string_view out) {
  return absl::StrFormat("%d/%d  %s  %s  %s  %d failures", position + 1, jobs, job.engine,
                         job.lock.name, std::string(last_progress(out)), failures);
}

StressLive::StressLive(std::size_t jobs) : terminal_(isatty(STDERR_FILENO) != 0), jobs_(jobs) {}

void StressLive::show(const TestJob& job, std::size_t position, std::string_view out) const {
  if (!terminal_) return;
  std::cerr << "\r\x1b[K" << printable(live_line(job, position, jobs_, failures, out))
            << std::flush;
}

void StressLive::leave() const {
  if (terminal_) std::cerr << "\r\x1b[K" << std::flush;
}

}  // namespace lockbench
