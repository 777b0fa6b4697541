// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/conformance/conformer.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

namespace lockbench::stress {
namespace {

// The report for a lock that crashed or hung before it could be compared with the locks of the net.
Report failed_at_once(const RecordingEngine& engine, const RegisteredLock& entry,
                      const absl::Status& how) {
  Report report{.engine = engine.name(), .lock = entry.name, .verdict = Verdict::kFailed};
  report.failure = Failure{Oracle::kCrash, absl::StrCat("before any event: ", how.message())};
  report.how = engine.how();
  return report;
}

}  // namespace

absl::StatusOr<Report> Conformer::check(RecordingEngine& engine, const RegisteredLock& entry,
                                        const Order& order, const ReportProgress& report_progress) {
  const absl::StatusOr<WatchedNet> net = WatchedNet::read(order.net);
  if (!net.ok()) return net.status();
  const absl::StatusOr<KeyMap> keys =
      map_keys(entry, *net, engine.most_threads(),
               [&](std::uint32_t first) { return engine.try_key(first); });
  if (absl::IsAborted(keys.status())) return failed_at_once(engine, entry, keys.status());
  if (!keys.ok()) return keys.status();
  Conformer conformer(*net, *keys, order, report_progress);
  engine.execute(conformer);
  Report report = conformer.run_.complete(
      {.engine = engine.name(), .lock = entry.name, .seconds = conformer.clock_.seconds()});
  engine.complete(conformer, report);
  return report;
}

bool Conformer::look_at(std::span<const Trace> possible, const std::string& how,
                        const std::string& ended_badly) {
  run_.look_at(possible, how, ended_badly);
  return !run_.failed();
}

}  // namespace lockbench::stress
