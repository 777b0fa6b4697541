// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/command/model_conform.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include "harness/base/nearest.h"
#include "harness/petri/net/pnml.h"
#include "harness/process/signals.h"
#include "harness/stress/command/engines.h"
#include "harness/stress/command/text.h"

namespace lockbench {
namespace {

constexpr std::size_t kMostEventsShown = 20;
constexpr char kTooSoon[] = "interrupted before the first execution";

bool asked(const ConformOrder& order, const EngineListing& engine) {
  return order.engine.empty() || engine.engine == order.engine;
}

std::optional<TestJob> job_among(const std::vector<EngineListing>& engines,
                                 const ConformOrder& order) {
  for (const EngineListing& engine : engines) {
    if (!asked(order, engine)) continue;
    for (const Listed& lock : engine.locks) {
      if (lock.name != order.lock) continue;
      return TestJob{
          .engine = engine.engine, .program = engine.program, .lock = lock, .budget = order.budget};
    }
  }
  return std::nullopt;
}

// Searches the shipped locks first, then the mutants, which exist if the tests were built.
absl::StatusOr<TestJob> find_lock(const ConformOrder& order) {
  const std::vector<EngineListing> shipped = engines_named("");
  if (std::optional<TestJob> job = job_among(shipped, order)) return *std::move(job);
  const std::vector<EngineListing> broken = engines_named("-mutants");
  if (std::optional<TestJob> job = job_among(broken, order)) return *std::move(job);
  // An engine that was interrupted while it listed its locks may have the lock.
  if (noted_signal() != 0) return absl::CancelledError(kTooSoon);
  return unknown_lock(order, shipped, broken);
}

void add_once(const std::string& name, std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// The names of the engines that have the lock.
std::vector<std::string> knowing(const std::string& lock,
                                 const std::vector<EngineListing>& engines) {
  std::vector<std::string> names;
  for (const EngineListing& engine : engines) {
    for (const Listed& listed : engine.locks) {
      if (listed.name == lock) add_once(engine.engine, names);
    }
  }
  return names;
}

std::string traced(const std::vector<std::string>& events) {
  std::string text;
  const std::size_t first = events.size() > kMostEventsShown ? events.size() - kMostEventsShown : 0;
  if (first != 0) text = absl::StrCat("             … (", first, " earlier events)\n");
  for (std::size_t i = first; i < events.size(); ++i) {
    absl::StrAppend(&text, "             ", events[i], "\n");
  }
  return text;
}

// "12 executions, 40 events, ", without figures that are 0.
std::string done_text(const stress::Report& report) {
  std::string done;
  for (const auto& [name, value] : report.figures) {
    if (name != "steps" && value != 0) absl::StrAppendFormat(&done, "%.0f %s, ", value, name);
  }
  return done;
}

std::string undecided_text(const stress::Report& report) {
  const std::string done = done_text(report);
  return done.empty() ? absl::StrFormat(
                            "Verdict      undecided: no execution of %s in %.1f s; use a larger "
                            "--budget\n",
                            report.lock, report.seconds)
                      : absl::StrFormat(
                            "Verdict      undecided: no verdict on any execution of %s; %s%.1f s\n",
                            report.lock, done, report.seconds);
}

}  // namespace

absl::Status unknown_lock(const ConformOrder& order, const std::vector<EngineListing>& shipped,
                          const std::vector<EngineListing>& broken) {
  std::vector<std::string> locks;
  for (const EngineListing& engine : shipped) {
    if (!asked(order, engine)) continue;
    for (const Listed& lock : engine.locks) add_once(lock.name, locks);
  }
  const std::string engine = order.engine.empty() ? "engine" : "engine '" + order.engine + "'";
  if (locks.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no ", engine, " is installed beside this program; install all of lockbench"));
  }
  std::string text =
      absl::StrCat(order.engine.empty() ? "no engine knows" : "the " + engine + " does not know",
                   " the lock '", order.lock, "'");
  std::vector<std::string> others = knowing(order.lock, shipped);
  for (const std::string& other : knowing(order.lock, broken)) add_once(other, others);
  if (!others.empty()) {
    absl::StrAppend(&text, "; ", absl::StrJoin(others, " and "),
                    others.size() == 1 ? " does" : " do");
  } else if (const std::optional<std::string> near = nearest(order.lock, locks)) {
    absl::StrAppend(&text, "; did you mean '", *near, "'?");
  } else {
    absl::StrAppend(&text, "; ", order.engine.empty() ? "they know " : "it knows ",
                    absl::StrJoin(locks, ", "));
  }
  return absl::NotFoundError(text);
}

absl::StatusOr<stress::Report> conform(const Net& net, const ConformOrder& order) {
  const absl::StatusOr<TestJob> job = find_lock(order);
  if (!job.ok()) return job.status();
  Answer answer = ask(*job, {.seed = order.seed, .net = pnml_of(net)}, {});
  if (answer.interrupted) {
    return absl::CancelledError(
        answer.progress.empty()
            ? kTooSoon
            : absl::StrCat("interrupted; no disagreement in ", answer.progress, " so far"));
  }
  if (!answer.misused.empty()) return absl::InvalidArgumentError(answer.misused);
  if (answer.engine_failed) {
    return absl::InternalError(answer.report.remarks.empty() ? "the engine failed"
                                                             : answer.report.remarks[0]);
  }
  return std::move(answer.report);
}

std::string conform_text(const stress::Report& report) {
  std::string text;
  switch (report.verdict) {
    case stress::Verdict::kFailed:
      text = absl::StrCat("Verdict      disagrees: ", report.failure->what, "\nTrace        ",
                          report.trace.size(), " events\n", traced(report.trace));
      if (report.replay.exact)
        absl::StrAppend(&text, "Replay       ", replay_command(report), "\n");
      break;
    case stress::Verdict::kInconclusive:
      text = undecided_text(report);
      break;
    default:
      text = absl::StrFormat("Verdict      conforms: %s, %s%.1f s\n", report.lock,
                             done_text(report), report.seconds);
  }
  for (const std::string& remark : report.remarks) {
    absl::StrAppend(&text, "Coverage     ", remark, "\n");
  }
  return text;
}

}  // namespace lockbench
