// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/command/matrix.h"

#include <algorithm>
#include <map>
#include <utility>

#include <absl/strings/str_format.h>

namespace lockbench {
namespace {

using Entries = std::vector<const KillEntry*>;

// Groups entries by a key. Groups and entries keep the order of the input.
template <class KeyOf>
std::vector<Entries> grouped_by(const std::vector<KillEntry>& entries, const KeyOf& key_of) {
  std::vector<Entries> groups;
  std::map<std::string, std::size_t> positions;
  for (const KillEntry& entry : entries) {
    const auto [position, is_new] = positions.try_emplace(key_of(entry.job), groups.size());
    if (is_new) groups.emplace_back();
    groups[position->second].push_back(&entry);
  }
  return groups;
}

std::string lock_of(const TestJob& job) {
  return job.engine + '\n' + job.lock.name;
}

// "exclusion 2, conservation 1", most frequent first.
template <class NameOf>
std::string counted(const Entries& entries, const NameOf& name_of_entry) {
  std::map<std::string, int> counts;
  for (const KillEntry* entry : entries) {
    if (entry->report.failure) ++counts[name_of_entry(entry->report)];
  }
  std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [name, count] : sorted) {
    text += (text.empty() ? "" : ", ") + name;
    if (entries.size() > 1) text += " " + std::to_string(count);
  }
  return text;
}

double median_kill_ms(const Entries& entries) {
  std::vector<double> kills_ms;
  for (const KillEntry* entry : entries) {
    if (entry->report.failure) kills_ms.push_back(entry->report.found_after_s * 1000);
  }
  if (kills_ms.empty()) return 0;
  std::sort(kills_ms.begin(), kills_ms.end());
  return kills_ms[kills_ms.size() / 2];
}

// The first unexpected result of the runs, or their common result.
Kill worst_of(const Entries& entries) {
  for (const KillEntry* entry : entries) {
    if (!passes(entry->kill)) return entry->kill;
  }
  return entries.front()->kill;
}

const char* word_of(Kill kill) {
  switch (kill) {
    case Kill::kAsExpected:
      return "detected";
    case Kill::kPassed:
      return "passed";
    case Kill::kUnseen:
      return "unseen";
    case Kill::kMissed:
      return "MISSED";
    case Kill::kWrongOracle:
      return "WRONG ORACLE";
    case Kill::kFalseFailure:
      return "FALSE FAILURE";
    case Kill::kEngineFailed:
      break;
  }
  return "ENGINE FAILED";
}

std::string row(const Entries& entries) {
  const KillEntry& first = *entries.front();
  const Kill kill = worst_of(entries);
  const auto passed = std::count_if(entries.begin(), entries.end(),
                                    [](const KillEntry* e) { return passes(e->kill); });
  std::string line =
      absl::StrFormat("%-5s %-32s %-13s %5s", first.job.engine, first.job.lock.name, word_of(kill),
                      std::to_string(passed) + "/" + std::to_string(entries.size()));
  const std::string oracles = counted(
      entries, [](const auto& report) { return std::string(name_of(report.failure->oracle)); });
  if (!oracles.empty()) {
    absl::StrAppendFormat(&line, "  %9.1f ms  by %s (%s)", median_kill_ms(entries), oracles,
                          counted(entries, [](const auto& report) { return report.how; }));
  } else if (kill == Kill::kUnseen) {
    line += "  " + first.job.lock.unseen;
  }
  for (const KillEntry* entry : entries) {
    const bool has_reason = entry->kill == Kill::kEngineFailed && !entry->report.remarks.empty();
    if (has_reason) line += "  " + entry->report.remarks.front();
  }
  return line + "\n";
}

// The totals of one engine.
struct Sum {
  std::vector<std::pair<double, std::string>>
      kills_ms;  // median times, with the names of the locks
  int broken = 0;
  int unseen = 0;
  int controls = 0;
  int passed = 0;

  void add(const Entries& entries) {
    const Listed& lock = entries.front()->job.lock;
    const Kill kill = worst_of(entries);
    if (!lock.unseen.empty()) {
      ++unseen;
    } else if (lock.expected_oracles.empty()) {
      ++controls;
      passed += kill == Kill::kPassed;
    } else {
      ++broken;
      if (kill == Kill::kAsExpected) {
        kills_ms.emplace_back(median_kill_ms(entries), lock.name);
      }
    }
  }
};

std::string text_of(const std::string& engine, Sum sum) {
  std::sort(sum.kills_ms.begin(), sum.kills_ms.end());
  std::string text = absl::StrFormat("%s: %d of %d broken locks detected", engine,
                                     sum.kills_ms.size(), sum.broken);
  if (!sum.kills_ms.empty()) {
    absl::StrAppendFormat(&text, " (median %.1f ms, slowest %s %.1f ms)",
                          sum.kills_ms[sum.kills_ms.size() / 2].first, sum.kills_ms.back().second,
                          sum.kills_ms.back().first);
  }
  absl::StrAppendFormat(&text, "; %d of %d correct ones passed", sum.passed, sum.controls);
  if (sum.unseen != 0) absl::StrAppendFormat(&text, "; %d it cannot detect", sum.unseen);
  return text + "\n";
}

}  // namespace

std::string kill_matrix(const std::vector<KillEntry>& entries) {
  std::string text;
  for (const Entries& runs : grouped_by(entries, lock_of)) text += row(runs);
  return text;
}

std::string kill_summary(const std::vector<KillEntry>& entries) {
  std::vector<std::pair<std::string, Sum>> engines;
  for (const Entries& runs : grouped_by(entries, lock_of)) {
    const std::string& engine = runs.front()->job.engine;
    if (engines.empty() || engines.back().first != engine) engines.emplace_back(engine, Sum());
    engines.back().second.add(runs);
  }
  std::string text;
  for (auto& [engine, sum] : engines) text += text_of(engine, std::move(sum));
  return text;
}

}  // namespace lockbench
