// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/calibrate/calibrated_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

namespace lockbench::calibration {
namespace {

using machine::MachineModel;
using machine::Picoseconds;

// Figures of the shipped models.
constexpr double kUsualSlice = 3e6;
constexpr double kUsualGranularity = 1e6;
constexpr double kUsualFutexWake = 600;
constexpr double kUsualWakeup = 3000;
constexpr double kUsualMembarrier = 1200;
constexpr double kUsualInterrupt = 600;
constexpr double kUsualOperation = 4;
constexpr double kUsualYield = 300;
constexpr double kUsualContextSwitch = 1200;

// Processors have reorder buffers of some hundred instructions, which is less than so many steps.
constexpr double kMostStepsAhead = 8;

// An operation takes nanoseconds. One that takes as long as this was interrupted all the time.
constexpr double kMostOfAnOperation = 1000;

// A yield takes less than a microsecond. One that takes as long as this has run other processes.
constexpr double kMostOfAYield = 20'000;

// Every published transfer between two cores takes longer. A hypervisor that runs two virtual
// processors on one core for a while makes it shorter.
constexpr Picoseconds kLeastTransfer = 10 * machine::kPerNanosecond;

// The least that the file of a machine may say.
constexpr double kLeastStep = 0.01;
constexpr double kLeastSlice = 1000;

constexpr char kMeasured[] = "measured";

// Three digits: what is behind them differs from one calibration to the next.
double rounded(double ns) {
  if (ns <= 0) return 0;
  const double scale = std::pow(10, 2 - std::floor(std::log10(ns)));
  return std::round(ns * scale) / scale;
}

// Within what the file of a machine may say.
Picoseconds picoseconds(double ns, double least = 0) {
  return std::llround(std::clamp(rounded(ns), least, MachineModel::kMostNs) *
                      machine::kPerNanosecond);
}

std::string cpu_of(const HostFacts& facts) {
  return facts.cpu_model.empty() ? "this machine" : facts.cpu_model;
}

// Fills one model and the remarks beside its figures.
class Filling {
 public:
  Filling(const MeasuredFigures& figures, const Shape& shape, const HostFacts& facts)
      : figures_(figures), shape_(shape), facts_(facts) {}

  CalibratedModel all() {
    MachineModel& model = out_.model;
    model.name = facts_.name;
    model.title = title_of(shape_, facts_);
    shape();
    latencies();
    transfers();
    accesses();
    scheduler();
    sources();
    out_.remarks[""] = head();
    return std::move(out_);
  }

 private:
  void shape() {
    out_.model.sockets = shape_.sockets;
    out_.model.clusters_per_socket = shape_.clusters_per_socket;
    out_.model.cores_per_cluster = shape_.cores_per_cluster;
    out_.model.threads_per_core = shape_.threads_per_core;
    if (shape_.kinds.empty()) return;
    out_.model.kinds = shape_.kinds;
    if (shape_.kinds.size() == facts_.speeds.size()) return speeds();
    out_.remarks["speed"] = "not measured: the kernel does not bind threads";
  }

  // A kind that hwloc says is slower, and that is not, is as fast as the kind before it.
  void speeds() {
    double before = 1;
    for (std::size_t i = 0; i < facts_.speeds.size(); ++i) {
      before = std::clamp(rounded(facts_.speeds[i]), MachineModel::kLeastSpeed, before);
      out_.model.kinds[i].speed = before;
    }
    out_.remarks["speed"] = "measured: the steps of a spin, on one core of each kind";
  }

  // The time of a handover is that of a transfer and of the access that makes it.
  Picoseconds transfer(double handover) const {
    return picoseconds(std::max(0.0, handover - figures_.exchange));
  }

  void latencies() {
    MachineModel& model = out_.model;
    for (const double ns : figures_.handovers) {
      model.latency.push_back(ns == 0 ? 0 : transfer(ns));
    }
    out_.remarks["matrix"] = matrix_remark();
    out_.remarks["sibling"] = "the cores have one thread each";
    if (!figures_.sibling_handover) return;
    model.sibling_latency = transfer(*figures_.sibling_handover);
    out_.remarks["sibling"] = "measured";
    if (!figures_.load_beside_sibling) return;
    const double slowdown = *figures_.load_beside_sibling / std::max(figures_.load, kLeastStep);
    model.smt_slowdown = std::clamp(rounded(slowdown), 1.0, 100.0);
    out_.remarks["smt_slowdown"] = "measured: loads of both threads of a core";
  }

  std::string matrix_remark() const {
    if (shape_.cores.size() < 2) return "one core: there is nothing to transfer to";
    const auto too_short =
        std::count_if(out_.model.latency.begin(), out_.model.latency.end(),
                      [](Picoseconds latency) { return 0 < latency && latency < kLeastTransfer; });
    std::string remark = "measured: a handover by compare-exchange, less rmw";
    if (too_short == 0) return remark;
    return absl::StrFormat(
        "%s; %d of %d transfers are as short as between threads of one core: calibrate again",
        remark, too_short, shape_.cores.size() * (shape_.cores.size() - 1));
  }

  // Fills in what was measured, less what the loop contains beside it.
  void measured(const char* key, Picoseconds& cost, double ns, double least = 0) {
    cost = picoseconds(std::max(0.0, ns), least);
    out_.remarks[key] = kMeasured;
  }

  void measured_or(const char* key, Picoseconds& cost, std::optional<double> ns, double usual,
                   const char* why) {
    if (ns) return measured(key, cost, *ns);
    assumed(key, cost, usual, why);
  }

  void assumed(const char* key, Picoseconds& cost, double ns, const char* why) {
    cost = picoseconds(ns);
    out_.remarks[key] = absl::StrCat("assumed: ", why);
    absl::StrAppend(&assumed_, assumed_.empty() ? "" : ", ", key);
  }

  void accesses() {
    machine::AccessCosts& access = out_.model.access;
    measured("hit", access.hit, figures_.load, kLeastStep);
    measured("store", access.store, figures_.store);
    measured("rmw", access.rmw, figures_.exchange);
    measured("memory", access.memory, figures_.memory_load - figures_.load);
    measured("pause", access.pause, figures_.pause, kLeastStep);
    measured("clock", access.clock, figures_.clock);
    // An operation of `counter` reads its record twice and the phase once, and writes the record;
    // the lock is an exchange and a store.
    const double accesses = 3 * figures_.load + 2 * figures_.store + figures_.exchange;
    std::optional<double> operation = facts_.operation_ns;
    if (operation) *operation -= accesses;
    if (operation > kMostOfAnOperation) operation = std::nullopt;
    measured_or("operation", access.operation, operation, kUsualOperation,
                "the machine was too busy to measure it");
    lookahead();
  }

  // The share of a handover that a transfer takes if nothing else is under way.
  double quiet_share() const {
    const double handover = figures_.handovers[1] - figures_.exchange;
    if (!figures_.foreign_read || handover <= 0) return 1;
    return std::clamp(rounded(*figures_.foreign_read / handover), MachineModel::kLeastQuiet, 1.0);
  }

  bool reads_take() const {
    return figures_.foreign_write && *figures_.foreign_write < *figures_.foreign_read / 2;
  }

  void transfers() {
    const bool one_core = !figures_.foreign_read;
    out_.model.quiet = quiet_share();
    out_.remarks["quiet"] =
        one_core ? "one core: not measured"
                 : "measured: a read of a line that another core has written, by a handover";
    out_.model.reads_take = reads_take();
    out_.remarks["reads_take"] =
        one_core ? "one core: not measured" : "measured: what it takes to write this line then";
  }

  // A step whose lines the other core has takes a transfer longer, since its requests go out
  // together. If the processor works `ahead` further steps meanwhile, of which every second one
  // needs a transfer, the next 1 + ahead / 2 transfers take the time of one. So the mean delay of
  // a step is transfer / 2 / (1 + ahead / 2). Without working ahead, it is a transfer for both
  // lines, and half of one more if reading the second does not take it.
  void lookahead() {
    if (!figures_.step_alone || !figures_.step_beside_other) {
      out_.remarks["lookahead"] = "one core: not measured";
      return;
    }
    const double transfer = quiet_transfer();
    const double delay = *figures_.step_beside_other - *figures_.step_alone;
    const double ahead = delay > 0 ? transfer / delay - 2 : kMostStepsAhead;
    const double steps = std::clamp(1 + ahead, 0.0, kMostStepsAhead);
    measured("lookahead", out_.model.access.lookahead, steps * *figures_.step_alone);
  }

  void scheduler() {
    machine::SchedulerCosts& costs = out_.model.scheduler;
    const double context_switch = switches();
    measured("futex_call", costs.futex_call, figures_.futex_call);
    measured("futex_wait", costs.futex_wait,
             figures_.sleep_switch - context_switch - figures_.futex_call - figures_.clock);
    slices(context_switch);
    const char* const one_processor = "this program may use one core, and this needs two";
    measured_or("futex_wake", costs.futex_wake,
                less(figures_.wake_call, figures_.futex_call + figures_.clock + bucket()),
                kUsualFutexWake, one_processor);
    measured_or("wakeup", costs.wakeup, less(figures_.wakeup, 0), kUsualWakeup, one_processor);
    const char* const no_barrier =
        figures_.wakeup ? "the kernel refuses membarrier" : one_processor;
    measured_or("membarrier", costs.membarrier,
                less(figures_.barrier_call, figures_.futex_call + figures_.clock), kUsualMembarrier,
                no_barrier);
    measured_or("interrupt", costs.interrupt, figures_.barrier_delay, kUsualInterrupt, no_barrier);
  }

  // The kernel's line with the sleepers comes from the sleeper's core, to be read and to be
  // written.
  double bucket() const {
    if (shape_.cores.size() < 2) return 0;
    return (reads_take() ? 1 : 2) * quiet_transfer();
  }

  // Between the first two cores.
  double quiet_transfer() const {
    return quiet_share() * std::max(0.0, figures_.handovers[1] - figures_.exchange);
  }

  // Fills in what a yield and a switch of threads take. Returns the latter.
  double switches() {
    machine::SchedulerCosts& costs = out_.model.scheduler;
    if (figures_.yield > kMostOfAYield) {
      const char* const busy =
          "other processes used the processor; calibrate again while the machine is idle";
      assumed("context_switch", costs.context_switch, kUsualContextSwitch, busy);
      assumed("yield", costs.yield, kUsualYield, busy);
      return kUsualContextSwitch;
    }
    const double context_switch =
        std::max(0.0, figures_.yield_switch - figures_.yield - figures_.clock);
    measured("context_switch", costs.context_switch, context_switch);
    measured("yield", costs.yield, figures_.yield);
    return context_switch;
  }

  static std::optional<double> less(std::optional<double> ns, double contained) {
    return ns ? std::optional(std::max(0.0, *ns - contained)) : std::nullopt;
  }

  void slices(double context_switch) {
    machine::SchedulerCosts& costs = out_.model.scheduler;
    const double seen = figures_.slice - context_switch;
    if (facts_.slice_ns) {
      costs.slice = picoseconds(*facts_.slice_ns, kLeastSlice);
      out_.remarks["slice"] = "the kernel's own figure";
    } else if (seen >= kLeastSlice) {
      measured("slice", costs.slice, seen, kLeastSlice);
    } else {
      assumed("slice", costs.slice, kUsualSlice, "no two threads of one processor took turns");
    }
    if (facts_.granularity_ns) {
      costs.granularity = picoseconds(*facts_.granularity_ns, kLeastSlice);
      out_.remarks["granularity"] = "the kernel's own figure";
      return;
    }
    const auto slice_ns = static_cast<double>(costs.slice) / machine::kPerNanosecond;
    assumed("granularity", costs.granularity, std::min(kUsualGranularity, slice_ns),
            "the kernel does not tell");
  }

  void sources() {
    std::vector<machine::Source>& sources = out_.model.sources;
    sources.push_back(
        {.author = "lockbench " + facts_.version,
         .title = "lockbench calibrate-machine on " + cpu_of(facts_),
         .year = facts_.year,
         .figures = "medians of repeated loops, less what a loop contains beside its subject: all "
                    "figures whose comment does not say otherwise"});
    if (assumed_.empty()) return;
    sources.push_back({.author = "lockbench " + facts_.version,
                       .title = "Assumptions, not measurements of this machine",
                       .year = facts_.year,
                       .figures = assumed_});
  }

  std::string head() const {
    std::string text =
        "Written by `lockbench calibrate-machine`. docs/prediction.md describes the keys.";
    if (shape_.cores.size() == 1) {
      text += "\nOne core may be used here: the file describes a machine with one core.";
    }
    if (!shape_.regular) {
      text +=
          "\nThe groups of processors differ in size: each processor counts as a core of its own, "
          "and\nsmt_slowdown is not modelled.";
    }
    return text;
  }

  const MeasuredFigures& figures_;
  const Shape& shape_;
  const HostFacts& facts_;
  CalibratedModel out_;
  std::string assumed_;
};

}  // namespace

std::string title_of(const Shape& shape, const HostFacts& facts) {
  const std::size_t cores = shape.cores.size();
  const std::size_t threads = std::accumulate(
      shape.cores.begin(), shape.cores.end(), std::size_t{0},
      [](std::size_t sum, const std::vector<int>& core) { return sum + core.size(); });
  return absl::StrFormat("%s (%d core%s, %d thread%s%s)", cpu_of(facts), cores,
                         cores == 1 ? "" : "s", threads, threads == 1 ? "" : "s",
                         facts.hypervisor.empty() ? "" : ", " + facts.hypervisor);
}

CalibratedModel calibrated_model(const MeasuredFigures& figures, const Shape& shape,
                                 const HostFacts& facts) {
  return Filling(figures, shape, facts).all();
}

}  // namespace lockbench::calibration
