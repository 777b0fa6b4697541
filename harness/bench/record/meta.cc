// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/meta.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <absl/status/status.h>
#include <absl/strings/str_format.h>
#include <nlohmann/json.hpp>

#include "harness/base/json_fields.h"
#include "harness/bench/plan/describe.h"
#include "harness/bench/plan/json.h"
#include "harness/bench/record/machine_identity.h"
#include "harness/bench/record/machine_json.h"
#include "harness/bench/record/target.h"

namespace lockbench {

namespace {

constexpr Named<RunEnd::State> kStates[] = {{"running", RunEnd::State::kRunning},
                                            {"finished", RunEnd::State::kFinished},
                                            {"interrupted", RunEnd::State::kInterrupted}};

// A description of the target that a preset is sized for, for users. A reader uses only the name
// and computes the rest again.
struct TargetRecord {
  std::string name;
  std::optional<bool> matches;
  std::optional<std::string> note;
};

template <EitherConst<TargetRecord> T, class Visit>
void json_fields(T& target, Visit&& visit) {
  visit("name", target.name);
  visit("matches", target.matches);
  visit("note", target.note);
}

}  // namespace

template <EitherConst<RunEnd> T, class Visit>
void json_fields(T& end, Visit&& visit) {
  visit("state", end.state, kStates);
  visit("trials_done", end.trials_done);
  visit("wall_s", end.wall_s);
}

template <EitherConst<HoldAccuracy> T, class Visit>
void json_fields(T& hold, Visit&& visit) {
  visit("asked_ns", hold.asked);
  visit("got_ns", hold.got_ns);
}

template <EitherConst<CoreSpeed> T, class Visit>
void json_fields(T& core, Visit&& visit) {
  visit("kind", core.kind);
  visit("speed", core.speed);
}

template <EitherConst<Calibration> T, class Visit>
void json_fields(T& calibration, Visit&& visit) {
  visit("clock_ns", calibration.clock_ns);
  visit("floor_untimed_ns", calibration.floor_untimed_ns);
  visit("floor_sampled_ns", calibration.floor_sampled_ns);
  visit("floor_timed_ns", calibration.floor_timed_ns);
  visit("holds", calibration.holds);
  visit("core_speeds", calibration.core_speeds);
}

template <EitherConst<MachineFinding> T, class Visit>
void json_fields(T& finding, Visit&& visit) {
  visit("severity", finding.severity);
  visit("name", finding.name);
  visit("what", finding.what);
}

template <EitherConst<Surroundings> T, class Visit>
void json_fields(T& surroundings, Visit&& visit) {
  visit("most_interference", surroundings.most_interference);
  visit("patience_s", surroundings.patience_s);
  visit("waited_s", surroundings.waited_s);
  visit("busy", surroundings.busy);
  visit("findings_at_start", surroundings.at_start);
  visit("findings_at_end", surroundings.at_end);
}

template <EitherConst<Shard> T, class Visit>
void json_fields(T& shard, Visit&& visit) {
  visit("index", shard.index);
  visit("of", shard.of);
}

template <EitherConst<RunPart> T, class Visit>
void json_fields(T& part, Visit&& visit) {
  visit("run_id", part.run_id);
  visit("shard", part.shard);
  visit("started_at", part.started_at);
  visit("command", part.command);
  visit("machine", part.machine);
  visit("calibration", part.calibration);
  visit("surroundings", part.surroundings);
  visit("end", part.end);
  visit("boot_id", part.boot_id);
  visit("periods", part.periods);
}

template <EitherConst<PartOverlap> T, class Visit>
void json_fields(T& overlap, Visit&& visit) {
  visit("machine", overlap.machine);
  visit("run_ids", overlap.run_ids);
  visit("overlap_s", overlap.overlap_s);
}

namespace {

using internal::FieldReader;
using nlohmann::json;
using nlohmann::ordered_json;

TargetRecord target_record(const std::string& name, const Machine& machine) {
  TargetRecord record{.name = name, .matches = false, .note = {}};
  const Target* const target = find_target(name);
  if (target == nullptr) {
    record.note = "this lockbench knows no target of that name";
    return record;
  }
  TargetMatch match = match_target(machine, *target);
  record.matches = match.matches;
  if (!match.note.empty()) record.note = std::move(match.note);
  return record;
}

// All members except the plan, which comes last.
template <EitherConst<Meta> M, class Visit>
void visit_meta(M& meta, std::optional<TargetRecord>& target, Visit&& visit) {
  visit("schema_version", meta.run.schema_version);
  visit("run_id", meta.run.run_id);
  visit("preset", meta.run.preset);
  visit("target", target);
  visit("started_at", meta.started_at);
  visit("command", meta.command);
  visit("end", meta.end);
  visit("machine", meta.machine);
  visit("build", meta.build);
  visit("plugins", meta.plugins);
  visit("calibration", meta.calibration);
  visit("surroundings", meta.surroundings);
  visit("shard", meta.shard);
  visit("machines", meta.machines);
  visit("parts", meta.parts);
  visit("overlaps", meta.overlaps);
}

// Shards may have a plug-in in different folders.
std::vector<PluginRecord> by_file_name(const Plugins& plugins) {
  std::vector<PluginRecord> sorted = plugins.value_or(std::vector<PluginRecord>{});
  const auto key = [](const PluginRecord& plugin) {
    return std::pair(std::filesystem::path(plugin.file).filename(), plugin.file_hash);
  };
  std::sort(sorted.begin(), sorted.end(),
            [&](const PluginRecord& a, const PluginRecord& b) { return key(a) < key(b); });
  return sorted;
}

// The version is checked first, because a different version would cause all other errors.
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
  std::optional<TargetRecord> target;
  if (!meta.run.target.empty()) target = target_record(meta.run.target, meta.machine);
  ordered_json object;
  visit_meta(meta, target, internal::FieldWriter(object));
  std::string text = internal::text_of(object, 2);
  // The plan has a format of its own with one trial per line. It is inserted before the closing
  // brace.
  text.resize(text.size() - std::string_view("\n}").size());
  const std::string plan = to_json(meta.plan);
  return absl::StrFormat("%s,\n  \"plan_hash\": \"%s\",\n  \"plan\": %s\n}\n", text,
                         fingerprint(plan), plan);
}

namespace {

// Reads the members of visit_meta(), and what `read_rest` reads of what follows them.
template <class ReadRest>
absl::StatusOr<Meta> read_meta(std::string_view text, std::string_view name,
                               const ReadRest& read_rest) {
  const absl::StatusOr<json> object = internal::parse_json(text, name);
  if (!object.ok()) return object.status();
  if (absl::Status status = check_version(*object, name); !status.ok()) return status;
  Meta meta;
  std::optional<TargetRecord> target;
  FieldReader reader(*object, std::string(name));
  visit_meta(meta, target, reader);
  read_rest(reader, meta);
  if (absl::Status status = reader.finish(); !status.ok()) return status;
  if (target) meta.run.target = target->name;
  meta.run.machine = meta.machine.id.value_or("");
  return meta;
}

}  // namespace

absl::StatusOr<Meta> parse_meta(std::string_view text, std::string_view name) {
  return read_meta(text, name, [](FieldReader& reader, Meta& meta) {
    const json* const plan = reader.required("plan");
    if (plan == nullptr) return;
    absl::StatusOr<Plan> read = internal::plan_from(*plan, reader.path("plan"));
    reader.merge(read.status());
    if (read.ok()) meta.plan = *std::move(read);
  });
}

absl::StatusOr<MetaHead> parse_meta_head(std::string_view text, std::string_view name) {
  // JSON text contains no line end within a string, so this is found nowhere else.
  const std::size_t plan = text.find(",\n  \"plan\": {");
  const bool has_hash = plan != std::string_view::npos && text.ends_with("]}\n}\n");
  MetaHead head;
  absl::StatusOr<Meta> meta =
      has_hash
          ? read_meta(std::string(text.substr(0, plan)) + "}", name,
                      [&head](FieldReader& reader, Meta&) { reader("plan_hash", head.plan_hash); })
          : parse_meta(text, name);
  if (!meta.ok()) return meta.status();
  if (!has_hash) head.plan_hash = plan_hash(std::exchange(meta->plan, {}));
  head.meta = *std::move(meta);
  return head;
}

std::string plan_hash(const Plan& plan) {
  return fingerprint(to_json(plan));
}

std::string build_difference(const Build& one, const Build& other) {
  const ordered_json a = internal::json_of(one);
  const ordered_json b = internal::json_of(other);
  const auto value_of = [](const ordered_json& build, const std::string& name) {
    const auto found = build.find(name);
    return found == build.end() ? "unknown" : internal::text_of(*found);
  };
  ordered_json names = a;
  names.update(b);
  for (const auto& [name, value] : names.items()) {
    if (value_of(a, name) == value_of(b, name)) continue;
    return absl::StrFormat("%s %s and %s", name, value_of(a, name), value_of(b, name));
  }
  return {};
}

std::string build_difference(const Meta& recorded, const Build& build, const Plugins& plugins) {
  std::string difference = build_difference(recorded.build, build);
  if (!difference.empty()) return difference;
  const std::vector<PluginRecord> a = by_file_name(recorded.plugins);
  const std::vector<PluginRecord> b = by_file_name(plugins);
  if (a.size() != b.size())
    return absl::StrFormat("%d and %d plug-ins: name by --plugin what it measures", a.size(),
                           b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].file_hash == b[i].file_hash) continue;
    return absl::StrFormat("plug-in %s, file_hash %s and %s", b[i].file,
                           a[i].file_hash.value_or("unknown"), b[i].file_hash.value_or("unknown"));
  }
  return {};
}

std::string why_not_resume(const Meta& recorded, const Machine& machine, const Build& build,
                           const Plugins& plugins) {
  for (const Trial& trial : recorded.plan.trials) {
    if (trial.cell.mode != Mode::kMicro) continue;
    return "it was measured by lockbench-micro, which resumes nothing; start a new one: " +
           recorded.command;
  }
  if (recorded.parts) {
    return absl::StrFormat(
        "it was merged from %d runs; resume those, by their own commands, and merge them again",
        recorded.parts->size());
  }
  if (std::string other = machine_difference(recorded.machine, machine); !other.empty()) {
    return absl::StrFormat(
        "it was begun on another machine, or on this one in another condition (%s); resume it "
        "there, or start a new run",
        other);
  }
  if (std::string other = build_difference(recorded, build, plugins); !other.empty()) {
    return absl::StrFormat(
        "it was begun with another build (%s); resume it with that one, or start a new run", other);
  }
  return {};
}

}  // namespace lockbench
