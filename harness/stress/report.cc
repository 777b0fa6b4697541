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

constexpr std::array<std::string_view, 4> kVerdicts = {"clean", "failed", "inconclusive", "unfair"};

// One line; names and messages may hold bytes that are no UTF-8.
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
                   {"preemptions", order.preemptions},
                   {"mode", order.mode},
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
                 .preemptions = json.at("preemptions"),
                 .mode = json.at("mode"),
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
    json["replay"] = {{"options", report.replay.options},
                      {"exact", report.replay.exact},
                      {"reruns", report.replay.reruns},
                      {"failures", report.replay.failures}};
    json["trace"] = report.trace;
  }
  json["evaluations"] = json_of(report.evaluations);
  Json figures = Json::object();
  for (const auto& [name, value] : report.figures) figures[name] = value;
  json["figures"] = figures;
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
                       .failures = replay.at("failures")};
      report.trace = json.at("trace").get<std::vector<std::string>>();
    }
    for (const auto& [name, times] : json.at("evaluations").items()) {
      report.evaluations.times[static_cast<std::size_t>(oracle_from(name))] = times;
    }
    for (const auto& [name, value] : json.at("figures").items()) {
      report.figures.emplace_back(name, value.get<double>());
    }
    report.remarks = json.at("remarks").get<std::vector<std::string>>();
    report.seconds = json.at("seconds");
    return report;
  });
}

}  // namespace lockbench::stress
