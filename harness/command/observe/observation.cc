// SPDX-License-Identifier: Apache-2.0

#include "harness/command/observe/observation.h"

#include <algorithm>
#include <map>
#include <pthread.h>
#include <regex>
#include <semaphore>
#include <set>
#include <thread>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/observe/ticks.h"
#include "harness/simulated/instrumentation/debug_information.h"
#include "harness/simulated/instrumentation/function_names.h"

namespace lockbench {
namespace {

using observe::Place;
using observe::Process;

std::uint64_t value(const observe::Count& count) {
  // relaxed: the program has ended, or the figures change one by one anyway.
  return count.load(std::memory_order_relaxed);
}
std::uint32_t value(const observe::Number& number) {
  return number.load(std::memory_order_relaxed);  // relaxed: as above
}

LatencySummary summary_of(const observe::TickHistogram& histogram, double ns_per_tick) {
  LatencySummary summary;
  const auto ns = [&](std::uint64_t ticks) {
    return static_cast<std::uint64_t>(static_cast<double>(ticks) * ns_per_tick);
  };
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    const std::uint32_t count = value(histogram.counts[i]);
    if (count == 0) continue;
    summary.samples += count;
    summary.buckets.push_back({ns(Histogram::low_of(i)), ns(Histogram::high_of(i)), count});
  }
  if (summary.samples == 0) return summary;
  summary.max_ns = static_cast<double>(value(histogram.longest)) * ns_per_tick;
  summary.mean_ns = static_cast<double>(value(histogram.sum)) * ns_per_tick /
                    static_cast<double>(summary.samples);
  const auto quantile = [&](double share) {
    return quantile_of(summary.buckets, summary.samples, share, summary.max_ns);
  };
  summary.p50_ns = quantile(0.5);
  summary.p90_ns = quantile(0.9);
  summary.p99_ns = quantile(0.99);
  summary.p999_ns = quantile(0.999);
  return summary;
}

// std::mutex::lock(), and what <lockbench/observed.h> adds, is part of its caller, which is what
// users look for.
bool is_of_a_lock(const std::string& file) {
  return file.starts_with("/usr/include/") || file.ends_with("/observed.h") ||
         file.ends_with("/key_guard.h");
}

// Finds names and lines for the addresses of one process.
class CodePlaces {
 public:
  explicit CodePlaces(const Process& process) : process_(process), information_(files(process)) {}

  // Of each caller, innermost first.
  std::vector<CodePlace> of(const Place& place) const {
    std::vector<CodePlace> result;
    for (const observe::CodeAddress& caller : place.callers) {
      if (value(caller.address) != 0) result.push_back(of(caller));
    }
    return result;
  }

 private:
  CodePlace of(const observe::CodeAddress& caller) const {
    CodePlace result;
    const std::uint64_t call = value(caller.address) - 1;  // it is before its return address
    const std::uint32_t module = value(caller.module);
    result.offset = call;
    if (module != 0) {
      result.module = process_.modules[module - 1].path.data();
      result.offset = call - value(process_.modules[module - 1].bias);
    }
    const std::string symbol = information_.function_at(call);
    if (!symbol.empty()) result.function = stress::readable_name(symbol.c_str());
    for (const stress::SourceLine& line : information_.lines_at(call)) {
      result.file = line.file;
      result.line = line.number;
      if (!is_of_a_lock(line.file)) break;
    }
    return result;
  }

  static std::vector<stress::LoadedFile> files(const Process& process) {
    std::vector<stress::LoadedFile> files;
    std::set<std::string> known;
    for (const observe::Module& module : process.modules) {
      const std::string path = module.path.data();
      if (path.empty()) break;
      if (known.insert(path).second) files.push_back({path, value(module.bias)});
    }
    return files;
  }

  const Process& process_;
  stress::DebugInformation information_;
};

// An upper bound: the time in which a thread waited passes without waits, and the acquisitions cost
// nothing and are all one after the other.
double gain_of(double blocked, std::uint64_t acquisitions, double cost_ns, double wall_s) {
  if (wall_s <= 0) return 0;
  return std::min(1.0, (blocked + static_cast<double>(acquisitions) * cost_ns / 1e9) / wall_s);
}

class ProcessReader {
 public:
  ProcessReader(const Process& process, const ObservationClock& clock, std::uint64_t end_ticks,
                double cost_ns)
      : process_(process),
        ns_per_tick_(clock.ns_per_tick),
        ticks_(end_ticks - value(process.start_ticks)),
        cost_ns_(cost_ns) {}

  ObservedProcess read() {
    result_.pid = value(process_.pid);
    result_.parent = value(process_.parent);
    result_.forked = value(process_.forked) != 0;
    result_.program = process_.modules[0].path.data();
    result_.wall_s = static_cast<double>(ticks_) * ns_per_tick_ / 1e9;
    result_.threads = value(process_.threads);
    result_.untracked_holds = value(process_.untracked_holds);
    result_.blocked_s = blocked_s(process_.blocked, ticks_, ns_per_tick_);
    read_places();
    read_locks();
    for (auto& [index, place] : places_) finish(index, place);
    result_.greatest_gain =
        gain_of(result_.blocked_s, result_.acquisitions, cost_ns_, result_.wall_s);
    rank();
    return std::move(result_);
  }

 private:
  void read_places() {
    for (std::size_t i = 0; i < process_.places.size(); ++i) {
      if (value(process_.places[i].key) != 0) places_.emplace(i, ObservedPlace());
    }
  }

  void read_locks() {
    for (const observe::Lock& lock : process_.locks) {
      if (value(lock.address) == 0 || value(lock.place) == 0) continue;
      const auto found = places_.find(value(lock.place) - 1);
      if (found == places_.end()) continue;
      ObservedPlace& place = found->second;
      const std::uint64_t shared = value(lock.shared_acquisitions);
      const std::uint64_t all = value(lock.acquisitions) + shared;
      place.acquisitions += all;
      place.shared_acquisitions += shared;
      place.contended += value(lock.contended);
      place.failed_tries += value(lock.failed_tries);
      place.condition_waits += value(lock.condition_waits);
      place.recursions += value(lock.recursions);
      counts_[found->first].push_back(all);
    }
  }

  void finish(std::size_t index, ObservedPlace& place) {
    const Place& recorded = process_.places[index];
    place.kind = static_cast<observe::LockKind>(value(recorded.kind));
    place.threads = value(recorded.threads);
    place.unlisted_locks = value(recorded.ended_locks);
    place.unlisted_acquisitions =
        value(recorded.ended_acquisitions) + value(recorded.unlisted_acquisitions);
    place.acquisitions += place.unlisted_acquisitions;
    place.contended += value(recorded.ended_contended) + value(recorded.unlisted_contended);
    place.popularity = popularity_of(std::move(counts_[index]));
    place.blocked_s = blocked_s(recorded.blocked, ticks_, ns_per_tick_);
    place.wait = summary_of(recorded.wait, ns_per_tick_);
    place.hold = summary_of(recorded.hold, ns_per_tick_);
    place.think = summary_of(recorded.think, ns_per_tick_);
    place.greatest_gain = gain_of(place.blocked_s, place.acquisitions, cost_ns_, result_.wall_s);
    result_.acquisitions += place.acquisitions;
  }

  void rank() {
    std::vector<std::pair<std::size_t, ObservedPlace>> order;
    for (auto& [index, place] : places_) {
      if (place.acquisitions != 0) order.emplace_back(index, std::move(place));
    }
    // Time in waits first: a place without any has only the cost of its acquisitions.
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second.blocked_s, a.second.acquisitions) >
             std::pair(b.second.blocked_s, b.second.acquisitions);
    });
    const CodePlaces code(process_);
    std::map<std::size_t, std::size_t> position;
    for (auto& [index, place] : order) {
      position[index] = result_.places.size();
      place.callers = code.of(process_.places[index]);
      result_.places.push_back(std::move(place));
    }
    read_inversions(position);
  }

  void read_inversions(const std::map<std::size_t, std::size_t>& position) {
    std::set<std::pair<std::size_t, std::size_t>> orders;
    for (const observe::Order& order : process_.orders) {
      const std::uint64_t places = value(order.places);
      if (places == 0) continue;
      const auto first = position.find((places >> 32) - 1);
      const auto second = position.find((places & 0xffffffff) - 1);
      if (first == position.end() || second == position.end()) continue;
      orders.emplace(first->second, second->second);
    }
    for (const auto& [first, second] : orders) {
      if (first < second && orders.contains({second, first})) {
        result_.inversions.emplace_back(first, second);
      }
    }
  }

  const Process& process_;
  double ns_per_tick_;
  std::uint64_t ticks_;
  double cost_ns_;
  std::map<std::size_t, ObservedPlace> places_;  // by their index
  std::map<std::size_t, std::vector<std::uint64_t>> counts_;
  ObservedProcess result_;
};

}  // namespace

double blocked_s(const observe::BlockedTime& blocked, std::uint64_t end_ticks, double ns_per_tick) {
  std::uint64_t ticks = value(blocked.ticks);
  const std::uint64_t since = value(blocked.state) >> observe::BlockedTime::kWaiterBits;
  // A thread waits still, or the process ended while it did.
  if (value(blocked.state) != 0 && end_ticks > since) ticks += end_ticks - since;
  return static_cast<double>(ticks) * ns_per_tick / 1e9;
}

std::string to_text(const CodePlace& place) {
  const auto short_name = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  // A C++ function's parameters are longer than the line and say less.
  const std::string function = place.function.substr(0, place.function.find('('));
  const std::string where =
      place.line != 0
          ? absl::StrCat(short_name(place.file), ":", place.line)
          : absl::StrFormat("%s+0x%x", place.module.empty() ? "address" : short_name(place.module),
                            place.offset);
  return function.empty() ? where : function + " " + where;
}

std::string ObservedPlace::name() const {
  std::string text;
  for (const CodePlace& caller : callers) {
    absl::StrAppend(&text, text.empty() ? "" : " < ", to_text(caller));
  }
  return text;
}

double uncontended_cost_ns() {
  constexpr int kRepetitions = 7;
  constexpr int kAcquisitions = 20'000;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  // Without a second thread the C library omits the atomic operations.
  std::binary_semaphore measured(0);
  std::jthread other([&] { measured.acquire(); });
  std::vector<double> costs;
  for (int i = 0; i < kRepetitions; ++i) {
    const std::uint64_t begin = observe::monotonic_ns();
    for (int n = 0; n < kAcquisitions; ++n) {
      pthread_mutex_lock(&mutex);
      pthread_mutex_unlock(&mutex);
    }
    costs.push_back(static_cast<double>(observe::monotonic_ns() - begin) / kAcquisitions);
  }
  measured.release();
  std::nth_element(costs.begin(), costs.begin() + kRepetitions / 2, costs.end());
  return costs[kRepetitions / 2];
}

Observation read_observation(const observe::Recording& recording, const ObservationClock& clock,
                             std::uint32_t root, double cost_ns) {
  Observation result;
  result.processes_begun = value(recording.claimed);
  const std::size_t recorded =
      std::min<std::size_t>(result.processes_begun, recording.processes.size());
  result.processes_not_recorded = result.processes_begun - static_cast<std::uint32_t>(recorded);
  for (std::size_t i = 0; i < recorded; ++i) {
    const Process& process = recording.processes[i];
    const std::uint64_t end =
        value(process.pid) == root ? clock.now_ticks : value(process.last_ticks);
    ObservedProcess read = ProcessReader(process, clock, end, cost_ns).read();
    read.record = i;
    if (!read.places.empty()) result.processes.push_back(std::move(read));
  }
  std::stable_sort(result.processes.begin(), result.processes.end(),
                   [](const ObservedProcess& a, const ObservedProcess& b) {
                     return std::pair(a.blocked_s, a.acquisitions) >
                            std::pair(b.blocked_s, b.acquisitions);
                   });
  return result;
}

void bound_by_processors(Observation& observation, double processor_s, double processors,
                         double cost_ns) {
  if (observation.processes_begun != 1 || observation.processes.empty()) return;
  ObservedProcess& process = observation.processes[0];
  if (process.wall_s <= 0) return;
  // What the waits cost the processors: system calls of the waiter and of the thread that wakes it
  // (more than they usually take), and spinning.
  constexpr double kWaitAndWakeNs = 10'000;
  double of_locks_ns = static_cast<double>(process.acquisitions) * cost_ns;
  for (const ObservedPlace& place : process.places) {
    of_locks_ns += place.kind == observe::LockKind::kSpin
                       ? place.wait.mean_ns * static_cast<double>(place.wait.samples)
                       : kWaitAndWakeNs * static_cast<double>(place.wait.samples);
  }
  const double work_s = std::max(0.0, processor_s - of_locks_ns / 1e9);
  const double most = std::max(0.0, 1 - work_s / (processors * process.wall_s));
  process.processor_bound = most < process.greatest_gain;
  process.greatest_gain = std::min(process.greatest_gain, most);
  for (ObservedPlace& place : process.places) {
    place.greatest_gain = std::min(place.greatest_gain, most);
  }
}

void keep_places(Observation& observation, const std::string& expression) {
  const std::regex wanted(expression);
  for (ObservedProcess& process : observation.processes) {
    std::erase_if(process.places, [&](const ObservedPlace& place) {
      return !std::regex_search(place.name(), wanted);
    });
    process.inversions.clear();
  }
  std::erase_if(observation.processes,
                [](const ObservedProcess& process) { return process.places.empty(); });
}

}  // namespace lockbench
