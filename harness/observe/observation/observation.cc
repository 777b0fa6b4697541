// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/observation.h"

#include <algorithm>
#include <functional>
#include <pthread.h>
#include <semaphore>
#include <thread>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/observe/recorder/ticks.h"
#include "harness/symbols/function_names.h"

namespace lockbench {

std::string to_text(const CodeLocation& location) {
  const auto short_name = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  const std::string function = stress::without_parameters(location.function);
  const std::string where =
      location.line != 0
          ? absl::StrCat(short_name(location.file), ":", location.line)
          : absl::StrFormat("%s+0x%x",
                            location.module.empty() ? "address" : short_name(location.module),
                            location.offset);
  return function.empty() ? where : function + " " + where;
}

std::string ObservedPlace::name() const {
  if (wrappers != 0 || (is_futex() && !callers[wrappers].function.empty())) {
    return to_text(callers[wrappers]);
  }
  // If the functions of a futex have no names, only several callers say where it is.
  constexpr std::size_t kCallersOfAFutex = 4;
  const std::size_t most = is_futex() ? kCallersOfAFutex : callers.size();
  std::string text;
  for (std::size_t i = 0; i < std::min(most, callers.size()); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : " < ", to_text(callers[i]));
  }
  return text;
}

double gain_of(double blocked_s, std::uint64_t acquisitions, double cost_ns, double wall_s) {
  if (wall_s <= 0) return 0;
  return std::min(1.0, (blocked_s + static_cast<double>(acquisitions) * cost_ns / 1e9) / wall_s);
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

namespace {

// The processor time that a process's locks cost: its acquisitions; and of its waits the system
// calls of the waiter and of the thread that wakes it (more than they usually take), or spinning.
double processor_ns_of_locks(const ObservedProcess& process, double cost_ns) {
  constexpr double kWaitAndWakeNs = 10'000;
  double sum_ns = static_cast<double>(process.acquisitions) * cost_ns;
  for (const ObservedPlace& place : process.places) {
    sum_ns += place.kind == observe::LockKind::kSpin
                  ? place.wait.mean_ns * static_cast<double>(place.wait.samples)
                  : kWaitAndWakeNs * static_cast<double>(place.wait.samples);
  }
  return sum_ns;
}

void lower_gains(ObservedProcess& process, double most) {
  process.processor_bound |= most < process.greatest_gain;
  process.greatest_gain = std::min(process.greatest_gain, most);
  for (ObservedPlace& place : process.places) {
    place.greatest_gain = std::min(place.greatest_gain, most);
  }
}

void bound_by_processors(ObservedProcess& process, double life_s, double processors,
                         double cost_ns) {
  if (process.wall_s <= 0 || process.processor_s <= 0) return;
  const double of_locks_ns = processor_ns_of_locks(process, cost_ns);
  const double work_s = std::max(0.0, process.processor_s - of_locks_ns / 1e9);
  // The record of a short program begins later than the program, whose processor time it is.
  constexpr double kStartTakesS = 0.05;
  const double wall_s =
      process.wall_s + std::min(kStartTakesS, std::max(0.0, life_s - process.wall_s));
  const double most = std::max(0.0, 1 - work_s / (processors * wall_s));
  lower_gains(process, most);
}

}  // namespace

void bound_by_processors(Observation& observation, double processors, double cost_ns) {
  for (ObservedProcess& process : observation.processes) {
    bound_by_processors(process, observation.coverage.life_s, processors, cost_ns);
  }
}

bool keep_places(Observation& observation, const Expression& wanted) {
  const auto is_wanted = [&](const ObservedPlace& place) { return wanted.finds_in(place.name()); };
  const bool some = std::any_of(
      observation.processes.begin(), observation.processes.end(), [&](const auto& process) {
        return std::any_of(process.places.begin(), process.places.end(), is_wanted);
      });
  if (!some) return false;
  for (ObservedProcess& process : observation.processes) {
    std::erase_if(process.places, std::not_fn(is_wanted));
    process.events.clear();
    process.inversions.clear();
  }
  std::erase_if(observation.processes,
                [](const ObservedProcess& process) { return process.places.empty(); });
  return true;
}

}  // namespace lockbench
