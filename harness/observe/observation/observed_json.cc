// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/observed_json.h"

#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "harness/base/printable.h"
#include "harness/bench/record/build.h"
#include "harness/bench/record/latency_json.h"
#include "harness/observe/observation/observed_preset.h"
#include "harness/observe/recorder/recorder.h"

namespace lockbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 2;

Json holds_json(const std::vector<HoldsOnKind>& holds) {
  Json json = Json::array();
  for (const HoldsOnKind& one : holds) {
    json.push_back({{"kind", one.kind}, {"holds", one.holds}, {"held_s", one.held_s}});
  }
  return json;
}

Json place_json(const ObservedPlace& place, const ObservedProcess& process,
                const ObservationFacts& facts) {
  Json json;
  json["name"] = printable(place.name());
  json["callers"] = Json::array();
  for (const CodeLocation& caller : place.callers) {
    json["callers"].push_back({{"function", printable(caller.function)},
                               {"file", printable(caller.file)},
                               {"line", caller.line},
                               {"module", printable(caller.module)},
                               {"offset", caller.offset}});
  }
  json["wrappers"] = place.wrappers;
  json["kind"] = kind_name(place.kind);
  json["threads"] = place.threads;
  json["acquisitions"] = place.acquisitions;
  json["shared_acquisitions"] = place.shared_acquisitions;
  json["contended"] = place.contended;
  json["failed_tries"] = place.failed_tries;
  json["condition_waits"] = place.condition_waits;
  json["recursions"] = place.recursions;
  json["locks"] = place.popularity.locks + place.unlisted_locks;
  json["zipf"] = place.popularity.zipf;
  json["zipf_error"] = place.popularity.zipf_error;
  json["hottest_share"] = place.popularity.hottest_share;
  json["hot_locks"] = place.hot_locks;
  json["unlisted_locks"] = place.unlisted_locks;
  json["unlisted_acquisitions"] = place.unlisted_acquisitions;
  json["blocked_s"] = place.blocked_s;
  json["greatest_gain"] = place.greatest_gain;
  json["wait"] = internal::json_of(place.wait);
  json["hold"] = internal::json_of(place.hold);
  json["think"] = internal::json_of(place.think);
  json["own_posts"] = place.own_posts;
  json["other_posts"] = place.other_posts;
  // For a futex, neither holds nor acquisitions are known.
  json["preset"] = place.is_futex()
                       ? std::string()
                       : observed_preset(place, process, process.processor_s, facts.processors);
  if (!place.holds_on_kinds.empty()) json["holds_by_kind"] = holds_json(place.holds_on_kinds);
  return json;
}

Json process_json(const ObservedProcess& process, const ObservationFacts& facts) {
  Json json;
  json["pid"] = process.pid;
  json["parent"] = process.parent;
  json["forked"] = process.forked;
  json["program"] = printable(process.program);
  json["wall_s"] = process.wall_s;
  json["processor_s"] = process.processor_s;
  json["answer"] = process_text(process);
  json["threads"] = process.threads;
  json["acquisitions"] = process.acquisitions;
  json["elsewhere_s"] = process.elsewhere_s;
  json["blocked_s"] = process.blocked_s;
  json["greatest_gain"] = process.greatest_gain;
  json["processor_bound"] = process.processor_bound;
  json["untracked_holds"] = process.untracked_holds;
  json["places"] = Json::array();
  for (const ObservedPlace& place : process.places) {
    json["places"].push_back(place_json(place, process, facts));
  }
  json["events"] = Json::array();
  for (const ObservedPlace& place : process.events) {
    json["events"].push_back(place_json(place, process, facts));
  }
  json["inversions"] = Json::array();
  for (const Inversion& one : process.inversions) {
    json["inversions"].push_back({one.first, one.second, one.pairs});
  }
  json["timeline"] = Json::array();
  for (const BlockedPeriod& period : process.timeline) {
    json["timeline"].push_back({period.until_s, period.blocked_share});
  }
  return json;
}

Json end_json(std::optional<int> ended) {
  if (!ended) return nullptr;
  const int status = *ended;
  if (WIFSIGNALED(status)) return {{"signal", WTERMSIG(status)}};
  return {{"exit_code", WEXITSTATUS(status)}};
}

std::string word_of(Unseen why) {
  switch (why) {
    case Unseen::kEnvironment:
      return "environment";
    case Unseen::kRights:
      return "rights";
    case Unseen::kStatic:
      return "static";
    case Unseen::kMachine:
      return "machine";
    case Unseen::kLibrary:
      return "library";
    case Unseen::kNotOpened:
      return "not_opened";
    case Unseen::kFilter:
      return "filter";
    case Unseen::kNoRoom:
      return "no_room";
    case Unseen::kNoMemory:
      return "no_memory";
    case Unseen::kUnknown:
      break;
  }
  return "unknown";
}

Json coverage_json(const Coverage& coverage) {
  Json json{{"window_s", coverage.window_s},
            {"life_s", coverage.life_s},
            {"runs", coverage.runs},
            {"processes", coverage.processes},
            {"processor_s", coverage.processor_s},
            {"seen_processor_s", coverage.seen_processor_s},
            {"other_programs_share", coverage.other_programs_share},
            {"futex_samples", coverage.futex_samples},
            {"seen_futex_samples", coverage.seen_futex_samples},
            {"older_sleepers", coverage.older_sleepers},
            {"crowded_s", coverage.crowded_s},
            {"placeless_acquisitions", coverage.placeless_acquisitions},
            {"placeless_contended", coverage.placeless_contended},
            {"starts_lost", coverage.starts_lost},
            {"runtimes", coverage.runtimes}};
  json["unseen"] = Json::array();
  for (const UnseenProcess& one : coverage.unseen) {
    json["unseen"].push_back({{"pid", one.pid},
                              {"program", printable(one.program)},
                              {"why", word_of(one.why)},
                              {"processor_s", one.processor_s},
                              {"life_s", one.life_s}});
  }
  json["running"] = Json::array();
  for (const RunningProcess& one : coverage.running) {
    json["running"].push_back(
        {{"pid", one.pid}, {"program", printable(one.program)}, {"processor_s", one.processor_s}});
  }
  return json;
}

}  // namespace

std::string kind_name(observe::LockKind kind) {
  switch (kind) {
    case observe::LockKind::kMutex:
      return "mutex";
    case observe::LockKind::kShared:
      return "rwlock";
    case observe::LockKind::kSpin:
      return "spin lock";
    case observe::LockKind::kSemaphore:
      return "semaphore";
    case observe::LockKind::kFutex:
      return "futex";
    case observe::LockKind::kSemaphoreEvent:
      return "semaphore event";
    case observe::LockKind::kFutexEvent:
      return "futex event";
    case observe::LockKind::kFutexUnknown:
      return "futex lock or event";
    case observe::LockKind::kNone:
      break;
  }
  return "lock";
}

std::string observed_json(const Observation& observation, const Verdict& verdict,
                          const ObservationFacts& facts) {
  Json json;
  json["schema_version"] = kSchemaVersion;
  json["lockbench"] = this_build().version;
  json["command"] = Json::array();
  for (const std::string& word : facts.command) json["command"].push_back(printable(word));
  json["interpreter"] = printable(facts.interpreter);
  json["started_at"] = facts.started_at;
  json["wall_s"] = facts.wall_s;
  json["processor_s"] = facts.processor_s;
  json["end"] = end_json(facts.status);
  json["delay_s"] = facts.delay_s;
  json["duration_s"] = facts.duration_s;
  json["place_expression"] = printable(facts.places);
  json["sample_every"] = observe::kSampleEvery;
  json["uncontended_ns"] = facts.uncontended_ns;
  json["verdict"] = {
      {"kind", to_text(verdict.kind)}, {"answer", verdict.answer}, {"notes", verdict.notes}};
  json["gains"] = observation.gains;
  json["coverage"] = coverage_json(observation.coverage);
  json["processes"] = Json::array();
  for (const ObservedProcess& process : observation.processes) {
    json["processes"].push_back(process_json(process, facts));
  }
  return json.dump(1) + "\n";
}

}  // namespace lockbench
