// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/report.h"

#include <algorithm>
#include <cstddef>

#include <absl/status/status.h>
#include <absl/strings/str_format.h>

#include "harness/base/json_fields.h"

namespace lockbench::stress {

namespace records = ::lockbench::internal;

namespace {

using records::FieldReader;
using records::FieldWriter;

constexpr Named<Verdict> kVerdicts[] = {{"clean", Verdict::kClean},
                                        {"failed", Verdict::kFailed},
                                        {"inconclusive", Verdict::kInconclusive}};

// A member that is left out where it has the value of an empty one.
template <class T>
void unless_empty(FieldWriter& write, std::string_view name, const T& value) {
  if (value != T{}) write(name, value);
}
template <class T>
void unless_empty(FieldReader& read, std::string_view name, T& value) {
  if (read.find(name) != nullptr) read(name, value);
}

absl::StatusOr<Oracle> parse_oracle(std::string_view text) {
  if (const std::optional<Oracle> oracle = oracle_named(text)) return *oracle;
  return absl::InvalidArgumentError(absl::StrFormat("`%s` is no oracle", text));
}

std::string oracle_text(Oracle oracle) {
  return std::string(name_of(oracle));
}

// Parts of a report that are objects of their own in its JSON. E: Evaluations, perhaps const.
template <class E>
struct OfOracles {  // how often each was evaluated, by name
  explicit OfOracles(E& all) : evaluations(all) {}
  E& evaluations;
};
template <class E>
struct OfPromises {
  explicit OfPromises(E& all) : evaluations(all) {}
  E& evaluations;
};
template <class F>
struct Figures {  // a number for each name, in their order
  explicit Figures(F& figures) : all(figures) {}
  F& all;
};

template <class E, class Visit>
void json_fields(const OfOracles<E>& of, Visit&& visit) {
  for (std::size_t i = 0; i < kOracles; ++i) {
    unless_empty(visit, name_of(static_cast<Oracle>(i)), of.evaluations.times[i]);
  }
}

template <class E, class Visit>
void json_fields(const OfPromises<E>& of, Visit&& visit) {
  for (std::size_t i = 0; i < kPromises; ++i) {
    unless_empty(visit, kPromiseNames[i], of.evaluations.of_promises[i]);
  }
}

template <class F>
records::ordered_json json_of_value(const Figures<F>& figures) {
  records::ordered_json object = records::ordered_json::object();
  for (const auto& [name, value] : figures.all) object[name] = value;
  return object;
}

// In the order of their names: the reader's objects have no other.
template <class F>
const char* take(const records::json& value, const Figures<F>& figures) {
  if (!value.is_object()) return "numbers by name";
  for (const auto& [name, figure] : value.items()) {
    double number = 0;
    if (records::take(figure, number) != nullptr) return "numbers by name";
    figures.all.emplace_back(name, number);
  }
  return nullptr;
}

}  // namespace

template <EitherConst<Order> T, class Visit>
void json_fields(T& order, Visit&& visit) {
  visit("lock", order.lock);
  visit("budget_ns", order.budget);
  visit("seed", order.seed);
  visit("program", order.program);
  visit("schedule", order.schedule);
  visit("memory", order.memory);
  visit("weaken", order.weaken);
  visit("exhaustive", order.exhaustive);
  visit("preemptions", order.preemptions);
  visit("mode", order.mode);
  visit("faults", order.faults);
  visit("ignore_tokens", order.ignore_tokens);
  visit("network", order.network);
  visit("threads", order.threads);
  visit("reruns", order.reruns);
  visit("net", order.net);
}

template <EitherConst<Reproduction> T, class Visit>
void json_fields(T& replay, Visit&& visit) {
  visit("options", replay.options);
  visit("exact", replay.exact);
  visit("reruns", replay.reruns);
  visit("failures", replay.failures);
  visit("command_s", replay.command_s);
  visit("command_failed", replay.command_failed);
}

template <EitherConst<TraceStep> T, class Visit>
void json_fields(T& step, Visit&& visit) {
  visit("at", step.at);
  visit("thread", step.thread);
  visit("text", step.text);
  unless_empty(visit, "act", step.act);
  unless_empty(visit, "keys", step.keys);
  unless_empty(visit, "place", step.source_line);
  unless_empty(visit, "word", step.word);
  unless_empty(visit, "was", step.was);
  unless_empty(visit, "now", step.now);
  unless_empty(visit, "order", step.order);
  unless_empty(visit, "access", step.access);
  unless_empty(visit, "wrong", step.wrong);
  unless_empty(visit, "decides", step.decides);
}

template <EitherConst<ExploredLitmus> T, class Visit>
void json_fields(T& explored, Visit&& visit) {
  visit("program", explored.program);
  visit("bound", explored.bound);
  visit("whole", explored.whole);
  visit("executions", explored.executions);
  visit("states", explored.states);
  visit("seconds", explored.seconds);
}

namespace {

bool has_failure(const Report& report, FieldWriter&) {
  return report.failure.has_value();
}
bool has_failure(Report& report, FieldReader& read) {
  if (read.find("oracle") == nullptr) return false;
  report.failure.emplace();
  return true;
}

}  // namespace

template <EitherConst<Report> T, class Visit>
void json_fields(T& report, Visit&& visit) {
  visit("engine", report.engine);
  visit("lock", report.lock);
  visit("verdict", report.verdict, kVerdicts);
  if (has_failure(report, visit)) {
    visit("oracle", report.failure->oracle, parse_oracle, oracle_text);
    visit("what", report.failure->what);
    visit("how", report.how);
    visit("found_after_s", report.found_after_s);
    visit("replay", report.replay);
    visit("trace", report.trace);
    unless_empty(visit, "steps", report.steps);
  }
  OfOracles oracles(report.evaluations);
  visit("evaluations", oracles);
  OfPromises promises(report.evaluations);
  visit("promises", promises);
  Figures figures(report.figures);
  visit("figures", figures);
  unless_empty(visit, "explored", report.explored);
  visit("remarks", report.remarks);
  visit("seconds", report.seconds);
  unless_empty(visit, "machine", report.machine);
  unless_empty(visit, "command", report.command);
}

std::string_view name_of(Verdict verdict) {
  return kVerdicts[static_cast<std::size_t>(verdict)].name;
}

Verdict clean_or_inconclusive(const Evaluations& evaluations, const std::vector<Oracle>& needed) {
  const bool all = std::all_of(needed.begin(), needed.end(),
                               [&](Oracle oracle) { return evaluations[oracle] != 0; });
  return all ? Verdict::kClean : Verdict::kInconclusive;
}

namespace {

template <class R>
absl::StatusOr<R> record_from(std::string_view text, const char* name) {
  const absl::StatusOr<records::json> object = records::parse_json(text, name);
  if (!object.ok()) return object.status();
  return records::read_record<R>(*object, name, records::Unlisted::kRefused);
}

}  // namespace

std::string to_json(const Order& order) {
  return records::text_of(records::json_of(order));
}

std::string to_json(const Report& report) {
  return records::text_of(records::json_of(report));
}

absl::StatusOr<Order> order_from_json(std::string_view text) {
  return record_from<Order>(text, "order");
}

absl::StatusOr<Report> report_from_json(std::string_view text) {
  absl::StatusOr<Report> report = record_from<Report>(text, "report");
  if (!report.ok()) return report;
  // In the order in which they were written.
  const auto ordered = records::ordered_json::parse(text);
  report->figures.clear();
  for (const auto& [name, value] : ordered.at("figures").items()) {
    report->figures.emplace_back(name, value.get<double>());
  }
  return report;
}

}  // namespace lockbench::stress
