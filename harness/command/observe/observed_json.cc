// SPDX-License-Identifier: Apache-2.0

#include "harness/command/observe/observed_json.h"

#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "harness/command/observe/observed_preset.h"
#include "harness/command/observe/observed_text.h"
#include "harness/observe/recorder.h"
#include "harness/plan/printable.h"
#include "harness/record/build.h"
#include "harness/record/latency_json.h"

namespace lockbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

Json place_json(const ObservedPlace& place, const ObservedProcess& process,
                const ObservationFacts& facts) {
  Json json;
  json["name"] = printable(place.name());
  json["callers"] = Json::array();
  for (const CodePlace& caller : place.callers) {
    json["callers"].push_back({{"function", printable(caller.function)},
                               {"file", printable(caller.file)},
                               {"line", caller.line},
                               {"module", printable(caller.module)},
                               {"offset", caller.offset}});
  }
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
  json["unlisted_locks"] = place.unlisted_locks;
  json["unlisted_acquisitions"] = place.unlisted_acquisitions;
  json["blocked_s"] = place.blocked_s;
  json["greatest_gain"] = place.greatest_gain;
  json["wait"] = internal::json_of(place.wait);
  json["hold"] = internal::json_of(place.hold);
  json["think"] = internal::json_of(place.think);
  json["preset"] = observed_preset(place, process, facts.processor_s, facts.processors);
  return json;
}

Json process_json(const ObservedProcess& process, const ObservationFacts& facts) {
  Json json;
  json["pid"] = process.pid;
  json["parent"] = process.parent;
  json["forked"] = process.forked;
  json["program"] = printable(process.program);
  json["wall_s"] = process.wall_s;
  json["answer"] = answer_text(process);
  json["threads"] = process.threads;
  json["acquisitions"] = process.acquisitions;
  json["blocked_s"] = process.blocked_s;
  json["greatest_gain"] = process.greatest_gain;
  json["processor_bound"] = process.processor_bound;
  json["untracked_holds"] = process.untracked_holds;
  json["places"] = Json::array();
  for (const ObservedPlace& place : process.places) {
    json["places"].push_back(place_json(place, process, facts));
  }
  json["inversions"] = process.inversions;
  json["timeline"] = Json::array();
  for (const BlockedPeriod& period : process.timeline) {
    json["timeline"].push_back({period.until_s, period.blocked_share});
  }
  return json;
}

Json end_json(int status) {
  if (WIFSIGNALED(status)) return {{"signal", WTERMSIG(status)}};
  return {{"exit_code", WEXITSTATUS(status)}};
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
    case observe::LockKind::kNone:
      break;
  }
  return "lock";
}

std::string observed_json(const Observation& observation, const ObservationFacts& facts) {
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
  json["processes_begun"] = observation.processes_begun;
  json["processes_not_recorded"] = observation.processes_not_recorded;
  json["processes"] = Json::array();
  for (const ObservedProcess& process : observation.processes) {
    json["processes"].push_back(process_json(process, facts));
  }
  return json.dump(1) + "\n";
}

}  // namespace lockbench
