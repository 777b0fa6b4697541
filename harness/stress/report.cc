// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/report.h"

#include <algorithm>
#include <array>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <nlohmann/json.hpp>

namespace lockbench::stress {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> kVerdicts = {"clean", "failed", "inconclusive"};

// Writes the JSON on one line. Names and messages may contain bytes that are not valid UTF-8.
std::string one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class Read>
auto reading(const char* what, std::string_view text, const Read& read)
    -> absl::StatusOr<decltype(read(Json()))> {
  try {
    return read(Json::parse(text));
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": ", error.what()));
  }
}

Oracle oracle_from(const std::string& name) {
  if (const std::optional<Oracle> oracle = oracle_named(name)) return *oracle;
  throw Json::other_error::create(501, "`" + name + "` is no oracle", nullptr);
}

Json json_of(const Evaluations& evaluations) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kOracles; ++i) {
    if (evaluations.times[i] == 0) continue;
    json[std::string(name_of(static_cast<Oracle>(i)))] = evaluations.times[i];
  }
  return json;
}

Json promises_of(const Evaluations& evaluations) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kPromises; ++i) {
    if (evaluations.of_promises[i] == 0) continue;
    json[std::string(kPromiseNames[i])] = evaluations.of_promises[i];
  }
  return json;
}

Json json_of(const std::vector<TraceStep>& steps) {
  Json all = Json::array();
  for (const TraceStep& step : steps) {
    Json json = {{"at", step.at}, {"thread", step.thread}, {"text", step.text}};
    const auto add = [&](const char* name, const std::string& text) {
      if (!text.empty()) json[name] = text;
    };
    add("act", step.act);
    if (!step.keys.empty()) json["keys"] = step.keys;
    add("place", step.place);
    add("word", step.word);
    add("was", step.was);
    add("now", step.now);
    add("order", step.order);
    if (step.access) json["access"] = true;
    if (step.wrong) json["wrong"] = true;
    all.push_back(std::move(json));
  }
  return all;
}

Json json_of(const std::vector<ExploredLitmus>& explored) {
  Json all = Json::array();
  for (const ExploredLitmus& one : explored) {
    all.push_back({{"program", one.program},
                   {"bound", one.bound},
                   {"whole", one.whole},
                   {"executions", one.executions},
                   {"states", one.states},
                   {"seconds", one.seconds}});
  }
  return all;
}

std::vector<ExploredLitmus> explored_from(const Json& all) {
  std::vector<ExploredLitmus> explored;
  for (const Json& json : all) {
    explored.push_back({.program = json.at("program"),
                        .bound = json.at("bound"),
                        .whole = json.at("whole"),
                        .executions = json.at("executions"),
                        .states = json.at("states"),
                        .seconds = json.at("seconds")});
  }
  return explored;
}

std::vector<TraceStep> steps_from(const Json& all) {
  std::vector<TraceStep> steps;
  for (const Json& json : all) {
    const auto text = [&](const char* name) { return json.value(name, std::string()); };
    steps.push_back({.at = json.at("at"),
                     .thread = json.at("thread"),
                     .text = json.at("text"),
                     .act = text("act"),
                     .keys = json.value("keys", std::vector<std::uint32_t>()),
                     .place = text("place"),
                     .access = json.value("access", false),
                     .wrong = json.value("wrong", false),
                     .word = text("word"),
                     .was = text("was"),
                     .now = text("now"),
                     .order = text("order")});
  }
  return steps;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  return kVerdicts[static_cast<std::size_t>(verdict)];
}

Verdict clean_or_inconclusive(const Evaluations& evaluations, const std::vector<Oracle>& needed) {
  const bool all = std::all_of(needed.begin(), needed.end(),
                               [&](Oracle oracle) { return evaluations[oracle] != 0; });
  return all ? Verdict::kClean : Verdict::kInconclusive;
}

std::string to_json(const Order& order) {
  return one_line({{"lock", order.lock},
                   {"budget_ns", order.budget.count()},
                   {"seed", order.seed},
                   {"program", order.program},
                   {"schedule", order.schedule},
                   {"memory", order.memory},
                   {"weaken", order.weaken},
                   {"exhaustive", order.exhaustive},
                   {"preemptions", order.preemptions},
                   {"mode", order.mode},
                   {"faults", order.faults},
                   {"ignore_tokens", order.ignore_tokens},
                   {"network", order.network},
                   {"threads", order.threads},
                   {"reruns", order.reruns},
                   {"net", order.net}});
}

absl::StatusOr<Order> order_from_json(std::string_view text) {
  return reading("order", text, [](const Json& json) {
    return Order{.lock = json.at("lock"),
                 .budget = std::chrono::nanoseconds(json.at("budget_ns").get<std::int64_t>()),
                 .seed = json.at("seed"),
                 .program = json.at("program"),
                 .schedule = json.at("schedule"),
                 .memory = json.at("memory"),
                 .weaken = json.at("weaken"),
                 .exhaustive = json.at("exhaustive"),
                 .preemptions = json.at("preemptions"),
                 .mode = json.at("mode"),
                 .faults = json.at("faults"),
                 .ignore_tokens = json.at("ignore_tokens"),
                 .network = json.at("network"),
                 .threads = json.at("threads"),
                 .reruns = json.at("reruns"),
                 .net = json.at("net")};
  });
}

std::string to_json(const Report& report) {
  Json json = {{"engine", report.engine},
               {"lock", report.lock},
               {"verdict", std::string(name_of(report.verdict))}};
  if (report.failure) {
    json["oracle"] = std::string(name_of(report.failure->oracle));
    json["what"] = report.failure->what;
    json["how"] = report.how;
    json["found_after_s"] = report.found_after_s;
    json["replay"] = {
        {"options", report.replay.options},     {"exact", report.replay.exact},
        {"reruns", report.replay.reruns},       {"failures", report.replay.failures},
        {"command_s", report.replay.command_s}, {"command_failed", report.replay.command_failed}};
    json["trace"] = report.trace;
    if (!report.steps.empty()) json["steps"] = json_of(report.steps);
  }
  json["evaluations"] = json_of(report.evaluations);
  json["promises"] = promises_of(report.evaluations);
  Json figures = Json::object();
  for (const auto& [name, value] : report.figures) figures[name] = value;
  json["figures"] = figures;
  if (!report.explored.empty()) json["explored"] = json_of(report.explored);
  json["remarks"] = report.remarks;
  json["seconds"] = report.seconds;
  if (!report.machine.empty()) json["machine"] = report.machine;
  if (!report.command.empty()) json["command"] = report.command;
  return one_line(json);
}

absl::StatusOr<Report> report_from_json(std::string_view text) {
  return reading("report", text, [](const Json& json) {
    Report report{.engine = json.at("engine"), .lock = json.at("lock")};
    const std::string verdict = json.at("verdict");
    const auto found = std::find(kVerdicts.begin(), kVerdicts.end(), verdict);
    if (found == kVerdicts.end()) {
      throw Json::other_error::create(501, "`" + verdict + "` is no verdict", nullptr);
    }
    report.verdict = static_cast<Verdict>(found - kVerdicts.begin());
    if (json.contains("oracle")) {
      report.failure = Failure{oracle_from(json.at("oracle")), json.at("what")};
      report.how = json.at("how");
      report.found_after_s = json.at("found_after_s");
      const Json& replay = json.at("replay");
      report.replay = {.options = replay.at("options").get<std::vector<std::string>>(),
                       .exact = replay.at("exact"),
                       .reruns = replay.at("reruns"),
                       .failures = replay.at("failures"),
                       .command_s = replay.value("command_s", 0.0),
                       .command_failed = replay.value("command_failed", false)};
      report.trace = json.at("trace").get<std::vector<std::string>>();
      if (json.contains("steps")) report.steps = steps_from(json.at("steps"));
    }
    for (const auto& [name, times] : json.at("evaluations").items()) {
      report.evaluations.times[static_cast<std::size_t>(oracle_from(name))] = times;
    }
    const Json promises = json.value("promises", Json::object());
    for (std::size_t i = 0; i < kPromises; ++i) {
      const std::string name(kPromiseNames[i]);
      report.evaluations.of_promises[i] = promises.value(name, std::uint64_t{0});
    }
    for (const auto& [name, value] : json.at("figures").items()) {
      report.figures.emplace_back(name, value.get<double>());
    }
    if (json.contains("explored")) report.explored = explored_from(json.at("explored"));
    report.remarks = json.at("remarks").get<std::vector<std::string>>();
    report.seconds = json.at("seconds");
    return report;
  });
}

}  // namespace lockbench::stress
