#include "harness/command/stress_text.h"

#include <algorithm>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

namespace lockbench {
namespace {

using stress::Report;
using stress::Verdict;

// "1,234,567"; fractions are left out.
std::string grouped(double number) {
  std::string digits = absl::StrFormat("%.0f", number);
  for (std::size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, 1, ',');
  }
  return digits;
}

// A word as a shell takes it.
std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("-_./:=,+").find(static_cast<char>(c)) != std::string_view::npos;
  });
  return plain ? word : absl::StrCat("'", word, "'");
}

std::string command_of(const Report& report) {
  std::string command = "lockbench stress " + quoted(report.suspect);
  for (const std::string& word : report.replay.options) command += " " + quoted(word);
  return command;
}

std::string figures_of(const Report& report) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : report.figures) {
    std::string words = name;
    std::replace(words.begin(), words.end(), '_', ' ');
    parts.push_back(grouped(value) + " " + words);
  }
  return absl::StrJoin(parts, ", ");
}

std::string evaluations_of(const Report& report) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < stress::kOracles; ++i) {
    const auto oracle = static_cast<stress::Oracle>(i);
    if (report.evaluations[oracle] == 0) continue;
    parts.push_back(std::string(name_of(oracle)) + " " +
                    grouped(static_cast<double>(report.evaluations[oracle])));
  }
  return absl::StrJoin(parts, ", ");
}

std::string ending_of(const stress::Replay& replay) {
  if (replay.exact) return "It happens each time:";
  if (replay.reruns == 0) return "To look again:";
  return absl::StrFormat("It happened again in %d of %d reruns of:", replay.failures,
                         replay.reruns);
}

const char* word_of(Kill kill) {
  switch (kill) {
    case Kill::kAsExpected:
      return "convicted";
    case Kill::kAcquitted:
      return "acquitted";
    case Kill::kUnseen:
      return "unseen";
    case Kill::kMissed:
      return "MISSED";
    case Kill::kWrongOracle:
      return "WRONG ORACLE";
    case Kill::kFalseConviction:
      return "FALSELY CONVICTED";
    case Kill::kFailed:
      break;
  }
  return "FAILED";
}

}  // namespace

std::string stress_text(const Report& report, const std::string& machine) {
  std::string text = absl::StrFormat("%s, %s: %s", report.suspect, report.engine,
                                     std::string(name_of(report.verdict)));
  if (report.finding) {
    absl::StrAppendFormat(&text, " by the oracle of %s, after %.3f s (%s)\n  %s\n",
                          std::string(name_of(report.finding->oracle)), report.found_after_s,
                          report.how, report.finding->what);
    for (const std::string& event : report.story) text += "    " + event + "\n";
    text += "  " + ending_of(report.replay) + "\n    " + command_of(report) + "\n  " + machine;
  } else {
    absl::StrAppendFormat(&text, " after %.1f s", report.seconds);
  }
  text += "\n";
  if (!report.figures.empty()) text += "  " + figures_of(report) + "\n";
  const std::string evaluations = evaluations_of(report);
  if (!evaluations.empty()) text += "  asked: " + evaluations + "\n";
  for (const std::string& remark : report.remarks) text += "  " + remark + "\n";
  return text;
}

std::string kill_line(const Charge& charge, const Report& report, Kill kill) {
  std::string line =
      absl::StrFormat("%-5s %-32s %-12s", charge.engine, charge.suspect.name, word_of(kill));
  if (report.finding) {
    absl::StrAppendFormat(&line, " by %-12s %8.1f ms  %s",
                          std::string(name_of(report.finding->oracle)), report.found_after_s * 1000,
                          report.how);
  } else if (kill == Kill::kUnseen) {
    line += " " + charge.suspect.unseen;
  } else if (kill == Kill::kFailed && !report.remarks.empty()) {
    line += " " + report.remarks.front();
  }
  return line + "\n";
}

std::string kill_summary(const std::vector<KillEntry>& entries) {
  std::vector<std::string> engines;
  for (const KillEntry& entry : entries) {
    if (engines.empty() || engines.back() != entry.charge.engine) {
      engines.push_back(entry.charge.engine);
    }
  }
  std::string text;
  for (const std::string& engine : engines) {
    std::vector<double> kills_ms;
    int broken = 0;
    int unseen = 0;
    int controls = 0;
    int acquitted = 0;
    for (const KillEntry& entry : entries) {
      if (entry.charge.engine != engine) continue;
      const bool control = entry.charge.suspect.convicted_by.empty();
      if (!entry.charge.suspect.unseen.empty()) {
        ++unseen;
      } else if (control) {
        ++controls;
        acquitted += entry.kill == Kill::kAcquitted;
      } else {
        ++broken;
        if (entry.kill == Kill::kAsExpected) kills_ms.push_back(entry.report.found_after_s * 1000);
      }
    }
    std::sort(kills_ms.begin(), kills_ms.end());
    absl::StrAppendFormat(&text, "%s: %d of %d broken locks convicted", engine, kills_ms.size(),
                          broken);
    if (!kills_ms.empty()) {
      absl::StrAppendFormat(&text, " (median %.1f ms, slowest %.1f ms)",
                            kills_ms[kills_ms.size() / 2], kills_ms.back());
    }
    absl::StrAppendFormat(&text, "; %d of %d correct ones acquitted", acquitted, controls);
    if (unseen != 0) absl::StrAppendFormat(&text, "; %d it cannot see", unseen);
    text += "\n";
  }
  return text;
}

}  // namespace lockbench
