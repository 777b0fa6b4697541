// SPDX-License-Identifier: Apache-2.0

#include "harness/record/meta.h"

#include <array>
#include <utility>

#include <absl/status/status.h>
#include <absl/strings/str_format.h>
#include <nlohmann/json.hpp>

#include "harness/plan/json.h"
#include "harness/record/field_reader.h"
#include "harness/record/target.h"

namespace lockbench {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;  // people read meta.json: its fields keep their order

constexpr std::array<std::pair<RunEnd::State, std::string_view>, 3> kStates{{
    {RunEnd::State::kRunning, "running"},
    {RunEnd::State::kFinished, "finished"},
    {RunEnd::State::kInterrupted, "interrupted"},
}};

// The facts of a machine that are one value each: one list for both ways.
template <class M, class Visit>
void for_each_fact(M& machine, Visit visit) {
  visit("cpu_model", machine.cpu_model);
  visit("packages", machine.packages);
  visit("numa_nodes", machine.numa_nodes);
  visit("cores", machine.cores);
  visit("hardware_threads", machine.hardware_threads);
  visit("threads_per_core", machine.threads_per_core);
  visit("usable_threads", machine.usable_threads);
  visit("governor", machine.governor);
  visit("kernel", machine.kernel);
  visit("hypervisor", machine.hypervisor);
  visit("memory_bytes", machine.memory_bytes);
}

ordered_json machine_json(const Machine& machine) {
  ordered_json object = ordered_json::object();
  for_each_fact(machine, [&](const char* name, const auto& fact) {
    if (fact) object[name] = *fact;
  });
  ordered_json caches = ordered_json::array();
  for (const Cache& cache : machine.caches) {
    caches.push_back({{"level", cache.level},
                      {"kind", cache.kind},
                      {"bytes", cache.bytes},
                      {"number", cache.number},
                      {"threads", cache.threads}});
  }
  object["caches"] = std::move(caches);
  return object;
}

ordered_json build_json(const Build& build) {
  ordered_json object = {{"version", build.version},
                         {"compiler", build.compiler},
                         {"build_type", build.build_type},
                         {"flags", build.flags},
                         {"libraries", build.libraries}};
  if (build.commit) object["commit"] = *build.commit;
  if (build.modified) object["modified"] = *build.modified;
  return object;
}

// What is known of the target; a target that we have never heard of matches no machine.
ordered_json target_json(const std::string& name, const Machine& machine) {
  const Target* target = find_target(name);
  const TargetMatch match =
      target != nullptr
          ? match_target(machine, *target)
          : TargetMatch{.matches = false, .note = "this lockbench knows no target of that name"};
  ordered_json object = {{"name", name}, {"matches", match.matches}};
  if (!match.note.empty()) object["note"] = match.note;
  return object;
}

ordered_json end_json(const RunEnd& end) {
  std::string_view state;
  for (const auto& [value, name] : kStates) {
    if (value == end.state) state = name;
  }
  return {{"state", state}, {"trials_done", end.trials_done}, {"wall_s", end.wall_s}};
}

void read_cache(const json& object, const std::string& where, internal::FieldReader& parent,
                std::vector<Cache>& caches) {
  internal::FieldReader reader(object, where);
  Cache& cache = caches.emplace_back();
  reader.require("level", cache.level);
  reader.require("kind", cache.kind);
  reader.require("bytes", cache.bytes);
  reader.require("number", cache.number);
  reader.require("threads", cache.threads);
  parent.merge(reader.finish());
}

void read_machine_json(internal::FieldReader& meta, Machine& machine) {
  const json* object = meta.required("machine");
  if (object == nullptr) return;
  internal::FieldReader reader(*object, meta.path("machine"));
  for_each_fact(machine, [&](const char* name, auto& fact) { reader.allow(name, fact); });
  if (const json* caches = reader.required("caches")) {
    if (!caches->is_array()) reader.fail(reader.path("caches"), "expected a list");
    for (const json& cache : *caches) {
      read_cache(cache, reader.path("caches"), reader, machine.caches);
    }
  }
  meta.merge(reader.finish());
}

void read_libraries(internal::FieldReader& build, std::map<std::string, std::string>& libraries) {
  const json* object = build.required("libraries");
  if (object == nullptr) return;
  internal::FieldReader reader(*object, build.path("libraries"));
  if (object->is_object()) {
    for (const auto& [name, version] : object->items()) {
      reader.require(name.c_str(), libraries[name]);
    }
  }
  build.merge(reader.finish());
}

void read_build_json(internal::FieldReader& meta, Build& build) {
  const json* object = meta.required("build");
  if (object == nullptr) return;
  internal::FieldReader reader(*object, meta.path("build"));
  reader.require("version", build.version);
  reader.require("compiler", build.compiler);
  reader.require("build_type", build.build_type);
  reader.require("flags", build.flags);
  read_libraries(reader, build.libraries);
  reader.allow("commit", build.commit);
  reader.allow("modified", build.modified);
  meta.merge(reader.finish());
}

void read_target_json(internal::FieldReader& meta, std::string& name) {
  const json* object = meta.find("target");
  if (object == nullptr) return;
  internal::FieldReader reader(*object, meta.path("target"));
  reader.require("name", name);
  // Worked out again from machine and name whenever they are written.
  reader.find("matches");
  reader.find("note");
  meta.merge(reader.finish());
}

void read_end_json(internal::FieldReader& meta, RunEnd& end) {
  const json* object = meta.required("end");
  if (object == nullptr) return;
  internal::FieldReader reader(*object, meta.path("end"));
  std::string state;
  reader.require("state", state);
  bool known = false;
  for (const auto& [value, name] : kStates) {
    if (name == state) end.state = value, known = true;
  }
  if (!known) {
    reader.fail(reader.path("state"), "expected running, finished or interrupted");
  }
  reader.require("trials_done", end.trials_done);
  reader.require("wall_s", end.wall_s);
  meta.merge(reader.finish());
}

// The floors: one list for both ways.
template <class C, class Visit>
void for_each_floor(C& calibration, Visit visit) {
  visit("floor_untimed_ns", calibration.floor_untimed_ns);
  visit("floor_sampled_ns", calibration.floor_sampled_ns);
  visit("floor_timed_ns", calibration.floor_timed_ns);
}

ordered_json calibration_json(const Calibration& calibration) {
  ordered_json holds = ordered_json::array();
  for (const HoldAccuracy& hold : calibration.holds) {
    holds.push_back({{"asked_ns", hold.asked.count()}, {"got_ns", hold.got_ns}});
  }
  ordered_json object = {{"clock_ns", calibration.clock_ns}};
  for_each_floor(calibration, [&](const char* name, const auto& floor_ns) {
    if (floor_ns) object[name] = *floor_ns;
  });
  object["holds"] = std::move(holds);
  return object;
}

void read_calibration_json(internal::FieldReader& meta, std::optional<Calibration>& out) {
  const json* object = meta.find("calibration");
  if (object == nullptr) return;
  Calibration& calibration = out.emplace();
  internal::FieldReader reader(*object, meta.path("calibration"));
  reader.require("clock_ns", calibration.clock_ns);
  for_each_floor(calibration,
                 [&](const char* name, auto& floor_ns) { reader.allow(name, floor_ns); });
  const json* holds = reader.required("holds");
  if (holds != nullptr && !holds->is_array()) {
    reader.fail(reader.path("holds"), "expected a list");
  } else if (holds != nullptr) {
    for (const json& hold : *holds) {
      std::uint64_t asked_ns = 0;
      HoldAccuracy accuracy;
      internal::FieldReader entry(hold, reader.path("holds"));
      entry.require("asked_ns", asked_ns);
      entry.require("got_ns", accuracy.got_ns);
      reader.merge(entry.finish());
      accuracy.asked = Nanoseconds(asked_ns);
      calibration.holds.push_back(accuracy);
    }
  }
  meta.merge(reader.finish());
}

ordered_json findings_json(const std::vector<MachineFinding>& findings) {
  ordered_json list = ordered_json::array();
  for (const MachineFinding& one : findings) {
    list.push_back({{"severity", one.severity}, {"name", one.name}, {"what", one.what}});
  }
  return list;
}

ordered_json surroundings_json(const Surroundings& surroundings) {
  ordered_json object = {{"most_interference", surroundings.most_interference},
                         {"patience_s", surroundings.patience_s},
                         {"waited_s", surroundings.waited_s}};
  if (!surroundings.busy.empty()) object["busy"] = surroundings.busy;
  object["findings_at_start"] = findings_json(surroundings.at_start);
  object["findings_at_end"] = findings_json(surroundings.at_end);
  return object;
}

void read_findings_json(internal::FieldReader& parent, const char* name,
                        std::vector<MachineFinding>& findings) {
  const json* list = parent.required(name);
  if (list == nullptr) return;
  if (!list->is_array()) return parent.fail(parent.path(name), "expected a list");
  for (const json& object : *list) {
    internal::FieldReader reader(object, parent.path(name));
    MachineFinding& finding = findings.emplace_back();
    reader.require("severity", finding.severity);
    reader.require("name", finding.name);
    reader.require("what", finding.what);
    parent.merge(reader.finish());
  }
}

void read_surroundings_json(internal::FieldReader& meta, std::optional<Surroundings>& out) {
  const json* object = meta.find("surroundings");
  if (object == nullptr) return;
  Surroundings& surroundings = out.emplace();
  internal::FieldReader reader(*object, meta.path("surroundings"));
  reader.require("most_interference", surroundings.most_interference);
  reader.require("patience_s", surroundings.patience_s);
  reader.require("waited_s", surroundings.waited_s);
  std::optional<std::string> busy;
  reader.allow("busy", busy);
  surroundings.busy = busy.value_or("");
  read_findings_json(reader, "findings_at_start", surroundings.at_start);
  read_findings_json(reader, "findings_at_end", surroundings.at_end);
  meta.merge(reader.finish());
}

void read_plan_json(internal::FieldReader& meta, Plan& plan) {
  const json* object = meta.required("plan");
  if (object == nullptr) return;
  absl::StatusOr<Plan> read = plan_from_json(object->dump());
  if (read.ok()) {
    plan = std::move(*read);
  } else {
    meta.fail(meta.path("plan"), std::string(read.status().message()));
  }
}

// Told before anything else, since every other error would only follow from it.
absl::Status check_version(const json& object, std::string_view name) {
  if (!object.is_object() || !object.contains("schema_version")) return absl::OkStatus();
  const json& version = object["schema_version"];
  if (version == kSchemaVersion) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrFormat(
      "%s: schema version %s, and this lockbench has %d; use the lockbench that wrote it, or start "
      "a new run",
      name, version.dump(), kSchemaVersion));
}

}  // namespace

std::string meta_text(const Meta& meta) {
  ordered_json object = {{"schema_version", meta.run.schema_version},
                         {"run_id", meta.run.run_id},
                         {"preset", meta.run.preset}};
  if (!meta.run.target.empty()) object["target"] = target_json(meta.run.target, meta.machine);
  object["started_at"] = meta.started_at;
  object["command"] = meta.command;
  object["end"] = end_json(meta.end);
  object["machine"] = machine_json(meta.machine);
  object["build"] = build_json(meta.build);
  if (meta.calibration) object["calibration"] = calibration_json(*meta.calibration);
  if (meta.surroundings) object["surroundings"] = surroundings_json(*meta.surroundings);
  std::string text = object.dump(2, ' ', false, ordered_json::error_handler_t::replace);
  // The plan has a form of its own, a trial a line; it goes in before the closing brace.
  text.resize(text.size() - std::string_view("\n}").size());
  return text + ",\n  \"plan\": " + to_json(meta.plan) + "\n}\n";
}

absl::StatusOr<Meta> parse_meta(std::string_view text, std::string_view name) {
  const absl::StatusOr<json> object = internal::parse_json(text, name);
  if (!object.ok()) return object.status();
  if (absl::Status status = check_version(*object, name); !status.ok()) return status;
  Meta meta;
  std::uint32_t schema_version = 0;
  internal::FieldReader reader(*object, std::string(name));
  reader.require("schema_version", schema_version);
  reader.require("run_id", meta.run.run_id);
  reader.require("preset", meta.run.preset);
  read_target_json(reader, meta.run.target);
  reader.require("started_at", meta.started_at);
  reader.require("command", meta.command);
  read_end_json(reader, meta.end);
  read_machine_json(reader, meta.machine);
  read_build_json(reader, meta.build);
  read_calibration_json(reader, meta.calibration);
  read_surroundings_json(reader, meta.surroundings);
  read_plan_json(reader, meta.plan);
  if (absl::Status status = reader.finish(); !status.ok()) return status;
  return meta;
}

std::string why_not_resume(const Meta& recorded, const Machine& machine, const Build& build) {
  for (const Trial& trial : recorded.plan.trials) {
    if (trial.cell.mode != Mode::kMicro) continue;
    return "it was measured by lockbench-micro, which resumes nothing; start it anew: " +
           recorded.command;
  }
  const Machine& then = recorded.machine;
  if (then.cpu_model != machine.cpu_model || then.hardware_threads != machine.hardware_threads) {
    return absl::StrFormat(
        "it was begun on another machine (%s); resume it there, or start a new run",
        then.cpu_model.value_or("an unknown processor"));
  }
  if (recorded.build != build) {
    return absl::StrFormat(
        "it was begun with another build (commit %s, %s, %s); resume it with that one, or start a "
        "new run",
        recorded.build.commit.value_or("unknown"), recorded.build.compiler, recorded.build.flags);
  }
  return {};
}

std::string shell_command(const std::vector<std::string>& words) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  std::string command;
  for (const std::string& word : words) {
    if (!command.empty()) command += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      command += word;
      continue;
    }
    command += '\'';
    for (const char c : word) command += c == '\'' ? std::string("'\\''") : std::string(1, c);
    command += '\'';
  }
  return command;
}

}  // namespace lockbench
