// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/command/model_command.h"

#include <cerrno>
#include <chrono>
#include <ctime>
#include <fstream>
#include <ostream>
#include <sstream>
#include <utility>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/files.h"
#include "harness/base/printable.h"
#include "harness/petri/command/animation.h"
#include "harness/petri/command/model_conform.h"
#include "harness/petri/command/process_memory.h"
#include "harness/petri/command/trace_file.h"
#include "harness/petri/net/dot.h"
#include "harness/petri/net/pnml.h"
#include "harness/petri/net/promela.h"
#include "harness/petri/net/replay.h"
#include "harness/petri/net/search.h"
#include "harness/petri/net/search_report.h"
#include "harness/process/signals.h"

namespace lockbench {
namespace {

constexpr std::string_view kWho = "lockbench model";

using Clock = std::chrono::steady_clock;

constexpr Nanoseconds kSearchBudget = std::chrono::seconds(60);
constexpr Nanoseconds kConformBudget = std::chrono::seconds(5);
constexpr std::size_t kMostInvariants = 5000;
constexpr std::size_t kTourSteps = 60;
constexpr std::size_t kMostOfAnEvent = 200;     // bytes of an event in a message
constexpr std::uint64_t kFewestTimed = 10'000;  // markings; fewer say nothing about the speed

absl::StatusOr<Net> read_net(const ModelOptions& options) {
  if (!options.file) return build_model(options.spec);
  absl::StatusOr<std::string> text = read_file(*options.file, kMostRunFileBytes);
  if (!text.ok()) return text.status();
  std::istringstream in(*std::move(text));
  return read_pnml(in, options.file->string());
}

// The result of a command, after it was printed.
struct Outcome {
  int code = 0;
  Animation animation;  // of the fault, or of a tour
};

Animation tour_of(const Net& net) {
  return {.steps = tour(net, kTourSteps), .caption = "A tour through the net."};
}

Animation animation_of(const Net& net, const std::vector<std::uint32_t>& trace) {
  if (trace.empty()) return tour_of(net);
  return {.steps = trace, .caption = "A replayed trace."};
}

Animation animation_of(const Net& net, const SearchResult& result) {
  if (result.to_dead) return {*result.to_dead, "A shortest path to a deadlock."};
  if (result.violated) {
    return {result.to_violation,
            "A shortest path to a violation of: " + net.properties[*result.violated].text + "."};
  }
  if (result.end == SearchEnd::kUnbounded) {
    return {result.to_unbounded, "The last steps can be repeated and add tokens each time."};
  }
  return tour_of(net);
}

// Empty if the search was too short to measure.
std::string cost_text(const SearchResult& result) {
  if (result.markings < kFewestTimed || result.cpu_s <= 0) return "";
  const auto markings = static_cast<double>(result.markings);
  return absl::StrFormat(
      "Cost         %.2f s of one core: %.1f million states per second, %.0f bytes each\n",
      result.cpu_s, markings / result.cpu_s / 1e6, static_cast<double>(result.bytes) / markings);
}

int code_of(SearchVerdict verdict) {
  switch (verdict) {
    case SearchVerdict::kCorrect:
      return kSuccess;
    case SearchVerdict::kIncorrect:
      return kFound;
    case SearchVerdict::kUndecided:
      return kInconclusive;
  }
  return kInconclusive;
}

int code_of(stress::Verdict verdict) {
  if (verdict == stress::Verdict::kFailed) return kFound;
  return verdict == stress::Verdict::kInconclusive ? kInconclusive : kSuccess;
}

int code_of(const absl::Status& failure) {
  if (absl::IsCancelled(failure)) return kSignalExitBase + noted_signal();
  return absl::IsInternal(failure) ? kCouldNotFinish : kBadInput;
}

// At most half of the budget is for the invariants.
Outcome search_net(const ModelOptions& options, const Net& net, Clock::time_point began,
                   std::ostream& out) {
  const Nanoseconds budget = options.budget.value_or(kSearchBudget);
  const auto stop_at = [](Clock::time_point deadline) {
    return [deadline] { return noted_signal() != 0 || Clock::now() >= deadline; };
  };
  const Invariants invariants = find_invariants(net, kMostInvariants, stop_at(began + budget / 2));
  const SearchResult result = search(net, invariants,
                                     {.most_markings = options.most_markings,
                                      .memory = options.memory.value_or(available_memory() / 2),
                                      .resident = resident_memory,
                                      .stop = stop_at(began + budget),
                                      .reduce = !options.no_symmetry});
  out << search_text(net, invariants, result) << cost_text(result);
  return {code_of(verdict_of(result)), animation_of(net, result)};
}

std::vector<NetEvent> parsed(const std::vector<std::string>& texts) {
  std::vector<NetEvent> events;
  for (const std::string& text : texts) events.push_back(parse_event(text));
  return events;
}

std::string trace_text(const Net& net, const ReplayResult& replay,
                       const std::vector<std::string>& events) {
  if (replay.conforms) {
    return absl::StrCat(
        "Verdict      conforms: the net can do all ", events.size(), " events\n", "Never fired  ",
        replay.unfired.empty() ? "none" : transitions_text(net, replay.unfired), "\n");
  }
  std::string text;
  const std::string event = printable(events[replay.refused].substr(0, kMostOfAnEvent));
  for (const std::string& line : refusal_text(net, replay, event)) {
    absl::StrAppend(&text, text.empty() ? "Verdict      refused: " : "             ", line, "\n");
  }
  return text;
}

absl::StatusOr<Outcome> check_trace(const ModelOptions& options, const Net& net,
                                    std::ostream& out) {
  const absl::StatusOr<std::vector<std::string>> events = read_trace(*options.trace);
  if (!events.ok()) return events.status();
  const ReplayResult replayed = replay(net, parsed(*events));
  out << trace_text(net, replayed, *events);
  return Outcome{replayed.conforms ? kSuccess : kFound, animation_of(net, replayed.steps)};
}

// The lock that the model describes. The engine of native threads gets a lock with a limit that no
// hold exceeds, because it does not see when a hold expires.
std::string lock_of(const std::string& model, const std::string& engine) {
  if (model != "timed_hold") return model;
  return engine == "real" ? "keyed_limited:hold_limit_ms=3600000" : "keyed_limited";
}

absl::StatusOr<Outcome> check_lock(const ModelOptions& options, const Net& net, std::ostream& out) {
  const absl::StatusOr<stress::Report> report =
      conform(net, {.engine = options.engine,
                    .lock = options.lock.empty() ? lock_of(options.spec.primitive, options.engine)
                                                 : options.lock,
                    .budget = options.budget.value_or(kConformBudget),
                    .seed = options.seed});
  if (!report.ok()) return report.status();
  out << conform_text(*report);
  std::vector<std::uint32_t> steps;
  if (report->verdict == stress::Verdict::kFailed) {
    steps = replay(net, parsed(report->trace)).steps;
  }
  return Outcome{code_of(report->verdict), animation_of(net, steps)};
}

absl::Status write_files(const ModelOptions& options, const Net& net, const Animation& animation) {
  const auto write = [](const auto& file, const auto& text) {
    return file ? replace_file(*file, text()) : absl::OkStatus();
  };
  absl::Status status = write(options.pnml, [&] { return pnml_of(net); });
  status.Update(write(options.promela, [&] { return promela_of(net); }));
  status.Update(write(options.dot, [&] { return dot_of(net, initial_marking(net)); }));
  if (status.ok() && options.animation)
    status = write_animation(net, animation, *options.animation);
  return status;
}

}  // namespace

int model_command(const ModelOptions& options, std::ostream& out, std::ostream& err) {
  const Clock::time_point began = Clock::now();
  note_signals();
  const absl::StatusOr<Net> net = read_net(options);
  if (!net.ok()) return complain(err, kWho, net.status(), kBadInput);
  if (const absl::Status status = validate(*net); !status.ok())
    return complain(err, kWho, status, kBadInput);

  const absl::StatusOr<Outcome> outcome = options.trace     ? check_trace(options, *net, out)
                                          : options.conform ? check_lock(options, *net, out)
                                                            : search_net(options, *net, began, out);
  if (!outcome.ok()) return complain(err, kWho, outcome.status(), code_of(outcome.status()));
  out.flush();
  if (noted_signal() != 0) {
    return complain(err, kWho,
                    absl::CancelledError("interrupted; the result covers the part searched"),
                    kSignalExitBase + noted_signal());
  }
  const absl::Status written = write_files(options, *net, outcome->animation);
  if (!written.ok()) return complain(err, kWho, written, kCouldNotFinish);
  return outcome->code;
}

}  // namespace lockbench
