// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/observation_reader.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <span>

#include <absl/strings/str_cat.h>

#include "harness/base/core_kind_name.h"
#include "harness/observe/observation/futex_use.h"
#include "harness/symbols/debug_information.h"
#include "harness/symbols/function_names.h"

namespace lockbench {
namespace {

using observe::LockKind;
using observe::Place;
using observe::Process;

std::uint64_t value(const observe::Count& count) {
  // relaxed: the program has ended, or the figures change one by one anyway.
  return count.load(std::memory_order_relaxed);
}
std::uint32_t value(const observe::Number& number) {
  return number.load(std::memory_order_relaxed);  // relaxed: as above
}

// Counts of a histogram, by bucket.
struct Times {
  std::vector<std::uint64_t> counts = std::vector<std::uint64_t>(Histogram::kBuckets);
  std::uint64_t sum = 0;
  std::uint64_t longest = 0;

  void add(const observe::TickHistogram& histogram) {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += value(histogram.counts[i]);
    sum += value(histogram.sum);
    longest = std::max(longest, value(histogram.longest));
  }

  std::uint64_t samples() const { return std::accumulate(counts.begin(), counts.end(), 0ULL); }

  LatencySummary summary(double ns_per_tick) const {
    LatencySummary summary;
    const auto ns = [&](std::uint64_t ticks) {
      return static_cast<std::uint64_t>(static_cast<double>(ticks) * ns_per_tick);
    };
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      summary.samples += counts[i];
      summary.buckets.push_back({ns(Histogram::low_of(i)), ns(Histogram::high_of(i)), counts[i]});
    }
    if (summary.samples == 0) return summary;
    summary.max_ns = static_cast<double>(longest) * ns_per_tick;
    summary.mean_ns = static_cast<double>(sum) * ns_per_tick / static_cast<double>(summary.samples);
    const auto quantile = [&](double share) {
      return quantile_of(summary.buckets, summary.samples, share, summary.max_ns);
    };
    summary.p50_ns = quantile(0.5);
    summary.p90_ns = quantile(0.9);
    summary.p99_ns = quantile(0.99);
    summary.p999_ns = quantile(0.999);
    return summary;
  }
};

// The code that a header of a lock adds to its caller, inlined, is part of the caller, which is
// what users look for: std::mutex::lock(), <lockbench/observed.h>, and what our locks do when they
// release.
bool is_of_a_lock(std::string_view file) {
  if (file.starts_with("/usr/include/")) return true;
  const bool is_ours = file.find("/lockbench/") != std::string_view::npos ||
                       file.find("/primitives/") != std::string_view::npos;
  return is_ours && file.ends_with(".h");
}

struct Caller {
  std::uint64_t address = 0;
  std::uint32_t module = 0;

  friend auto operator<=>(const Caller&, const Caller&) = default;
};

// Finds names and lines for the addresses of one process. Each file has information of its own:
// one may have been loaded where another one was.
class CodeLocations {
 public:
  explicit CodeLocations(const Process& process) : process_(process) {}

  CodeLocation of(const Caller& caller) {
    CodeLocation result;
    const std::uint64_t call = caller.address - 1;  // it is before its return address
    result.offset = call;
    if (caller.module == 0) return result;
    const observe::Module& module = process_.modules[caller.module - 1];
    result.module = module.path.data();
    result.offset = call - value(module.bias);
    const stress::DebugInformation& information = information_of(caller.module);
    const std::string symbol = information.function_at(call);
    if (!symbol.empty()) result.function = stress::readable_name(symbol.c_str());
    for (const stress::SourceLine& line : information.lines_at(call)) {
      result.file = line.file;
      result.line = line.number;
      if (!is_of_a_lock(line.file)) break;
    }
    return result;
  }

 private:
  const stress::DebugInformation& information_of(std::uint32_t number) {
    std::unique_ptr<stress::DebugInformation>& known = information_[number];
    if (known == nullptr) {
      const observe::Module& module = process_.modules[number - 1];
      const stress::LoadedFile file{.path = module.path.data(), .bias = value(module.bias)};
      known = std::make_unique<stress::DebugInformation>(std::span(&file, 1));
    }
    return *known;
  }

  const Process& process_;
  std::map<std::uint32_t, std::unique_ptr<stress::DebugInformation>> information_;
};

// A place that the recorder has as one or more places with the same first callers.
struct Merged {
  ObservedPlace place;
  std::vector<Caller> callers;
  std::vector<std::uint64_t> acquisitions;  // of each lock
  std::vector<std::uint64_t> contended;
  std::vector<std::uint64_t> addresses;
  std::uint64_t unended = 0;  // threads that waited when the process ended by itself
  Times wait;
  Times hold;
  Times think;
  struct OnCores {
    std::uint64_t holds = 0;
    std::uint64_t ticks = 0;
  };
  std::array<OnCores, Place::kMostCoreKinds> on_cores;
};

std::vector<HoldsOnKind> holds_on_kinds(const Merged& merged, std::size_t kinds,
                                        double ns_per_tick) {
  std::vector<HoldsOnKind> found;
  if (merged.hold.samples() == 0) return found;
  for (std::size_t rank = 0; rank < std::min(kinds, merged.on_cores.size()); ++rank) {
    const Merged::OnCores& one = merged.on_cores[rank];
    found.push_back({.kind = name_of_core_kind(rank, kinds),
                     .holds = one.holds,
                     .held_s = static_cast<double>(one.ticks) * ns_per_tick / 1e9});
  }
  return found;
}

// A mutex has another use for this count.
std::uint64_t shared_of(const observe::Lock& lock) {
  return static_cast<LockKind>(value(lock.kind)) == LockKind::kShared
             ? value(lock.shared_acquisitions)
             : 0;
}

double blocked_time(const observe::BlockedTime& blocked, std::uint64_t end_ticks,
                    double ns_per_tick) {
  return blocked_s(value(blocked.waiters), value(blocked.ticks), end_ticks, ns_per_tick);
}

bool is_event(LockKind kind) {
  return kind == LockKind::kSemaphoreEvent || kind == LockKind::kFutexEvent ||
         kind == LockKind::kFutexUnknown;
}

class ProcessReader {
 public:
  ProcessReader(const RecordingFile& recording, std::size_t slot, const ObservationClock& clock,
                double cost_ns)
      : recording_(recording),
        slot_(slot),
        process_(recording.process(slot)),
        code_(*process_),
        ns_per_tick_(clock.ns_per_tick),
        cost_ns_(cost_ns) {}

  const Process& process() const { return *process_; }

  ObservedProcess read(std::uint64_t end_ticks) {
    const std::uint64_t start = value(process_->start_ticks);
    ticks_ = end_ticks > start ? end_ticks - start : 0;
    result_.record = slot_;
    result_.pid = value(process_->pid);
    result_.parent = value(process_->parent);
    result_.forked = value(process_->forked) != 0;
    result_.stopped = value(process_->stopped) != 0;
    result_.program = process_->modules[0].path.data();
    result_.wall_s = static_cast<double>(ticks_) * ns_per_tick_ / 1e9;
    result_.processor_s = static_cast<double>(value(process_->processor_ns)) / 1e9;
    result_.threads = value(process_->threads);
    result_.untracked_holds = value(process_->untracked_holds);
    result_.blocked_s = blocked_time(process_->blocked, ticks_, ns_per_tick_);
    read_places();
    read_locks();
    for (Merged& merged : merged_) finish(merged);
    result_.blocked_s = std::min(result_.blocked_s, result_.wall_s);
    result_.greatest_gain =
        gain_of(result_.blocked_s, result_.acquisitions, cost_ns_, result_.wall_s);
    rank();
    return std::move(result_);
  }

 private:
  // The callers of the place up to the first that is no wrapper, as its site was learnt.
  std::vector<Caller> callers_of(const Place& place, std::size_t depth) const {
    std::vector<Caller> callers;
    for (const observe::CodeAddress& caller : place.callers) {
      if (value(caller.address) == 0 || callers.size() == depth) break;
      callers.push_back({value(caller.address), value(caller.module)});
    }
    return callers;
  }

  void read_places() {
    const bool by_depth = value(recording_.header().callers) == 0;
    std::map<Caller, std::uint32_t> depths;  // by the first caller
    if (by_depth) {
      recording_.each_place(slot_, *process_, [&](std::uint32_t, const Place& place) {
        const std::vector<Caller> first = callers_of(place, 1);
        if (first.empty()) return;
        std::uint32_t& depth = depths[first[0]];
        depth = std::max(depth, value(place.depth));
      });
    }
    std::map<std::pair<LockKind, std::vector<Caller>>, std::size_t> known;
    recording_.each_place(slot_, *process_, [&](std::uint32_t number, const Place& place) {
      std::size_t depth = Place::kMostCallers;
      const auto kind = static_cast<LockKind>(value(place.kind));
      if (by_depth && kind != LockKind::kFutex) {
        const std::vector<Caller> first = callers_of(place, 1);
        depth = std::max<std::uint32_t>(1, first.empty() ? 0 : depths[first[0]]);
      }
      std::vector<Caller> callers = callers_of(place, depth);
      const auto [found, is_new] = known.emplace(std::pair(kind, callers), merged_.size());
      if (is_new) {
        merged_.emplace_back();
        merged_.back().place.kind = kind;
        merged_.back().place.wrappers =
            by_depth && kind != LockKind::kFutex ? callers.size() - 1 : 0;
        merged_.back().callers = std::move(callers);
      }
      position_[number] = found->second;
      add(merged_[found->second], place);
    });
  }

  // One that was killed may have hung: who waited in it need not have been idle.
  bool ended_by_itself() const {
    return static_cast<observe::ProcessEnd>(value(process_->ended)) == observe::ProcessEnd::kExited;
  }

  void add(Merged& merged, const Place& recorded) const {
    ObservedPlace& place = merged.place;
    place.threads = std::max(place.threads, value(recorded.threads));
    place.unlisted_locks += value(recorded.ended_locks);
    const std::uint64_t unlisted =
        value(recorded.ended_acquisitions) + value(recorded.unlisted_acquisitions);
    place.unlisted_acquisitions += unlisted;
    place.acquisitions += unlisted;
    place.contended += value(recorded.ended_contended) + value(recorded.unlisted_contended);
    place.blocked_s += blocked_time(recorded.blocked, ticks_, ns_per_tick_);
    if (ended_by_itself()) merged.unended += value(recorded.blocked.waiters);
    merged.wait.add(recorded.wait);
    merged.hold.add(recorded.hold);
    merged.think.add(recorded.think);
    for (std::size_t rank = 0; rank < merged.on_cores.size(); ++rank) {
      merged.on_cores[rank].holds += value(recorded.on_cores[rank].holds);
      merged.on_cores[rank].ticks += value(recorded.on_cores[rank].ticks);
    }
  }

  // Two threads that acquire a lock for the first time at once may give it two entries. Then one
  // of them is hardly used, and its place is that of the other.
  void find_places_of_locks() {
    std::map<std::uint64_t, std::uint64_t> most;  // acquisitions of an entry, by key
    recording_.each_lock(slot_, [&](std::uint64_t key, const observe::Lock& lock) {
      const auto found = position_.find(value(lock.place));
      if (found == position_.end()) return;
      const std::uint64_t all = value(lock.acquisitions) + shared_of(lock) + 1;
      if (all <= most[key]) return;
      most[key] = all;
      place_of_lock_[key] = found->second;
    });
  }

  void read_locks() {
    find_places_of_locks();
    recording_.each_lock(slot_, [this](std::uint64_t key, const observe::Lock& lock) {
      const auto found = place_of_lock_.find(key);
      if (found == place_of_lock_.end()) return;
      Merged& merged = merged_[found->second];
      ObservedPlace& place = merged.place;
      const std::uint64_t shared = shared_of(lock);
      const std::uint64_t all = value(lock.acquisitions) + shared;
      place.acquisitions += all;
      place.shared_acquisitions += shared;
      place.contended += value(lock.contended);
      place.failed_tries += value(lock.failed_tries);
      if (place.kind == LockKind::kMutex || place.kind == LockKind::kShared ||
          place.kind == LockKind::kSpin) {
        place.condition_waits += value(lock.condition_waits);
        place.recursions += value(lock.recursions);
      } else {
        place.own_posts += value(lock.recursions);
        place.other_posts += value(lock.condition_waits);
      }
      merged.acquisitions.push_back(all);
      merged.contended.push_back(value(lock.contended));
      merged.addresses.push_back(key & ~std::uint64_t{1});  // also of one that has ended
    });
  }

  void finish(Merged& merged) {
    ObservedPlace& place = merged.place;
    if (merged.addresses.size() <= observe::ChangedPlace::kMostLocks) {
      place.addresses = std::move(merged.addresses);
    }
    place.hot_locks = hot_locks_of(std::move(merged.contended));
    place.popularity = popularity_of(std::move(merged.acquisitions));
    place.blocked_s = std::min(place.blocked_s, result_.wall_s);
    place.wait = merged.wait.summary(ns_per_tick_);
    place.hold = merged.hold.summary(ns_per_tick_);
    place.think = merged.think.summary(ns_per_tick_);
    place.holds_on_kinds =
        holds_on_kinds(merged, value(recording_.header().core_kinds), ns_per_tick_);
    for (const Caller& caller : merged.callers) place.callers.push_back(code_.of(caller));
    if (place.kind == LockKind::kFutex) find_use(place, merged.unended);
    if (is_event(place.kind)) return;
    const std::uint64_t counted = place.is_futex() ? 0 : place.acquisitions;
    place.greatest_gain = gain_of(place.blocked_s, counted, cost_ns_, result_.wall_s);
    result_.acquisitions += counted;
  }

  // Waits for futexes are not in the time of the process that the recorder counts.
  void find_use(ObservedPlace& place, std::uint64_t unended) {
    std::vector<std::string> functions;
    for (const CodeLocation& caller : place.callers) functions.push_back(caller.function);
    place.wrappers = user_of_futex(functions);
    const FutexWaits waits{.own_wakes = place.own_posts,
                           .other_wakes = place.other_posts,
                           .ended = place.wait.samples,
                           .unended = unended};
    switch (use_of_futex(functions, waits)) {
      case FutexUse::kLock:
        result_.blocked_s += place.blocked_s;
        return;
      case FutexUse::kEvent:
        place.kind = LockKind::kFutexEvent;
        return;
      case FutexUse::kUnknown:
        place.kind = LockKind::kFutexUnknown;
        return;
    }
  }

  void rank() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < merged_.size(); ++i) {
      if (merged_[i].place.acquisitions != 0 || merged_[i].place.contended != 0 ||
          merged_[i].place.blocked_s > 0) {
        order.push_back(i);
      }
    }
    // Time in waits first: a place without any has only the cost of its acquisitions.
    const auto rank_of = [this](std::size_t i) {
      return std::pair(merged_[i].place.blocked_s, merged_[i].place.acquisitions);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return rank_of(a) > rank_of(b); });
    std::map<std::size_t, std::size_t> position;
    for (const std::size_t i : order) {
      if (is_event(merged_[i].place.kind)) {
        result_.events.push_back(std::move(merged_[i].place));
      } else {
        position[i] = result_.places.size();
        result_.places.push_back(std::move(merged_[i].place));
      }
    }
    read_inversions(position);
  }

  // The facts that the entries of one order say together.
  struct SeenOrder {
    std::set<std::uint32_t> threads;
    bool other_threads = false;
    std::uint32_t shared = 3;
    std::set<std::uint64_t> around;
  };
  using Pair = std::pair<std::uint64_t, std::uint64_t>;  // the addresses of two locks

  std::map<Pair, SeenOrder> read_orders() const {
    std::map<Pair, SeenOrder> orders;
    for (const observe::Order& order : process_->orders) {
      if (value(order.first) == 0 || value(order.second) == 0) continue;
      SeenOrder& seen = orders[{value(order.first), value(order.second)}];
      const bool is_new = seen.threads.empty();
      seen.threads.insert(value(order.thread));
      seen.other_threads |= value(order.other_threads) != 0;
      seen.shared &= value(order.shared);
      std::set<std::uint64_t> around;
      for (const observe::Count& lock : order.around) {
        const bool all = is_new || seen.around.contains(value(lock));
        if (value(lock) != 0 && all) around.insert(value(lock));
      }
      seen.around = std::move(around);
    }
    return orders;
  }

  // True if one thread with the first order and one with the second may wait for each other.
  static bool may_deadlock(const SeenOrder& one, const SeenOrder& other) {
    std::set<std::uint32_t> threads = one.threads;
    threads.insert(other.threads.begin(), other.threads.end());
    if (threads.size() < 2 && !one.other_threads && !other.other_threads) return false;
    for (const std::uint64_t lock : one.around) {
      if (other.around.contains(lock)) return false;
    }
    // Two that read do not wait for each other.
    const bool first_is_read = (one.shared & 1) != 0 && (other.shared & 2) != 0;
    const bool second_is_read = (one.shared & 2) != 0 && (other.shared & 1) != 0;
    return !first_is_read && !second_is_read;
  }

  void read_inversions(const std::map<std::size_t, std::size_t>& position) {
    const std::map<Pair, SeenOrder> orders = read_orders();
    const auto place_of = [&](std::uint64_t lock) {
      auto known = place_of_lock_.find(lock);
      if (known == place_of_lock_.end()) known = place_of_lock_.find(lock + 1);  // it has ended
      const auto found =
          known == place_of_lock_.end() ? position.end() : position.find(known->second);
      return found == position.end() ? result_.places.size() : found->second;
    };
    std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> pairs;
    for (const auto& [locks, order] : orders) {
      const auto other = orders.find({locks.second, locks.first});
      if (locks.first >= locks.second || other == orders.end()) continue;
      if (!may_deadlock(order, other->second)) continue;
      const auto [first, second] = std::minmax({place_of(locks.first), place_of(locks.second)});
      if (second < result_.places.size()) ++pairs[{first, second}];
    }
    for (const auto& [places, count] : pairs) {
      result_.inversions.push_back(
          {.first = places.first, .second = places.second, .pairs = count});
    }
  }

  const RecordingFile& recording_;
  std::size_t slot_;
  std::unique_ptr<Process> process_;
  CodeLocations code_;
  double ns_per_tick_;
  std::uint64_t ticks_ = 0;
  double cost_ns_;
  std::vector<Merged> merged_;
  std::map<std::uint32_t, std::size_t> position_;       // by the number in the recording
  std::map<std::uint64_t, std::size_t> place_of_lock_;  // by key
  ObservedProcess result_;
};

void add_unseen(Coverage& coverage, std::uint32_t count, Unseen why) {
  if (count == 0) return;
  coverage.unseen.push_back(
      {.program = absl::StrCat(count, count == 1 ? " process" : " processes"), .why = why});
}

void read_header(const observe::Header& header, Coverage& coverage) {
  coverage.processes =
      value(header.begun) - value(header.without_slot) - value(header.without_memory);
  add_unseen(coverage, value(header.without_slot), Unseen::kNoRoom);
  add_unseen(coverage, value(header.without_memory), Unseen::kNoMemory);
  add_unseen(coverage, value(header.under_filter), Unseen::kFilter);
  coverage.starts_lost = value(header.started_lost);
}

}  // namespace

Observation read_observation(const RecordingFile& recording, const ObservationClock& clock,
                             const std::set<std::uint32_t>& present, double cost_ns) {
  Observation result;
  read_header(recording.header(), result.coverage);
  for (const std::size_t slot : recording.slots()) {
    ProcessReader reader(recording, slot, clock, cost_ns);
    const std::uint32_t pid = value(reader.process().pid);
    if (pid == 0) continue;
    const bool executed =
        value(reader.process().ended) == static_cast<std::uint32_t>(observe::ProcessEnd::kExecuted);
    const bool to_now = present.contains(pid) && !executed;
    result.coverage.placeless_acquisitions += value(reader.process().placeless_acquisitions);
    result.coverage.placeless_contended += value(reader.process().placeless_contended);
    ObservedProcess read =
        reader.read(to_now ? clock.now_ticks : value(reader.process().last_ticks));
    if (!read.places.empty() || !read.events.empty()) result.processes.push_back(std::move(read));
  }
  std::stable_sort(result.processes.begin(), result.processes.end(),
                   [](const ObservedProcess& a, const ObservedProcess& b) {
                     return std::pair(a.blocked_s, a.acquisitions) >
                            std::pair(b.blocked_s, b.acquisitions);
                   });
  return result;
}

std::map<std::size_t, double> blocked_s_of_each(const RecordingFile& recording,
                                                const ObservationClock& clock) {
  std::map<std::size_t, double> result;
  for (const std::size_t slot : recording.slots()) {
    const RecordingFile::Brief brief = recording.brief(slot);
    if (brief.pid == 0 || clock.now_ticks <= brief.start_ticks) continue;
    result[slot] = brief.blocked_s(clock.now_ticks, clock.ns_per_tick);
  }
  return result;
}

}  // namespace lockbench
