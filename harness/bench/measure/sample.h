// SPDX-License-Identifier: Apache-2.0

// Sample: what one trial measured, and the meaning of each figure.
//
// A figure that was not measured is absent, never zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/bench/measure/latency_summary.h"

namespace lockbench {

// How a trial ended.
enum class Outcome {
  kOk,           // the trial ran to its end; Sample::valid() checks the proof, too
  kDeadlock,     // no thread made progress for the cell's stall limit
  kTimeout,      // some threads did, but the trial exceeded its time limit
  kStarved,      // so it did because a thread did not get the lock, while others did
  kCrashed,      // a signal ended the process, or the process returned no sample
  kFailed,       // the trial could not be set up: for example, too many threads for this machine
  kServiceLost,  // a server that the primitive needs could not be reached, or went away
};

struct Sample {
  Outcome outcome = Outcome::kOk;
  // One line for users: why it is not ok or not valid, or why its window was cut.
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
  std::optional<std::uint64_t> refused_writes;  // refused updates of these holders
  std::optional<std::uint64_t> unserved;  // open loop: arrivals that were not started in the window
  std::optional<double> idle_lateness_mean_ns;  // open loop: how late an idle thread started
  std::optional<bool> pinning_held;             // every bound thread ran on its processor
  std::optional<double> run_delay_share;        // of the window: longest wait for a processor
  std::optional<double> denied_cpu_share;  // of the processor time that its threads could have used
  std::optional<double> steal_share;       // of the processors' time: used by the host
  std::optional<double> other_cpu_share;   // of the processors' time: used by other processes
  std::optional<std::uint64_t> throttled_periods;  // in which a quota of CPU time was used up
  std::optional<double> throttled_s;               // how long it stopped threads, all together
  // If threads are bound to several kinds of cores: the figures of those on the fastest and the
  // slowest one.
  std::optional<double> slow_operations_share;
  std::optional<double> fast_wait_p99_ns;
  std::optional<double> slow_wait_p99_ns;
  std::optional<double> starved_s;        // at least so long a thread did not get the lock
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
  std::optional<double> busy_share;              // of the window, in which the busiest key was held

  std::string interference;  // how other processes disturbed the trial; empty: hardly
  std::string disturbance;   // why the figures cannot be trusted; empty: no reason is known
  std::string counts;        // final value of each key's counter, at most 32 keys; else empty

  // The workload checked its proof, and the proof holds.
  bool proven() const { return outcome == Outcome::kOk && lost_updates == 0u && violations == 0u; }

  // Proven, and nothing disturbed the trial. Only then may its figures be shown.
  bool valid() const { return proven() && disturbance.empty(); }

  bool operator==(const Sample&) const = default;
};

// The figures that a measurement can have.
struct Bounds {
  double least = 0;
  double most = 0;
  bool more_than_least = false;
};

// Far beyond what any machine has: 32 years, and as many nanoseconds of all threads; 10^18 of
// anything else.
inline constexpr double kLongestS = 1e9;
inline constexpr double kLongestNs = 1e22;
inline constexpr double kMostOfAnything = 1e18;

inline constexpr Bounds kDurationBounds{.least = 0, .most = kLongestS, .more_than_least = true};
inline constexpr Bounds kShareBounds{.least = 0, .most = 1};

// The bounds of figures with this unit: none is below 0.
constexpr Bounds bounds_of_unit(std::string_view unit) {
  if (unit == "s") return {.most = kLongestS};
  if (unit == "ns") return {.most = kLongestNs};
  return {.most = kMostOfAnything};
}

// The description of a field of a record for a user.
struct FieldDescription {
  std::string_view name;
  std::string_view unit;        // s, ns, 1/s, J, bytes, count, ratio; number, name, text: none
  std::string_view meaning;     // Markdown
  std::string_view empty_when;  // Markdown; empty: never
};

// A field of a sample.
struct Field : FieldDescription {
  Bounds bounds = bounds_of_unit(unit);  // of a figure that is no whole number
};

inline constexpr std::string_view kNoSample = "no sample came back";
inline constexpr std::string_view kNotFixed = "`mode` is not `fixed`, or no sample came back";
inline constexpr std::string_view kNoIdeal =
    "`mode` is not `fixed`, or the workload has no known ideal";
inline constexpr std::string_view kNotMixed =
    "the threads were not bound to several kinds of cores, or no sample came back";
inline constexpr std::string_view kNotMixedOrFixed =
    "the threads were not bound to several kinds of cores, `mode` is `fixed`, or no sample came "
    "back";
inline constexpr std::string_view kNotOpen = "`mode` is not `open`";
inline constexpr std::string_view kTooShort = "the window was too short for the kernel's clock";
inline constexpr std::string_view kNoDelays =
    "a server on this machine works for the workload, the kernel does not provide it, or no sample "
    "came back";
inline constexpr std::string_view kNoServiceBytes =
    "the primitive uses no service or does not count it, or no sample came back";
inline constexpr std::string_view kNoService =
    "the primitive uses no service, or no sample came back";
inline constexpr std::string_view kNotCounted =
    "the run has no `--perf`, or no operation ended in the window";
inline constexpr std::string_view kNoEvents =
    "the run has no `--perf`, or for the reason in `events_missing`";
inline constexpr std::string_view kNoEnergy =
    "the run has no `--perf`, or the kernel does not let this user read RAPL (`energy_uj`)";
inline constexpr std::string_view kNoThrottling =
    "no control group counts it, or no sample came back";
inline constexpr std::string_view kNoProof = "the trial ended before its proof";

// Calls `visit(Field, member)` for each member of `sample` that is one value, except `outcome`.
// Descriptions, JSON and values are generated from it; kColumns (schema.cc) has their order in the
// table. To add a field, add a member above, a line at the end here, and its name there.
template <class S, class Visit>
void fields(S& sample, const Visit& visit) {
  visit(Field{"operations", "count", "operations of all threads in the window", kNoSample},
        sample.operations);
  visit(Field{"window_s", "s",
              "from the start to the end of the last thread, as measured; the divisor of all rates",
              kNoSample, kDurationBounds},
        sample.window_s);
  visit(Field{"makespan_s", "s", "the time that the whole work took", kNotFixed, kDurationBounds},
        sample.makespan_s);
  visit(Field{"ideal_s", "s", "the time that a perfect lock would need for this work", kNoIdeal},
        sample.ideal_s);
  visit(Field{"thread_operations_min", "count", "operations of the slowest thread", kNoSample},
        sample.thread_operations_min);
  visit(Field{"thread_operations_max", "count", "operations of the fastest thread", kNoSample},
        sample.thread_operations_max);
  visit(Field{"fairness_jain", "ratio",
              "Jain's index of the threads' operations; 1: all did equally many, "
              "1/`threads`: one did all",
              kNoSample, kShareBounds},
        sample.fairness_jain);
  visit(Field{"overlap", "ratio", "share of the window in which all threads worked", kNoSample,
              kShareBounds},
        sample.overlap);
  visit(Field{"cpu_user_s", "s",
              "processor time of the trial's process in user mode, in the window; with worker "
              "processes, of all of them",
              kNoSample},
        sample.cpu_user_s);
  visit(Field{"cpu_system_s", "s", "processor time in the kernel, as `cpu_user_s`", kNoSample},
        sample.cpu_system_s);
  visit(Field{"voluntary_switches", "count", "context switches because a thread waited", kNoSample},
        sample.voluntary_switches);
  visit(Field{"involuntary_switches", "count",
              "context switches because the scheduler preempted a thread", kNoSample},
        sample.involuntary_switches);
  visit(
      Field{"peak_rss_bytes", "bytes",
            "largest resident memory of the trial's process; with worker processes, of the process "
            "that starts them",
            kNoSample},
      sample.peak_rss_bytes);
  visit(Field{"lock_bytes", "bytes", "memory of the primitive itself after all threads have left",
              kNoSample},
        sample.lock_bytes);
  visit(Field{"timeouts", "count",
              "acquisitions without success: a timeout, a failed try, or a refusal", kNoSample},
        sample.timeouts);
  visit(Field{"lost_updates", "count",
              "writes that another thread overwrote; 0 if the lock excludes", kNoProof},
        sample.lost_updates);
  visit(Field{"violations", "count", "other violations: too many holders, a lease given twice, …",
              kNoProof},
        sample.violations);
  visit(Field{"reason", "text",
              "why the trial is not `ok` or not valid; for a prediction, that its window was cut",
              "there is no reason"},
        sample.reason);
  visit(
      Field{"disturbance", "text", "what disturbed the trial from outside; the row is then invalid",
            "nothing disturbed the trial"},
      sample.disturbance);
  visit(Field{"steal_share", "ratio",
              "share of the processors' time in the window that the host took", kTooShort,
              kShareBounds},
        sample.steal_share);
  visit(Field{"other_cpu_share", "ratio",
              "share of the processors' time that others used, in the window or, if that is short, "
              "around it",
              kTooShort, kShareBounds},
        sample.other_cpu_share);
  visit(Field{"pinning_held", "name", "`true`: every bound thread ran on its processors",
              "`pinning` is `none`, or no sample came back"},
        sample.pinning_held);
  visit(Field{"unserved", "count",
              "arrivals that were not served before the window closed; each counts as a wait "
              "until then",
              kNotOpen},
        sample.unserved);
  visit(Field{"idle_lateness_mean_ns", "ns",
              "mean delay of an operation whose thread was ready: the harness's own share of a "
              "wait",
              "`mode` is not `open`, or no thread ever waited"},
        sample.idle_lateness_mean_ns);
  visit(Field{"false_conflicts", "ratio",
              "share of the conflicts of timed acquisitions that were with another key on the "
              "same lock",
              "not watched, the primitive does not hash keys, or there was no conflict",
              kShareBounds},
        sample.false_conflicts);
  visit(Field{"key_bytes_live", "bytes", "memory of a held key, including its handle",
              "the primitive has no lock per key, or no sample came back"},
        sample.key_bytes_live);
  visit(Field{"key_bytes_idle", "bytes", "memory of a key that is no longer used",
              "the primitive has no lock per key, or no sample came back"},
        sample.key_bytes_idle);
  visit(Field{"counts", "text", "final value of each key's counter, separated by blanks",
              "over 32 keys, or the workload counts nothing"},
        sample.counts);
  visit(Field{"expired_holds", "count",
              "holds that the primitive ended because they exceeded the limit and others waited",
              "the primitive takes no key from its holder, or no sample came back"},
        sample.expired_holds);
  visit(Field{"refused_writes", "count",
              "refused updates of holders whose hold had expired; they are not in `operations`",
              "the primitive takes no key from its holder, or no sample came back"},
        sample.refused_writes);
  visit(Field{"run_delay_share", "ratio",
              "longest time that a thread waited for a processor, as a share of the window",
              kNoDelays},
        sample.run_delay_share);
  visit(
      Field{"denied_cpu_share", "ratio",
            "least share of the usable processor time that was denied to the threads; threads that "
            "wait for each other do not count",
            kNoDelays},
      sample.denied_cpu_share);
  visit(Field{"interference", "text",
              "effect of other work on the trial, with its limit; the row is not valid, unless the "
              "run had to measure a busy machine (see `meta.json`)",
              "the effect is within the limit"},
        sample.interference);
  visit(
      Field{"round_trips", "ratio",
            "requests to the service for each acquisition, from the start of the trial to its end; "
            "waits, releases and renewals included",
            kNoService},
      sample.round_trips);
  visit(Field{"bytes_sent", "bytes",
              "bytes of these requests for each acquisition, in the service's protocol: without "
              "TLS and the headers of TCP",
              kNoServiceBytes},
        sample.bytes_sent);
  visit(Field{"bytes_received", "bytes", "bytes of the answers, as `bytes_sent`", kNoServiceBytes},
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
              "processor cycles of the threads in the window, per operation (`run --perf`)",
              kNoEvents},
        sample.cycles_per_operation);
  visit(Field{"instructions_per_operation", "ratio", "instructions of the threads, per operation",
              kNoEvents},
        sample.instructions_per_operation);
  visit(Field{"cache_misses_per_operation", "ratio",
              "accesses that missed the last cache, as the processor defines them, per operation",
              kNoEvents},
        sample.cache_misses_per_operation);
  visit(Field{"branch_misses_per_operation", "ratio", "mispredicted branches, per operation",
              kNoEvents},
        sample.branch_misses_per_operation);
  visit(Field{"switches_per_operation", "ratio",
              "context switches of the trial's process in the window, per operation", kNotCounted},
        sample.switches_per_operation);
  visit(Field{"migrations_per_operation", "ratio",
              "moves of a thread to another processor, per operation", kNoEvents},
        sample.migrations_per_operation);
  visit(Field{"page_faults_per_operation", "ratio", "page faults, per operation", kNotCounted},
        sample.page_faults_per_operation);
  visit(Field{"energy_j_per_operation", "J",
              "energy of all processor packages in the window, including other programs, per "
              "operation",
              kNoEnergy},
        sample.energy_j_per_operation);
  visit(Field{"events_missing", "text",
              "why hardware events are absent, or that they are of user mode only",
              "no event was requested, or all were counted"},
        sample.events_missing);
  visit(Field{"throttled_periods", "count",
              "periods in the window in which a quota of CPU time was used up, in all control "
              "groups around the trial",
              kNoThrottling},
        sample.throttled_periods);
  visit(Field{"throttled_s", "s",
              "time for which these quotas stopped threads, summed over processors; if it began "
              "before the window, all of it",
              kNoThrottling},
        sample.throttled_s);
  visit(
      Field{"busy_share", "ratio",
            "share of the window in which the busiest key was held: its operations times the mean "
            "of the timed holds, without the clock's share of these",
            "no hold was timed, or an operation has several holds"},
      sample.busy_share);
  visit(Field{"starved_s", "s",
              "a thread did not get the lock for at least so long, while others did; the trial was "
              "then given up",
              "`outcome` is not `starved`", kDurationBounds},
        sample.starved_s);
  visit(Field{"slow_operations_share", "ratio",
              "share of the operations that threads on the slowest kind of core completed",
              kNotMixedOrFixed, kShareBounds},
        sample.slow_operations_share);
  visit(Field{"fast_wait_p99_ns", "ns", "`wait_p99_ns` of the threads on the fastest kind of core",
              kNotMixed},
        sample.fast_wait_p99_ns);
  visit(Field{"slow_wait_p99_ns", "ns", "`wait_p99_ns` of the threads on the slowest kind of core",
              kNotMixed},
        sample.slow_wait_p99_ns);
}

}  // namespace lockbench
