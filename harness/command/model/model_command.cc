// SPDX-License-Identifier: Apache-2.0

#include "harness/command/model/model_command.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <ostream>
#include <sstream>
#include <utility>

#include <absl/strings/str_format.h>

#include "harness/command/model/model_conform.h"
#include "harness/command/model/trace_file.h"
#include "harness/petri/drawing.h"
#include "harness/petri/film.h"
#include "harness/petri/layout.h"
#include "harness/petri/pnml.h"
#include "harness/petri/promela.h"
#include "harness/petri/replay.h"
#include "harness/petri/search.h"
#include "harness/petri/story.h"
#include "harness/plan/printable.h"
#include "harness/process/dot_process.h"
#include "harness/process/signals.h"
#include "harness/record/files.h"
#include "harness/terminal/exit_code.h"

namespace lockbench {
namespace {

constexpr Nanoseconds kSearchBudget = std::chrono::seconds(60);
constexpr Nanoseconds kConformBudget = std::chrono::seconds(5);
constexpr std::size_t kTourSteps = 60;
constexpr std::size_t kMostOfAnEvent = 200;     // bytes; what is longer is none of ours
constexpr std::uint64_t kFewestTimed = 10'000;  // markings; fewer say nothing of the speed
constexpr double kStripWidth = 1200;            // points, unless one frame is wider

absl::StatusOr<Net> read_net(const ModelOptions& options) {
  if (!options.file) return build_model(options.spec);
  absl::StatusOr<std::string> text = read_file(*options.file, kMostRunFileBytes);
  if (!text.ok()) return text.status();
  std::istringstream in(*std::move(text));
  return read_pnml(in, options.file->string());
}

// `searched` is told the processor time of this process when the search is over.
SearchLimits limits_of(const ModelOptions& options, std::clock_t& searched) {
  const auto deadline = std::chrono::steady_clock::now() + options.budget.value_or(kSearchBudget);
  return {.most_markings = options.most_markings,
          .enough =
              [deadline] {
                return noted_signal() != 0 || std::chrono::steady_clock::now() >= deadline;
              },
          .fold = !options.unfolded,
          .searched = [&searched] { searched = std::clock(); }};
}

// Of a search that took long enough to be timed; else empty.
std::string cost_text(const SearchResult& result, double cpu_s) {
  if (result.markings < kFewestTimed || cpu_s <= 0) return "";
  const auto markings = static_cast<double>(result.markings);
  return absl::StrFormat(
      "Cost         %.2f s of one core: %.1f million markings a second, %.0f bytes each\n", cpu_s,
      markings / cpu_s / 1e6, static_cast<double>(result.bytes) / markings);
}

std::string replay_text(const Net& net, const Replay& replay,
                        const std::vector<std::string>& events) {
  if (replay.conforms) {
    return "Replayed     " + std::to_string(events.size()) + " events: the net can do all of it\n" +
           "Never taken  " + (replay.untaken.empty() ? "none" : some_of(net, replay.untaken)) +
           "\n";
  }
  std::string text;
  const std::string event = printable(events[replay.refused].substr(0, kMostOfAnEvent));
  for (const std::string& line : refusal_of(net, replay, event)) {
    text += (text.empty() ? "Refused      " : "             ") + line + "\n";
  }
  return text;
}

// The shipped lock of which this is the model.
std::string lock_of(const std::string& model) {
  return model == "timed_hold" ? "keyed_limited" : model;
}

ConformOrder conform_order(const ModelOptions& options) {
  return {.engine = options.engine,
          .lock = options.lock.empty() ? lock_of(options.spec.primitive) : options.lock,
          .budget = options.budget.value_or(kConformBudget),
          .seed = options.seed};
}

// What to show of a net: what goes wrong, else something of everything.
struct Showing {
  std::vector<std::uint32_t> steps;
  std::string caption;
};

Showing tour_of(const Net& net) {
  return {.steps = tour(net, kTourSteps), .caption = "Round the net, until all has happened."};
}

Showing showing_of(const Net& net, const std::vector<std::uint32_t>& trace) {
  if (trace.empty()) return tour_of(net);
  return {.steps = trace, .caption = "A trace, replayed."};
}

Showing showing_of(const Net& net, const SearchResult& result) {
  if (result.to_dead) {
    return {.steps = *result.to_dead,
            .caption = "A shortest way to where nothing can happen any more."};
  }
  if (result.broken) {
    return {.steps = result.to_broken,
            .caption = "A shortest way to what must never be: not " +
                       net.claims[*result.broken].says + "."};
  }
  if (result.end == SearchEnd::kUnbounded) {
    return {.steps = result.to_unbounded, .caption = "What can be repeated adds tokens each time."};
  }
  return tour_of(net);
}

absl::Status write_pictures(const ModelOptions& options, const Net& net, const Showing& showing) {
  if (!options.draw && !options.film) return absl::OkStatus();
  const std::size_t nodes = net.places.size() + net.transitions.size();
  if (nodes > kMostDrawnNodes) {
    return absl::InvalidArgumentError("a net of " + std::to_string(nodes) +
                                      " places and transitions is too large to look at; the most "
                                      "is " +
                                      std::to_string(kMostDrawnNodes));
  }
  const absl::StatusOr<std::string> plain = laid_out_by_dot(dot_of(net));
  if (!plain.ok()) return plain.status();
  const absl::StatusOr<Layout> layout = parse_layout(net, *plain);
  if (!layout.ok()) return layout.status();
  if (options.draw) {
    const absl::Status written =
        replace_file(*options.draw, svg_of(net, *layout, initial_marking(net)));
    if (!written.ok()) return written;
  }
  if (!options.film) return absl::OkStatus();
  const auto columns = static_cast<std::size_t>(std::max(1.0, kStripWidth / layout->width));
  return replace_file(*options.film, options.film->extension() == ".svg"
                                         ? strip_of(net, *layout, showing.steps, columns)
                                         : film_of(net, *layout, showing.steps, showing.caption));
}

absl::Status write_files(const ModelOptions& options, const Net& net, const Showing& showing) {
  if (options.pnml) {
    if (const absl::Status s = replace_file(*options.pnml, pnml_of(net)); !s.ok()) return s;
  }
  if (options.promela) {
    if (const absl::Status s = replace_file(*options.promela, promela_of(net)); !s.ok()) return s;
  }
  return write_pictures(options, net, showing);
}

int code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSound:
      return 0;
    case Verdict::kFaulty:
      return kFound;
    case Verdict::kUnfinished:
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

// What came of it, when it has been told.
struct Outcome {
  int code = 0;
  Showing showing;
};

absl::StatusOr<Outcome> replay_and_tell(const ModelOptions& options, const Net& net,
                                        std::ostream& out) {
  const absl::StatusOr<std::vector<std::string>> events = read_trace(*options.replay);
  if (!events.ok()) return events.status();
  const Replay replayed = replay(net, *events);
  out << replay_text(net, replayed, *events);
  return Outcome{replayed.conforms ? kSuccess : kFound, showing_of(net, replayed.steps)};
}

absl::StatusOr<Outcome> conform_and_tell(const ModelOptions& options, const Net& net,
                                         std::ostream& out) {
  const absl::StatusOr<stress::Report> report = conform(net, conform_order(options));
  if (!report.ok()) return report.status();
  out << conform_text(*report);
  std::vector<std::uint32_t> steps;
  if (report->verdict == stress::Verdict::kFailed) steps = replay(net, report->trace).steps;
  return Outcome{code_of(report->verdict), showing_of(net, steps)};
}

absl::StatusOr<Outcome> search_and_tell(const ModelOptions& options, const Net& net,
                                        std::ostream& out) {
  const Invariants invariants = find_invariants(net);
  const std::clock_t began = std::clock();
  std::clock_t searched = began;
  const SearchResult result = search(net, invariants, limits_of(options, searched));
  const double cpu_s = static_cast<double>(searched - began) / CLOCKS_PER_SEC;
  out << summary_of(net, invariants, result) << cost_text(result, cpu_s);
  return Outcome{code_of(verdict_of(result)), showing_of(net, result)};
}

absl::StatusOr<Outcome> look_and_tell(const ModelOptions& options, const Net& net,
                                      std::ostream& out) {
  if (options.replay) return replay_and_tell(options, net, out);
  if (options.conform) return conform_and_tell(options, net, out);
  return search_and_tell(options, net, out);
}

}  // namespace

int model_command(const ModelOptions& options, std::ostream& out, std::ostream& err) {
  const auto complain = [&err](const absl::Status& status, int code) {
    err << "lockbench model: " << printable(std::string(status.message())) << '\n';
    return code;
  };
  note_signals();
  const absl::StatusOr<Net> net = read_net(options);
  if (!net.ok()) return complain(net.status(), kBadInput);
  if (const absl::Status status = validate(*net); !status.ok()) return complain(status, kBadInput);

  const absl::StatusOr<Outcome> outcome = look_and_tell(options, *net, out);
  if (!outcome.ok()) return complain(outcome.status(), code_of(outcome.status()));
  out.flush();
  if (noted_signal() != 0) {
    return complain(absl::CancelledError("interrupted; what was printed is of the part searched"),
                    kSignalExitBase + noted_signal());
  }
  const absl::Status written = write_files(options, *net, outcome->showing);
  if (!written.ok()) return complain(written, kCouldNotFinish);
  return outcome->code;
}

}  // namespace lockbench
