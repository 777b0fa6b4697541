// SPDX-License-Identifier: Apache-2.0

// Sample: what one trial measured, and the meaning of each figure.
//
// A figure that was not measured is absent, never zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/measure/latency_summary.h"

namespace lockbench {

// How a trial ended.
enum class Outcome {
  kOk,           // the trial ran to its end; Sample::valid() checks the proof, too
  kDeadlock,     // no thread made progress for the cell's stall limit
  kTimeout,      // some threads did, but the trial exceeded its time limit
  kCrashed,      // a signal ended the process, or the process returned no sample
  kFailed,       // the trial could not be set up: for example, too many threads for this machine
  kServiceLost,  // a server that the primitive needs could not be reached, or went away
};

struct Sample {
  Outcome outcome = Outcome::kOk;
  // One line for users: why it is not ok or not valid, or why a predicted window was cut.
  std::string reason;

  std::optional<std::uint64_t> operations;  // of all threads, in the window
  std::optional<double> window_s;           // as measured; rates are divided by it
  std::optional<double> makespan_s;         // fixed mode: from the start to the last thread's end
  std::optional<double> ideal_s;            // fixed mode: the time that a perfect lock would need
  std::optional<LatencySummary> wait;       // from the request for the lock to the acquisition
  std::optional<LatencySummary> hold;       // from the acquisition to the release
  std::optional<std::uint64_t> thread_operations_min;
  std::optional<std::uint64_t> thread_operations_max;
  std::optional<double> fairness_jain;  // 1: all threads did the same; 1/threads: one did all
  std::optional<double> overlap;        // share of the window in which all threads were at work

  std::optional<double> cpu_user_s;  // of the process, in the window
  std::optional<double> cpu_system_s;
  std::optional<std::uint64_t> voluntary_switches;
  std::optional<std::uint64_t> involuntary_switches;
  std::optional<std::uint64_t> peak_rss_bytes;
  std::optional<std::uint64_t> lock_bytes;  // memory of the primitive after all threads have left

  std::optional<std::uint64_t> timeouts;  // acquisitions that timed out, failed or were refused
  std::optional<std::uint64_t> lost_updates;
  std::optional<std::uint64_t> violations;
  std::optional<std::uint64_t> expired_holds;   // holds that the hold limit ended
  std::optional<std::uint64_t> refused_writes;  // updates of such holders, which were refused
  std::optional<std::uint64_t> unserved;  // open loop: arrivals that were not started in the window
  std::optional<double> idle_lateness_mean_ns;  // open loop: how late an idle thread started
  std::optional<bool> pinning_held;             // every bound thread ran on its processor
  std::optional<double> run_delay_share;        // of the window: longest wait for a processor
  std::optional<double> denied_cpu_share;  // of the processor time that its threads could have used
  std::optional<double> steal_share;       // of the processors' time: used by the host
  std::optional<double> other_cpu_share;   // of the processors' time: used by other processes
  std::optional<double> false_conflicts;  // of the sampled waits: the lock was held for another key
  std::optional<double> key_bytes_live;   // of a key that is held, the handle included
  std::optional<double> key_bytes_idle;   // of a key that is no longer used
  std::optional<double> round_trips;      // requests to a service for each acquisition
  std::optional<double> bytes_sent;       // to a service, for each acquisition
  std::optional<double> bytes_received;   // from a service, for each acquisition
  std::optional<std::uint64_t> reconnects;  // connections to a service that replaced a lost one
  std::optional<std::uint64_t> renewals;    // extensions of holds at a service
  std::optional<double> server_cpu_s;       // of a service's servers, in the whole trial

  std::optional<double> cycles_per_operation;  // these eight: only if events are counted
  std::optional<double> instructions_per_operation;
  std::optional<double> cache_misses_per_operation;
  std::optional<double> branch_misses_per_operation;
  std::optional<double> switches_per_operation;    // context switches
  std::optional<double> migrations_per_operation;  // to another processor
  std::optional<double> page_faults_per_operation;
  std::optional<double> energy_j_per_operation;  // of the processor packages
  std::string events_missing;                    // why some of them are absent

  std::string interference;  // how other processes disturbed the trial; empty: hardly
  std::string disturbance;   // why the figures cannot be trusted; empty: no reason is known
  std::string counts;        // final value of each key's counter, at most 32 keys; else empty

  // The workload checked its proof, and the proof holds.
  bool proven() const { return outcome == Outcome::kOk && lost_updates == 0u && violations == 0u; }

  // Proven, and nothing disturbed the trial. Only then may its figures be shown.
  bool valid() const { return proven() && disturbance.empty(); }

  bool operator==(const Sample&) const = default;
};

// The description of a field of a record.
struct Field {
  std::string_view name;
  std::string_view unit;        // s, ns, 1/s, J, bytes, count, ratio; number, name, text: none
  std::string_view meaning;     // Markdown
  std::string_view empty_when;  // Markdown; empty: never
};

inline constexpr std::string_view kNoSample = "no sample came back";
inline constexpr std::string_view kNotFixed = "`mode` is not `fixed`, or no sample came back";
inline constexpr std::string_view kNoIdeal =
    "`mode` is not `fixed`, or the workload has no known ideal";
inline constexpr std::string_view kNotOpen = "`mode` is not `open`";
inline constexpr std::string_view kTooShort =
    "the window was too short for the kernel's clock to tell";
inline constexpr std::string_view kNoDelays =
    "a server on this machine works for the workload, the kernel does not tell, or no sample came "
    "back";
inline constexpr std::string_view kNoServiceBytes =
    "the primitive uses no service or does not know, or no sample came back";
inline constexpr std::string_view kNoService =
    "the primitive uses no service, or no sample came back";
inline constexpr std::string_view kNotCounted =
    "the run has no `--perf`, or no operation ended in the window";
inline constexpr std::string_view kNoEvents =
    "the run has no `--perf`, or `events_missing` says why";
inline constexpr std::string_view kNoEnergy =
    "the run has no `--perf`, or the kernel does not let this user read RAPL (`energy_uj`)";
inline constexpr std::string_view kNoProof = "the trial came to no proof";

// Calls `visit(Field, member)` for each member of `sample` that is one value, except `outcome`.
// This is the only list of the fields; columns, JSON and pages are generated from it. To add a
// field, add a member above and a line at the end here.
template <class S, class Visit>
void fields(S& sample, const Visit& visit) {
  visit(Field{"operations", "count", "of all threads, in the window", kNoSample},
        sample.operations);
  visit(
      Field{"window_s", "s",
            "from the start to the end of the last thread, as measured; what rates are divided by",
            kNoSample},
      sample.window_s);
  visit(Field{"makespan_s", "s", "the time that the whole work took", kNotFixed},
        sample.makespan_s);
  visit(Field{"ideal_s", "s", "what a perfect lock would take for the same work", kNoIdeal},
        sample.ideal_s);
  visit(Field{"thread_operations_min", "count", "operations of the thread that did fewest",
              kNoSample},
        sample.thread_operations_min);
  visit(
      Field{"thread_operations_max", "count", "operations of the thread that did most", kNoSample},
      sample.thread_operations_max);
  visit(Field{"fairness_jain", "ratio",
              "Jain's index of the threads' operations; 1: all did the same, "
              "1/`threads`: one did all",
              kNoSample},
        sample.fairness_jain);
  visit(
      Field{"overlap", "ratio", "share of the window in which all threads were at work", kNoSample},
      sample.overlap);
  visit(Field{"cpu_user_s", "s",
              "processor time of the trial's process in user mode, in the window; of workers that "
              "are processes, of all of them",
              kNoSample},
        sample.cpu_user_s);
  visit(Field{"cpu_system_s", "s", "the same in the kernel", kNoSample}, sample.cpu_system_s);
  visit(Field{"voluntary_switches", "count", "context switches because a thread waited", kNoSample},
        sample.voluntary_switches);
  visit(
      Field{"involuntary_switches", "count", "context switches because its time was up", kNoSample},
      sample.involuntary_switches);
  visit(
      Field{"peak_rss_bytes", "bytes",
            "most memory that the trial's process had at once; of workers that are processes, the "
            "one that starts them",
            kNoSample},
      sample.peak_rss_bytes);
  visit(Field{"lock_bytes", "bytes", "what the primitive itself occupies when all have left",
              kNoSample},
        sample.lock_bytes);
  visit(Field{"timeouts", "count",
              "acquisitions given up: time ran out, a try failed, or it was refused", kNoSample},
        sample.timeouts);
  visit(Field{"lost_updates", "count",
              "writes that another thread's write undid; 0 where locks exclude", kNoProof},
        sample.lost_updates);
  visit(Field{"violations", "count", "other breaches: too many holders, a lease given twice, …",
              kNoProof},
        sample.violations);
  visit(Field{"reason", "text",
              "why it is not `ok` or not valid; of a prediction, that its window was cut",
              "none of these"},
        sample.reason);
  visit(Field{"disturbance", "text", "what disturbed the trial from outside; such rows are invalid",
              "nothing is known against it"},
        sample.disturbance);
  visit(Field{"steal_share", "ratio", "of the processors' time in the window, taken by the host",
              kTooShort},
        sample.steal_share);
  visit(
      Field{
          "other_cpu_share", "ratio",
          "of the processors' time, used by others: in the window, or about it where that is short",
          kTooShort},
      sample.other_cpu_share);
  visit(Field{"pinning_held", "name", "`true`: every bound thread ran where it was bound to",
              "`pinning` is `none`, or no sample came back"},
        sample.pinning_held);
  visit(Field{"unserved", "count",
              "arrivals whose turn did not come before the window closed; each counts as a wait "
              "until then",
              kNotOpen},
        sample.unserved);
  visit(Field{"idle_lateness_mean_ns", "ns",
              "how late an operation began whose thread was waiting for it: the harness's own "
              "share of a "
              "wait",
              "`mode` is not `open`, or no thread ever waited"},
        sample.idle_lateness_mean_ns);
  visit(Field{"false_conflicts", "ratio",
              "of the conflicts that timed acquisitions met, the share with another key on the "
              "same lock",
              "not watched, the primitive does not hash keys, or there was no conflict"},
        sample.false_conflicts);
  visit(Field{"key_bytes_live", "bytes", "what a held key occupies, its handle included",
              "the primitive has no lock per key, or no sample came back"},
        sample.key_bytes_live);
  visit(Field{"key_bytes_idle", "bytes", "what a key still occupies when it is no longer used",
              "the primitive has no lock per key, or no sample came back"},
        sample.key_bytes_idle);
  visit(Field{"counts", "text", "final value of each key's counter, by blanks",
              "over 32 keys, or the workload counts nothing"},
        sample.counts);
  visit(Field{"expired_holds", "count",
              "holds that the primitive ended because their time was up and others waited",
              "the primitive takes no key from its holder, or no sample came back"},
        sample.expired_holds);
  visit(Field{"refused_writes", "count",
              "updates of such holders that were refused, and so not made; they are not in "
              "`operations`",
              "the primitive takes no key from its holder, or no sample came back"},
        sample.refused_writes);
  visit(
      Field{"run_delay_share", "ratio",
            "of the window, how long the thread that waited longest for a processor waited for one",
            kNoDelays},
      sample.run_delay_share);
  visit(Field{"denied_cpu_share", "ratio",
              "of the processor time that the threads could have used, at least so much was denied "
              "to them; "
              "threads that wait for each other do not count",
              kNoDelays},
        sample.denied_cpu_share);
  visit(Field{"interference", "text",
              "what others that used the processors did to the trial, with its limit; the row is "
              "not valid, "
              "unless the run had to measure a busy machine (see `meta.json`)",
              "within the limit"},
        sample.interference);
  visit(
      Field{"round_trips", "ratio",
            "requests to the service for each acquisition, from the start of the trial to its end; "
            "waits, releases and renewals included",
            kNoService},
      sample.round_trips);
  visit(Field{"bytes_sent", "bytes",
              "sent with these requests for each acquisition, in the service's protocol: without "
              "TLS and the headers of TCP",
              kNoServiceBytes},
        sample.bytes_sent);
  visit(Field{"bytes_received", "bytes", "the same of the answers", kNoServiceBytes},
        sample.bytes_received);
  visit(Field{"reconnects", "count", "connections to the service that replaced a lost one",
              kNoService},
        sample.reconnects);
  visit(Field{"renewals", "count", "extensions of holds that would otherwise have expired",
              kNoService},
        sample.renewals);
  visit(Field{"server_cpu_s", "s",
              "processor time of the service's servers in the whole trial, as they report it",
              kNoService},
        sample.server_cpu_s);
  visit(Field{"cycles_per_operation", "ratio",
              "processor cycles of the threads in the window, by operations (`run --perf`)",
              kNoEvents},
        sample.cycles_per_operation);
  visit(Field{"instructions_per_operation", "ratio", "the same of instructions", kNoEvents},
        sample.instructions_per_operation);
  visit(Field{"cache_misses_per_operation", "ratio",
              "the same of accesses that missed the last cache, as the processor defines them",
              kNoEvents},
        sample.cache_misses_per_operation);
  visit(
      Field{"branch_misses_per_operation", "ratio", "the same of mispredicted branches", kNoEvents},
      sample.branch_misses_per_operation);
  visit(Field{"switches_per_operation", "ratio",
              "context switches of the trial's process in the window, by operations", kNotCounted},
        sample.switches_per_operation);
  visit(Field{"migrations_per_operation", "ratio",
              "the same of moves of a thread to another processor", kNoEvents},
        sample.migrations_per_operation);
  visit(Field{"page_faults_per_operation", "ratio", "the same of page faults", kNotCounted},
        sample.page_faults_per_operation);
  visit(Field{"energy_j_per_operation", "J",
              "energy of all processor packages in the window, other programs included, by "
              "operations",
              kNoEnergy},
        sample.energy_j_per_operation);
  visit(Field{"events_missing", "text",
              "why hardware events are absent, or that they are of user mode alone",
              "events were not counted, or all were"},
        sample.events_missing);
}

}  // namespace lockbench
