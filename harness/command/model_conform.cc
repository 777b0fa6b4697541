// SPDX-License-Identifier: Apache-2.0

#include "harness/command/model_conform.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/command/signals.h"
#include "harness/command/stress_engines.h"
#include "harness/petri/pnml.h"
#include "harness/plan/nearest.h"

namespace lockbench {
namespace {

constexpr std::size_t kMostEventsTold = 20;

// The shipped locks first; then, where the tests are built, the broken ones.
absl::StatusOr<Charge> find_lock(const ConformOrder& order) {
  std::vector<std::string> names;
  for (const char* suffix : {"", "-mutants"}) {
    for (const EngineListing& engine : engines_named(suffix)) {
      if (!order.engine.empty() && engine.engine != order.engine) continue;
      for (const Listed& suspect : engine.suspects) {
        if (suspect.name == order.lock) {
          return Charge{.engine = engine.engine,
                        .program = engine.program,
                        .suspect = suspect,
                        .budget = order.budget};
        }
        if (*suffix == '\0') names.push_back(suspect.name);
      }
    }
  }
  const std::string engine = order.engine.empty() ? "" : "engine '" + order.engine + "'";
  if (names.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no ", engine.empty() ? "engine" : engine,
                     " lies beside this program; build or install it whole"));
  }
  return unknown_name(engine.empty() ? "lock of the engines" : "lock of the " + engine, order.lock,
                      names);
}

std::string traced(const std::vector<std::string>& events) {
  std::string text;
  const std::size_t first = events.size() > kMostEventsTold ? events.size() - kMostEventsTold : 0;
  if (first != 0) text = absl::StrCat("             … (", first, " before)\n");
  for (std::size_t i = first; i < events.size(); ++i) {
    absl::StrAppend(&text, "             ", events[i], "\n");
  }
  return text;
}

// A word as a shell takes it.
std::string quoted(const std::string& word) {
  return word.find_first_of(" |*") == std::string::npos ? word : "'" + word + "'";
}

std::string again(const stress::Report& report) {
  std::string words = "lockbench stress " + report.suspect;
  for (const std::string& word : report.replay.options) words += " " + quoted(word);
  return words;
}

// "12 executions, 40 events, ", without what there was none of.
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
                            "Undecided    %s: nothing was looked at in %.1f s; a larger --budget "
                            "allows more\n",
                            report.suspect, report.seconds)
                      : absl::StrFormat("Undecided    %s: %sin %.1f s; none could be judged\n",
                                        report.suspect, done, report.seconds);
}

}  // namespace

absl::StatusOr<stress::Report> conform(const Net& net, const ConformOrder& order) {
  const absl::StatusOr<Charge> charge = find_lock(order);
  if (!charge.ok()) return charge.status();
  Answer answer = ask(*charge, {.seed = order.seed, .net = pnml_of(net)}, {});
  if (answer.interrupted)
    return absl::CancelledError("interrupted before the engine had anything to say");
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
    case stress::Verdict::kConvicted:
      text = absl::StrCat("Disagrees    ", report.finding->what, "\nTrace        of ",
                          report.story.size(), " events\n", traced(report.story));
      if (report.replay.exact) absl::StrAppend(&text, "Watch it     ", again(report), "\n");
      break;
    case stress::Verdict::kInconclusive:
      text = undecided_text(report);
      break;
    default:
      text = absl::StrFormat("Conforms     %s: %sin %.1f s; the net can do all of it\n",
                             report.suspect, done_text(report), report.seconds);
  }
  for (const std::string& remark : report.remarks) {
    absl::StrAppend(&text, "Coverage     ", remark, "\n");
  }
  return text;
}

}  // namespace lockbench
